import { expect, test } from 'vitest';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { type HealthFacts, healthChecks, reportFailures } from './health.ts';

const well: HealthFacts = {
  phase: 'running',
  storeFailure: undefined,
  unsynced: [],
  parts: [
    { name: 'fleet', is: 'running', reason: undefined },
    { name: 'telemetry', is: 'running', reason: undefined },
  ],
  hooks: [{ name: 'poststarthook/x' }],
};

function failures(probe: 'livez' | 'readyz', facts: Partial<HealthFacts>): readonly string[] {
  return healthChecks(probe, { ...well, ...facts }).flatMap(({ name, failure }) =>
    failure === undefined ? [] : [`${name}: ${failure}`],
  );
}

test('each part has its check, and the others have upstream’s names', () => {
  const names = (probe: 'livez' | 'readyz' | 'healthz'): string =>
    healthChecks(probe, well)
      .map(({ name }) => name)
      .join(' ');
  expect(names('readyz')).toBe(
    'ping etcd etcd-readiness informer-sync poststarthook/x component/fleet component/telemetry shutdown',
  );
  expect(names('livez')).toBe('ping etcd poststarthook/x component/fleet component/telemetry');
  expect(names('healthz')).toBe(names('livez'));
});

const dying = (is: 'restarting' | 'failed'): Partial<HealthFacts> => ({
  parts: [{ name: 'fleet', is, reason: 'a bug' }],
});

test.each<[string, Partial<HealthFacts>, readonly string[], readonly string[]]>([
  ['all is well', {}, [], []],
  [
    'the disk is full',
    { storeFailure: 'no space' },
    ['etcd: no space', 'etcd-readiness: no space'],
    ['etcd: no space'],
  ],
  ['a part starts again', dying('restarting'), ['component/fleet: it died and starts again soon: a bug'], []],
  ['a part is given up', dying('failed'), ['component/fleet: a bug'], ['component/fleet: a bug']],
  ['a cache is empty', { unsynced: ['pods'] }, ['informer-sync: not in the caches yet: pods'], []],
  ['it is starting', { phase: 'starting' }, ['informer-sync: the cluster is starting'], []],
  [
    'a start is not done',
    { hooks: [{ name: 'poststarthook/x', failure: 'not finished' }] },
    ['poststarthook/x: not finished'],
    ['poststarthook/x: not finished'],
  ],
  ['it is ending', { phase: 'ending' }, ['shutdown: the cluster is ending'], []],
])('%s', (_, facts, ready, live) => {
  expect(failures('readyz', facts)).toEqual(ready);
  expect(failures('livez', facts)).toEqual(live);
});

test('the first failure of the store is told, then one a minute', async () => {
  const clock = createVirtualClock();
  const told: string[] = [];
  const failed = reportFailures({ clock, report: ({ component, message }) => told.push(`${component}: ${message}`) });
  const fail = (message: string): void => failed({ message });
  fail('the disk is full');
  fail('still');
  await clock.advance(59_999);
  fail('still');
  await clock.advance(1);
  fail('full again');
  expect(told).toEqual(['store: the disk is full', 'store: full again']);
});
