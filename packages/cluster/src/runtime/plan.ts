import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject, New } from '../api/meta.ts';
import type { DeleteOptions, PatchType } from '../api/operation.ts';

/** What a controller wants done. Plain data: print it, compare it. */
export interface Plan<Memory = undefined> {
  /**
   * Done in this order. Neighbouring creates run in slow-start batches (1, 2, 4, … at once; a failure skips the rest of
   * them), neighbouring deletes run at once, everything else one by one. A failure does not keep later actions from
   * running, except inside `inOrder`. Afterwards any failure means: try again later, with back-off.
   */
  readonly actions: readonly Action[];
  /** Look again after this many milliseconds even if nothing changes. */
  readonly againInMs?: number | undefined;
  readonly memory?: Memory | undefined;
}

export const nothingToDo: Plan<never> = Object.freeze({ actions: [] });

/** The closed union of everything that controllers do to the API. Only the executor performs it. */
export type Action = Create | Update | SetStatus | Patch | Delete | Emit | InOrder;

export interface Create {
  readonly do: 'create';
  readonly type: ResourceType;
  readonly object: New<KubeObject>;
  readonly announce?: Announcement;
  /** Reasons of a refusal that count as done, e.g. `AlreadyExists`. */
  readonly unless?: readonly string[];
}

/** Replaces the object; fails with a conflict when it has changed since it was observed. */
export interface Update {
  readonly do: 'update';
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly announce?: Announcement;
}

/** Replaces the status through its own door; fails with a conflict when the object has changed since. */
export interface SetStatus {
  readonly do: 'setStatus';
  readonly type: ResourceType;
  readonly object: KubeObject;
}

export interface Patch {
  readonly do: 'patch';
  readonly type: ResourceType;
  /** The object as observed: its uid is the precondition. */
  readonly target: KubeObject;
  readonly patchType: PatchType;
  readonly body: unknown;
  readonly subresource?: string;
  readonly announce?: Announcement;
  /**
   * For whom it is done. The API is asked for it before anything of the plan is: one that is gone, that is going or that another
   * of its name has followed ends the whole run with a conflict. For those who take what belongs to nobody.
   */
  readonly onBehalfOf?: OnBehalfOf;
}

export interface OnBehalfOf {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** The uid of `target` is always a precondition. Not found counts as done. */
export interface Delete {
  readonly do: 'delete';
  readonly type: ResourceType;
  readonly target: KubeObject;
  readonly options?: DeleteOptions;
  readonly announce?: Announcement;
}

/** An Event about an object. */
export interface Emit {
  readonly do: 'emit';
  /** Whose word it is, where it is not the controller's own. */
  readonly source?: string;
  readonly regarding: KubeObject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** Each only after the one before succeeded. */
export interface InOrder {
  readonly do: 'inOrder';
  readonly actions: readonly Action[];
}

/**
 * Events about how an action went, on the object on whose behalf it was done. In the notes `{name}` stands for the
 * object's final name and `{error}` for the API's message.
 */
export interface Announcement {
  readonly regarding: KubeObject;
  readonly done?: Words;
  /** One event for each. */
  readonly failed?: Words | readonly Words[];
  /** Reasons of a refusal that nobody is told of, e.g. `AlreadyExists`: it is tried again all the same. */
  readonly unsaid?: readonly string[];
}

export interface Words {
  readonly reason: string;
  readonly note: string;
}
