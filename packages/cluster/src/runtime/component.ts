import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Informers } from '../client/informers.ts';
import type { Transport } from '../client/transport.ts';
import type { RuntimeObserver } from './observer.ts';
import type { PlaneFigures } from './plane-figures.ts';

/** What every long-running part of the plane is given. */
export interface Platform {
  readonly transport: Transport;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  /** Called with what went wrong and was survived; never with a secret's value. */
  report(problem: Problem): void;
  /** Counts what the parts do, where somebody may ask. */
  readonly figures?: PlaneFigures;
  /** Sees what the parts do. */
  readonly observer?: RuntimeObserver;
}

export interface Problem {
  readonly component: string;
  readonly message: string;
  readonly error?: unknown;
}

/** A part of the plane that runs until its signal aborts. */
export interface Component {
  readonly name: string;
  /**
   * Resolves after the signal aborts and everything that it started has ended. One that rejects, or resolves before that,
   * has died: it is made anew and starts again.
   */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}
