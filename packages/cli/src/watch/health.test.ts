import { expect, test } from 'vitest';
import {
  formatChecks,
  loopLateMsMax,
  type OperatorFacts,
  operatorChecks,
  queueStuckMs,
  unreachableMsMax,
} from './health.ts';
import type { NamedQueue } from './queues.ts';

const working: OperatorFacts = {
  phase: 'working',
  unsynced: [],
  hasBegun: true,
  parts: [{ name: 'telemetry-operator', is: 'running', reason: undefined }],
  queues: [],
  loopLateMs: 0,
  unreachableMs: 0,
};
const queue = (waits: Partial<NamedQueue>): readonly NamedQueue[] => [
  { component: 'prometheus', size: 3, failing: 0, oldestAgeMs: 0, restingMs: 0, ...waits },
];
const stuck = { oldestAgeMs: queueStuckMs + 1_000, restingMs: queueStuckMs + 1_000 };
const gone = { name: 'telemetry-operator', is: 'failed', reason: 'it died 5 times: no such thing' } as const;
const back = { name: 'telemetry-operator', is: 'restarting', reason: 'no such thing' } as const;

test.each<[string, Partial<OperatorFacts>, readonly string[], readonly string[]]>([
  ['it works', {}, [], []],
  ['it waits for the lease', { phase: 'waiting', hasBegun: false, parts: [] }, [], []],
  ['it starts', { phase: 'starting', hasBegun: false, parts: [] }, [], ['started: it is starting']],
  ['caches begin to fill', { hasBegun: false }, [], ['informer-sync: the caches are being filled']],
  ['a list has not come', { unsynced: ['pods'] }, [], ['informer-sync: not in the caches yet: pods']],
  ['the API is away for a moment', { unreachableMs: unreachableMsMax }, [], []],
  [
    'the API is away for long',
    { unreachableMs: unreachableMsMax + 1_000 },
    [],
    ['api: the API server has not answered for 61 s'],
  ],
  [
    'a part starts again',
    { parts: [back] },
    [],
    ['component/telemetry-operator: it died and starts again soon: no such thing'],
  ],
  [
    'a part was given up',
    { parts: [gone] },
    ['component/telemetry-operator: it died 5 times: no such thing'],
    ['component/telemetry-operator: it died 5 times: no such thing'],
  ],
  ['timers come late', { loopLateMs: loopLateMsMax + 1_000 }, ['event-loop: timers come 21 s late'], []],
  ['a queue is long and moves', { queues: queue({ ...stuck, restingMs: 10 }) }, [], []],
  ['a queue rests because it is empty', { queues: queue({ ...stuck, oldestAgeMs: 0 }) }, [], []],
  ['a queue is stuck', { queues: queue(stuck) }, ['queues: prometheus: 3 wait, and none has ended for 601 s'], []],
  ['it ends', { phase: 'ending' }, [], ['shutdown: it is ending']],
])('%s', (_, facts, healthz, readyz) => {
  const failures = (probe: 'healthz' | 'readyz'): readonly string[] =>
    operatorChecks(probe, { ...working, ...facts }).flatMap(({ name, failure }) =>
      failure === undefined ? [] : [`${name}: ${failure}`],
    );
  expect({ healthz: failures('healthz'), readyz: failures('readyz') }).toEqual({ healthz, readyz });
});

test('a probe says all when something is wrong, or when it is asked', () => {
  const well = [{ name: 'ping' }];
  expect(formatChecks('readyz', well, { isVerbose: false })).toEqual({ isWell: true, text: 'ok' });
  expect(formatChecks('readyz', well, { isVerbose: true }).text).toBe('[+]ping ok\nreadyz check passed\n');
  const ill = [...well, { name: 'api', failure: 'away' }];
  expect(formatChecks('readyz', ill, { isVerbose: false })).toEqual({
    isWell: false,
    text: '[+]ping ok\n[-]api failed: away\nreadyz check failed\n',
  });
});
