import type { Clock } from '../base/clock.ts';
import type { Problem } from './component.ts';
import type { PartState } from './supervisor.ts';

export interface HealthFacts {
  readonly phase: 'starting' | 'running' | 'ending';
  /** Why writes would not become durable now. */
  readonly storeFailure: string | undefined;
  /** Resources whose first list has not come. */
  readonly unsynced: readonly string[];
  readonly parts: readonly PartState[];
  /** What a start has to do besides. */
  readonly hooks: readonly NamedCheck[];
}

/** One line of `/readyz?verbose`. */
export interface NamedCheck {
  readonly name: string;
  readonly failure?: string;
}

/**
 * The checks behind a probe, pure. Names are upstream's where it has them: whoever watches a control plane looks for `etcd`
 * to learn of its storage. Each part of the plane has one: a part that starts again makes the plane not ready, only one
 * that is given up makes it dead.
 */
export function healthChecks(
  probe: 'livez' | 'readyz' | 'healthz',
  { phase, storeFailure, unsynced, parts, hooks }: HealthFacts,
): readonly NamedCheck[] {
  const store = [{ name: 'ping' }, check('etcd', storeFailure)];
  if (probe !== 'readyz')
    return [
      ...store,
      ...hooks,
      ...parts.map(({ name, is, reason }) => check(partCheck(name), is === 'failed' ? reason : undefined)),
    ];
  const waiting = unsynced.length === 0 ? undefined : `not in the caches yet: ${unsynced.join(', ')}`;
  return [
    ...store,
    check('etcd-readiness', storeFailure),
    check('informer-sync', phase === 'starting' ? 'the cluster is starting' : waiting),
    ...hooks,
    ...parts.map(({ name, is, reason }) =>
      check(partCheck(name), is === 'restarting' ? `it died and starts again soon: ${reason}` : reason),
    ),
    check('shutdown', phase === 'ending' ? 'the cluster is ending' : undefined),
  ];
}

function partCheck(name: string): string {
  return `component/${name}`;
}

function check(name: string, failure: string | undefined): NamedCheck {
  return failure === undefined ? { name } : { name, failure };
}

const reportEveryMs = 60_000;

/** Reports failures of the store: the first, then no more than one a minute, because a full disk fails every write. */
export function reportFailures({
  clock,
  report,
}: {
  readonly clock: Clock;
  readonly report: (problem: Problem) => void;
}): (failure: { readonly message: string }) => void {
  let nextMs = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    const nowMs = clock.nowMs();
    if (nowMs < nextMs) return;
    nextMs = nowMs + reportEveryMs;
    report({ component: 'store', message });
  };
}
