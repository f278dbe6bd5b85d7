import type { KubeObject } from '../../api/meta.ts';
import type { Status } from '../../api/status.ts';
import type { ServerContext } from './context.ts';
import type { WriteRequest } from './write-request.ts';

/**
 * Somebody who is asked about writes and may take time to answer: a webhook, a policy engine. Who can decide at once from what
 * is stored is an {@link AdmissionPlugin}. Reviewers are asked before the compare-and-set, and again when it was lost; what the
 * server does of its own accord is not theirs to review.
 */
export interface Reviewer {
  readonly name: string;
  /** How long it may take about one write, if not as long as all others. */
  readonly limitMs?: number;
  /** Whether it wants to be asked about such a request. Runs for every write, so it answers at once. */
  concerns(request: WriteRequest): boolean;
  /**
   * Asked with defaults and rules applied, before validation; one after the other, each about what the one before it left. A
   * changed object comes in by the same door again.
   */
  mutate?(review: Review, waiting: { readonly signal: AbortSignal }): Promise<Mutation>;
  /** Asked about what would be stored, after validation; all at once. */
  judge?(review: Review, waiting: { readonly signal: AbortSignal }): Promise<Verdict>;
}

/** Objects are as the request's door shows them: a Scale for `/scale`, a Binding for `/binding`. */
export interface Review {
  /** Patches are updates. */
  readonly does: 'create' | 'update' | 'delete' | 'connect';
  /** User, subresource, dry run and what is served. */
  readonly request: WriteRequest;
  /** Absent for a delete. */
  readonly object?: KubeObject;
  /** Absent for a create. */
  readonly oldObject?: KubeObject;
  /**
   * What would come of the object if it were changed so: completed by defaults and rules as if it had come in like this. Throws
   * the refusal of one that fits no schema. For who changes an object in several steps, each of which sees the one before.
   */
  readonly complete: (changed: KubeObject) => KubeObject;
}

export type Verdict =
  | { readonly allowed: true; readonly warnings?: readonly string[] }
  | { readonly allowed: false; readonly status: Status; readonly warnings?: readonly string[] };

export type Mutation = Verdict & {
  /** Absent when nothing is to be changed. What comes of a delete is not. */
  readonly object?: KubeObject;
};

const nobody: readonly Reviewer[] = [];

/** Who has to be asked about a request. Nobody, for most: their writes go on without a pause. */
export function reviewersOf({ reviewers }: ServerContext, request: WriteRequest): readonly Reviewer[] {
  return reviewers.length === 0 ? nobody : reviewers.filter((reviewer) => reviewer.concerns(request));
}
