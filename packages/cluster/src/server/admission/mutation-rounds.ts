import type { KubeObject } from '../../api/meta.ts';
import { type JsonObject, without } from '../../api/record.ts';
import { type Status, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import type { Mutation, Review } from '../context/reviewer.ts';
import type { WriteRequest } from '../context/write-request.ts';

/** Somebody who may change an object: a webhook, or a policy as one binding has it. */
export interface Mutator {
  /** The same in both rounds. */
  readonly id: string;
  /** Wants to be asked again when the object is another than the one that it has left. */
  readonly isReinvoked: boolean;
  /** What it changes itself counts as a change by somebody else: upstream takes policies so, and webhooks not. */
  readonly mindsItself: boolean;
  /** Undefined: it is not asked about this. */
  ask(review: Review, waiting: Waiting): Promise<Asked | undefined>;
}

export interface Waiting {
  readonly signal: AbortSignal;
}

export interface Asked {
  readonly warnings: readonly string[];
  readonly denial?: Status;
  /** Absent when nothing is changed. */
  readonly object?: KubeObject;
}

/** Mutators of one sort. Groups are asked one after the other. */
export interface MutatorGroup {
  concerns(request: WriteRequest): boolean;
  /** Those who are asked about an object as it is now. */
  begin(review: Review): Promise<Turn>;
}

export interface Turn {
  readonly mutators: readonly Mutator[];
  /** What stands against the request when all of them were asked. */
  end?(): Status | undefined;
}

/**
 * Asks all of them one after the other, each about what the one before it left. Those that want it are asked a second time, when
 * somebody after them, or the server's own rules, changed the object.
 */
export async function mutateInRounds(
  groups: readonly MutatorGroup[],
  review: Review,
  waiting: Waiting,
): Promise<Mutation> {
  const warnings: string[] = [];
  const rounds = createRounds();
  let object = review.object;
  for (const round of [1, 2]) {
    for (const group of groups) {
      if (!group.concerns(review.request)) continue;
      const turn = await group.begin(withObject(review, object));
      for (const mutator of turn.mutators) {
        if (round === 2 && !rounds.isAgain(mutator)) continue;
        const asked = await mutator.ask(withObject(review, object), waiting).catch(refusedBy);
        if (asked === undefined) continue;
        warnings.push(...asked.warnings);
        if (asked.denial !== undefined) return { allowed: false, status: asked.denial, warnings };
        if (mutator.isReinvoked && mutator.mindsItself) rounds.asked(mutator);
        if (asked.object !== undefined) rounds.changed();
        if (mutator.isReinvoked && !mutator.mindsItself) rounds.asked(mutator);
        if (asked.object === undefined) continue;
        object = review.complete(asked.object);
        if (!isSame(object, asked.object)) rounds.changed();
      }
      const denial = turn.end?.();
      if (denial !== undefined) return { allowed: false, status: denial, warnings };
    }
    if (!rounds.isNeeded()) break;
  }
  return { allowed: true, warnings, ...(object !== undefined && object !== review.object && { object }) };
}

/** Somebody who had to be asked and could not be says no; what others warn of is told all the same. */
export function refusedBy(error: unknown): Asked {
  if (error instanceof StatusError) return { warnings: [], denial: error.status };
  throw error;
}

function withObject(review: Review, object: KubeObject | undefined): Review {
  return { ...review, ...(object && { object }) };
}

interface Rounds {
  /** The object is another now: who was asked before wants to see it. */
  changed(): void;
  asked(mutator: Mutator): void;
  isNeeded(): boolean;
  isAgain(mutator: Mutator): boolean;
}

function createRounds(): Rounds {
  let before = new Set<string>();
  const again = new Set<string>();
  return {
    changed() {
      for (const id of before) again.add(id);
      before = new Set();
    },
    asked: ({ id }) => before.add(id),
    isNeeded: () => again.size > 0,
    isAgain: ({ id }) => again.has(id),
  };
}

/** Defaults and rules have left it alone. What the server gives every object does not count. */
function isSame(completed: KubeObject, patched: KubeObject): boolean {
  const plain = (object: KubeObject): object => ({
    ...without(object as unknown as JsonObject, ['metadata']),
    labels: object.metadata?.labels,
    annotations: object.metadata?.annotations,
  });
  return equal(plain(completed), plain(patched));
}
