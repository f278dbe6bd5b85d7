import { expect, test } from 'vitest';
import { prometheus, readConfig } from '../../../testing/job.ts';

const long = (length: number): string => 'a'.repeat(length);
const named = (name: string, spec: object): object => ({
  ...prometheus(spec),
  metadata: { name, namespace: 'monitoring' },
});

test.each<[string, object, string | undefined]>([
  [long(41), {}, undefined],
  [long(42), {}, 'the name becomes a label of every shard and may not be longer than 41 characters'],
  [long(33), { shards: 2 }, undefined],
  [long(34), { shards: 2 }, 'the name becomes a label of every shard and may not be longer than 33 characters'],
  [long(33), { shards: 11 }, 'the name becomes a label of every shard and may not be longer than 32 characters'],
  ['team.main', {}, 'the name becomes the name of a volume, which has no dots'],
])('a root called %s with %j', (name, spec, problem) => {
  expect(readConfig([named(name, spec)]).findings).toEqual(
    problem === undefined ? [] : [`Prometheus monitoring/${name}: metadata.name: ${problem}`],
  );
});
