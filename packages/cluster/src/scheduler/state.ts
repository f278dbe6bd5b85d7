import type { Random } from '../base/random.ts';
import type { Platform } from '../runtime/component.ts';
import type { SchedulerFigure } from '../runtime/plane-figures.ts';
import type { Budgets } from './budgets.ts';
import type { Memory } from './memory.ts';
import type { Outcomes } from './outcome.ts';
import type { Profile } from './profile.ts';
import type { SchedulingQueue } from './queue.ts';
import type { LiveSnapshot } from './snapshot.ts';

/** A profile at work. */
export interface Working {
  readonly profile: Profile;
  /** Says what comes of pods in the name of the profile. */
  readonly outcomes: Outcomes;
  readonly memory: Memory;
  /** Undefined: nobody counts. */
  readonly figure: SchedulerFigure | undefined;
}

/** What a scheduler has in hand. */
export interface State {
  readonly platform: Platform;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** By the name under which pods ask for them. */
  readonly profiles: ReadonlyMap<string, Working>;
  readonly queue: SchedulingQueue;
  readonly snapshot: LiveSnapshot;
  budgets: Budgets;
  /** Called when something changed that plugins read: by who waits for more than a place. */
  readonly attentive: Set<() => void>;
  /** Pods for which something is done before they are bound, and how to end that when they are gone. */
  readonly underWay: Map<string, () => void>;
}
