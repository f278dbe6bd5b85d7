import { jsonAnswer } from './codec/answer.ts';
import type { Route } from './route.ts';

/** What is shown of who gives pods their nodes. */
export interface SchedulerFacts {
  /** False: no scheduler runs in this process. */
  readonly runs: boolean;
  /** The `KubeSchedulerConfiguration` that it was given; absent where there is none. */
  readonly configuration?: unknown;
  /** Names of the plugins that this process brings along. Their rules are code, which nobody else has. */
  readonly ownPlugins?: readonly string[];
}

export interface ShownScheduler {
  readonly configuration?: unknown;
  readonly plugins?: readonly { readonly name: string }[];
}

/** `GET /signalbox/scheduler` tells by which rules pods get their nodes, so that who explains them from outside asks the same. */
export function schedulerRoute(scheduler: ShownScheduler | undefined): Route {
  const { configuration, plugins = [] } = scheduler ?? {};
  const facts: SchedulerFacts = {
    runs: scheduler !== undefined,
    ...(configuration !== undefined && { configuration }),
    ...(plugins.length > 0 && { ownPlugins: plugins.map(({ name }) => name) }),
  };
  return {
    path: '/signalbox/scheduler',
    covers: 'path',
    methods: ['GET'],
    seat: 'none',
    answer: () => jsonAnswer(200, facts),
  };
}
