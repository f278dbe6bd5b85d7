import type { Caches } from '../client/cache.ts';
import type { Action } from '../runtime/plan.ts';
import type { VolumeChoice } from './volumes/held-volumes.ts';

/** What has to come about before a pod may be bound to the node that was chosen: plain data, but for the question how far it is. */
export interface Groundwork {
  /** The plugin that asks for it. */
  readonly by: string;
  /** For messages: `binding volumes`. */
  readonly doing: string;
  /** Nobody else gets it meanwhile. */
  readonly holds: readonly VolumeChoice[];
  /** One after the other; the first that fails ends it. */
  readonly actions: readonly Action[];
  /** Asked once the caches show what was written, and after every change of what the plugin reads. */
  standing(caches: Caches): Standing;
  readonly limitMs: number;
}

export type Standing = 'done' | 'waits' | { readonly failed: string };
