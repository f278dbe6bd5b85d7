import { afterEach, beforeEach, expect, test } from 'vitest';
import { configmaps } from '../api/generated/kinds.ts';
import { failure, StatusError } from '../api/status.ts';
import { controllerUser } from '../api/system-identities.ts';
import { createTestPlane, type TestPlane } from '../testing/plane.ts';
import { createKeyedWork, type KeyedWork, type RunContext } from './keyed-work.ts';
import type { Create } from './plan.ts';

let plane: TestPlane;
beforeEach(async () => {
  plane = await createTestPlane();
  await plane.platform.informers.sync([configmaps], { signal: plane.signal });
});
afterEach(() => plane.close());

function start(handle: (key: string, context: RunContext) => Promise<number | undefined>): KeyedWork {
  const work = createKeyedWork({
    name: 'tester',
    user: controllerUser('tester'),
    platform: plane.platform,
    workers: 2,
    handle,
  });
  plane.start({ name: 'tester', run: work.run });
  return work;
}

const creation = (name: string): Create => ({
  do: 'create',
  type: configmaps,
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } },
});

test('what was performed is in the caches when it is over, however much it is', async () => {
  const cached: number[] = [];
  const work = start(async (_, { perform }) => {
    await perform(Array.from({ length: 200 }, (_item, index) => creation(`c-${index}`)));
    cached.push(plane.platform.informers.of(configmaps).size);
    return undefined;
  });
  work.add('a');
  await plane.clock.settle();
  expect(cached).toEqual([200]);
});

test('one refusal does not keep the others from being done; it is reported, and the run is tried again', async () => {
  let runs = 0;
  const work = start(async (_, { perform }) => {
    runs++;
    if (runs === 1) await perform([creation('Not A Name'), creation('good')]);
    return undefined;
  });
  work.add('a');
  await plane.clock.advance(1_000);
  expect(await plane.names(configmaps, 'default')).toEqual(['good']);
  expect([runs, plane.problems.map(({ component, message }) => `${component}: ${message}`)]).toEqual([
    2,
    ['tester: cannot finish a'],
  ]);
});

test.each(['Conflict', 'NotFound'] as const)('%s is tried again without a word', async (reason) => {
  let runs = 0;
  const work = start(() => {
    runs++;
    if (runs < 3) return Promise.reject(new StatusError(failure(409, reason, 'outrun')));
    return Promise.resolve(undefined);
  });
  work.add('a');
  await plane.clock.advance(10_000);
  expect([runs, plane.problems]).toEqual([3, []]);
});

test('a run may ask to be run again', async () => {
  const atMs: number[] = [];
  const work = start(() => {
    atMs.push(plane.clock.nowMs());
    return Promise.resolve(atMs.length < 3 ? 5_000 : undefined);
  });
  work.add('a');
  await plane.clock.advance(60_000);
  expect(atMs.map((at) => at - (atMs[0] ?? 0))).toEqual([0, 5_000, 10_000]);
});
