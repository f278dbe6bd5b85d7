import type { Owners } from '../../api/apply/managers.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { GetOperation, ListOperation, Operation, User, Waiting } from '../../api/operation.ts';
import type { Stored } from '../../store/store.ts';
import { OtherForms } from './other-forms.ts';
import type { Served } from './registry.ts';

/** A request to change one object, as every stage of a write sees it. */
export interface WriteRequest {
  readonly served: Served;
  /** `connect` changes nothing: it leads into a pod, or to what stands behind one. */
  readonly verb: 'create' | 'update' | 'patch' | 'delete' | 'connect';
  /** The door that it comes in by; undefined for the main one. */
  readonly subresource: string | undefined;
  readonly user: User;
  /** Whose fields those are that it sets. Unknown for what the server does itself and for programs that give no name. */
  readonly manager: string | undefined;
  /** Who owns what afterwards, where that is decided before the object is drafted: by an apply, or before reviewers changed it. */
  readonly owners?: Owners;
  /** How owners see the object in other versions, where somebody has to be asked for that. */
  readonly forms?: OtherForms;
  readonly dryRun: boolean;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Its answer is sent as JSON. */
  readonly wantsJson?: boolean;
  /** Shown to the user; every stage may add to them. */
  readonly warnings: string[];
  /** What was asked for, its options among it. Absent for what the server does of its own accord. */
  readonly operation?: AskedOperation;
}

export type AskedOperation = Exclude<Operation, ListOperation>;

/** What an operation asks to be written. */
export function writeRequest(
  served: Served,
  operation: Exclude<AskedOperation, GetOperation>,
  { signal, wantsJson }: Waiting,
): WriteRequest {
  const { user, agent, options } = operation;
  return {
    served,
    verb: operation.verb === 'deletecollection' ? 'delete' : operation.verb,
    subresource: 'subresource' in operation ? operation.subresource : undefined,
    user,
    manager: ('fieldManager' in options ? options.fieldManager : undefined) ?? agent,
    ...(served.conversion.convert !== undefined && { forms: new OtherForms() }),
    dryRun: options.dryRun === true,
    signal,
    ...(wantsJson === true && { wantsJson }),
    warnings: [],
    operation,
  };
}

/** One write that was found good, on its way to the store. Objects are in the form of the served version. */
export interface ObjectWrite {
  readonly request: WriteRequest;
  readonly key: string;
  /** What it was made from. Absent: the object is new. */
  readonly before?: Before;
  readonly after: KubeObject;
  /** Makes of `after` what is stored with this revision, frozen, where that takes fewer copies than usual. */
  versioned?(this: void, revision: number): KubeObject;
  /** Whether the object ends with this write; `after` is what watchers see last. */
  readonly ends: boolean;
}

export interface Before {
  readonly stored: Stored;
  readonly object: KubeObject;
}
