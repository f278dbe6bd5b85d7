import type { NamedCheck, PartState } from '@signalbox/cluster';
import type { NamedQueue } from './queues.ts';

export interface OperatorFacts {
  /** `waiting`: another one holds the lease. */
  readonly phase: 'ending' | 'starting' | 'waiting' | 'working';
  /** Resources whose first list has not come. */
  readonly unsynced: readonly string[];
  /** Some part has its caches. */
  readonly hasBegun: boolean;
  readonly parts: readonly PartState[];
  readonly queues: readonly NamedQueue[];
  readonly loopLateMs: number;
  readonly unreachableMs: number;
}

/** Timers that come this late mean that next to nothing is done. */
export const loopLateMsMax = 20_000;
/** A request has an answer or an error after a minute, so a queue whose keys wait moves within ten. */
export const queueStuckMs = 600_000;
/** A restart brings no API server back; one that is not ready is seen. */
export const unreachableMsMax = 60_000;

/** The checks behind a probe, pure. `healthz` fails where a new process would do better, `readyz` where this one cannot do its work. */
export function operatorChecks(probe: 'healthz' | 'readyz', facts: OperatorFacts): readonly NamedCheck[] {
  return probe === 'healthz' ? healthChecks(facts) : readyChecks(facts);
}

function healthChecks({ parts, queues, loopLateMs }: OperatorFacts): readonly NamedCheck[] {
  const stuck = queues.filter(({ oldestAgeMs, restingMs }) => Math.min(oldestAgeMs, restingMs) > queueStuckMs);
  return [
    check('ping', undefined),
    check('event-loop', loopLateMs > loopLateMsMax ? `timers come ${seconds(loopLateMs)} late` : undefined),
    check(
      'queues',
      stuck.length === 0
        ? undefined
        : stuck
            .map(
              ({ component, size, restingMs }) =>
                `${component}: ${size} wait, and none has ended for ${seconds(restingMs)}`,
            )
            .join('; '),
    ),
    ...parts.map(({ name, is, reason }) => check(`component/${name}`, is === 'failed' ? reason : undefined)),
  ];
}

function readyChecks({ phase, unsynced, hasBegun, parts, unreachableMs }: OperatorFacts): readonly NamedCheck[] {
  const isSyncing = phase === 'working' && (!hasBegun || unsynced.length > 0);
  const missing =
    unsynced.length === 0 ? 'the caches are being filled' : `not in the caches yet: ${unsynced.join(', ')}`;
  return [
    check('started', phase === 'starting' ? 'it is starting' : undefined),
    check('informer-sync', isSyncing ? missing : undefined),
    check(
      'api',
      unreachableMs > unreachableMsMax ? `the API server has not answered for ${seconds(unreachableMs)}` : undefined,
    ),
    ...parts.map(({ name, is, reason }) =>
      check(`component/${name}`, is === 'restarting' ? `it died and starts again soon: ${reason}` : reason),
    ),
    check('shutdown', phase === 'ending' ? 'it is ending' : undefined),
  ];
}

function check(name: string, failure: string | undefined): NamedCheck {
  return failure === undefined ? { name } : { name, failure };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

/** As API servers answer: all checks when one fails, or when they are asked for. */
export function formatChecks(
  probe: 'healthz' | 'readyz',
  checks: readonly NamedCheck[],
  { isVerbose }: { readonly isVerbose: boolean },
): { readonly isWell: boolean; readonly text: string } {
  const isWell = checks.every(({ failure }) => failure === undefined);
  if (isWell && !isVerbose) return { isWell, text: 'ok' };
  const lines = checks.map(({ name, failure }) =>
    failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${failure}`,
  );
  return { isWell, text: `${[...lines, `${probe} check ${isWell ? 'passed' : 'failed'}`].join('\n')}\n` };
}
