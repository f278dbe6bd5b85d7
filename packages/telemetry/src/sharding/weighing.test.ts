import { expect, test } from 'vitest';
import { hashedShard } from '../relabel/execute.ts';
import { xxhash64 } from '../relabel/xxhash.ts';
import type { HashOf } from './held-hash.ts';
import { firstMapping } from './mapping.ts';
import type { HeldTarget } from './targets-page.ts';
import { type Measure, metricsOfJobs, samplesIn, steadyLoads, type WeighedShard, weighedSlots } from './weighing.ts';

const mapping = firstMapping({ slots: 32, shards: 2 });
const xx: HashOf = (text, modulus) => Number(xxhash64(text) % BigInt(modulus));
const texts = Array.from({ length: 40 }, (_, index) => `10.0.0.${index}:9100`);
const of = ({ samples }: HeldTarget): number | undefined => samples;

/** Every target where the hash puts it; each tenth has a thousand samples and is of another job. */
function shards(hash: HashOf, measure: Measure = { in: 'samples', of }): readonly WeighedShard[] {
  const isHeavy = (index: number): boolean => index % 10 === 0;
  return [0, 1].map((shard) => ({
    shard,
    measure,
    held: texts.flatMap((text, index) =>
      hash(text, 32) % 2 !== shard
        ? []
        : [
            {
              ...{ id: text, text, job: isHeavy(index) ? 'heavy' : 'light', labels: { instance: text } },
              ...{ isScraped: true, isUp: true, samples: isHeavy(index) ? 1_000 : 10 },
            },
          ],
    ),
  }));
}

function expected(hash: HashOf, weight: (index: number) => number): readonly number[] {
  const loads = Array.from({ length: 32 }, () => 0);
  for (const [index, text] of texts.entries()) loads[hash(text, 32)] = (loads[hash(text, 32)] ?? 0) + weight(index);
  return loads;
}

test.each([
  ['Prometheus', hashedShard],
  ['vmagent', xx],
])('slots weigh what the targets have that %s hashes to them', (_, hash) => {
  expect(weighedSlots(shards(hash), mapping)).toEqual({
    in: 'samples',
    loads: expected(hash, (index) => (index % 10 === 0 ? 1_000 : 10)),
  });
});

test('a target that is down weighs as much as others of its job', () => {
  const down = shards(hashedShard).map((each) => ({
    ...each,
    held: each.held.map((target) => (target.text === texts[20] ? { ...target, isUp: false, samples: 0 } : target)),
  }));
  expect(weighedSlots(down, mapping)).toEqual(weighedSlots(shards(hashedShard), mapping));
});

test('where metrics of jobs are all that is known, all targets of a job weigh alike, whoever has them', () => {
  const byJobs = shards(hashedShard).map((each): WeighedShard => {
    const heavy = each.held.filter(({ job }) => job === 'heavy').length;
    return {
      ...each,
      measure: {
        in: 'metrics',
        ofJobs: new Map([
          ['heavy', each.shard * 400 + heavy],
          ['light', each.held.length - heavy],
        ]),
      },
    };
  });
  expect(weighedSlots(byJobs, mapping)?.loads).toEqual(expected(hashedShard, (index) => (index % 10 === 0 ? 101 : 1)));
  expect(weighedSlots(shards(hashedShard, { in: 'targets' }), mapping)?.loads).toEqual(expected(hashedShard, () => 1));
});

test('nothing can be told when a shard is missing, speaks of something else, or has targets of nobody knows which slot', () => {
  const [first, second] = shards(hashedShard);
  if (first === undefined || second === undefined) throw new Error('there are two');
  expect(weighedSlots([first], mapping)).toBeUndefined();
  expect(weighedSlots([first, { ...second, measure: { in: 'targets' } }], mapping)).toBeUndefined();
  expect(
    weighedSlots(
      [
        { ...first, held: second.held },
        { ...second, held: first.held },
      ],
      mapping,
    ),
  ).toBeUndefined();
  // A shard that has nothing says so.
  const one = { shards: 2, owners: mapping.owners.map(() => 0) };
  const all = { ...first, held: [...first.held, ...second.held] };
  expect(weighedSlots([all, { shard: 1, held: [], measure: { in: 'targets' } }], one)?.loads).toEqual(
    weighedSlots(shards(hashedShard), mapping)?.loads,
  );
});

test('Prometheus tells the samples of each target by its labels', () => {
  const metric = { __name__: 'scrape_samples_post_metric_relabeling', instance: 'a:80', job: 'web' };
  const told = samplesIn({ data: { resultType: 'vector', result: [{ metric, value: [1, '12'] }] } });
  const [first] = shards(hashedShard).flatMap(({ held }) => held);
  if (first === undefined) throw new Error('there is one');
  expect(told?.({ ...first, labels: { job: 'web', instance: 'a:80' } })).toBe(12);
  expect(told?.({ ...first, labels: { job: 'web' } })).toBeUndefined();
  for (const page of [undefined, { status: 'error' }, { data: { resultType: 'matrix', result: [] } }])
    expect(samplesIn(page)).toBeUndefined();
});

test('an agent tells how many metrics the targets of each job have', () => {
  const page = [
    '# TYPE prometheus_target_metadata_cache_entries gauge',
    'prometheus_target_metadata_cache_bytes{scrape_job="a"} 9000',
    'prometheus_target_metadata_cache_entries{scrape_job="a"} 120',
    'prometheus_target_metadata_cache_entries{instance="x",scrape_job="b\\"c"} 7',
    'prometheus_target_metadata_cache_entries{instance="y",scrape_job="b\\"c"} 1e1',
  ].join('\n');
  expect([...metricsOfJobs(page)]).toEqual([
    ['a', 120],
    ['b"c', 17],
  ]);
});

test('what was otherwise for a moment does not count, nor what was seen for less than half an hour', () => {
  const [usual, outage] = [
    [10, 20],
    [0, 90],
  ];
  expect(steadyLoads([usual, usual, usual, usual, usual, usual])).toBeUndefined();
  expect(steadyLoads([usual, outage, usual, outage, outage, usual, usual])).toEqual(usual);
});
