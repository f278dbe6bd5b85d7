import type { Client, KubeObject } from '@signalbox/cluster';
import { createVirtualClock, type VirtualClock } from '@signalbox/cluster/testing';
import { beforeEach, expect, test } from 'vitest';
import { hashedShard } from '../relabel/execute.ts';
import { toYamlText } from '../scrape/yaml.ts';
import type { AgentQuestion } from '../sharding/agents.ts';
import { firstMapping } from '../sharding/mapping.ts';
import { placementRules, slotWay } from '../sharding/placement.ts';
import { toLevels } from '../sharding/weights.ts';
import { createWeigher, type WeighAsking, type Weigher } from './weigher.ts';

const mapping = firstMapping({ slots: 16, shards: 2 });
const addresses = Array.from({ length: 30 }, (_, index) => `10.0.0.${index}:9100`);
const ask = (pod: string): AgentQuestion => ({
  ...{ namespace: 'shop', pod, scheme: 'http', port: 9090, prefix: '', speaks: 'prometheus' },
});
const section = {
  job_name: 'web',
  relabel_configs: placementRules([slotWay(mapping)], { source: '__address__', takesWishes: true }),
};
const asking: WeighAsking = {
  mapping,
  weights: undefined,
  shards: [[ask('web-0'), ask('web-1')], [ask('web-shard-1-0')]],
  jobs: () => [{ names: ['web'], texts: [toYamlText(section)], ownRules: [new Map()] }],
};

let calls: string[];
let silent: ReadonlySet<string>;
let clock: VirtualClock;
let weigher: Weigher;
let woken: string[];
let stop: AbortController;
let whileAsked: () => void;
/** How many samples a target has by the word of a Prometheus; undefined: it is an agent. */
let samples: ((address: string) => number) | undefined;

/** Pages of pods, each of which has its shard's targets. */
const client = {
  get: async (_type: unknown, { name, below }: { readonly name: string; readonly below: string }) => {
    calls.push(`${name} ${below}`);
    whileAsked();
    if (silent.has(name)) throw new Error('nobody there');
    const shard = name.includes('shard-1') ? 1 : 0;
    const own = addresses.filter((address) => hashedShard(address, 16) % 2 === shard);
    const vector = own.map((instance) => ({ metric: { instance }, value: [1, String(samples?.(instance))] }));
    const pages: Readonly<Record<string, object>> = {
      '/api/v1/targets': {
        data: {
          activeTargets: own.map((address) => ({
            ...{ discoveredLabels: { job: 'web', __address__: address }, labels: { instance: address }, health: 'up' },
          })),
        },
      },
      '/metrics': { message: 'prometheus_target_metadata_cache_entries{scrape_job="web"} 150\n' },
      ...(samples !== undefined && { '/api/v1/query': { data: { resultType: 'vector', result: vector } } }),
    };
    const page = pages[below];
    if (page === undefined) throw new Error('unavailable with Prometheus Agent');
    return page as KubeObject;
  },
} as unknown as Client;

beforeEach(() => {
  [calls, woken, silent, whileAsked] = [[], [], new Set(), () => undefined];
  samples = (address) => (address.endsWith('7:9100') ? 500 : 5);
  clock = createVirtualClock({ startMs: 0 });
  stop = new AbortController();
  weigher = createWeigher({ client, clock, signal: stop.signal });
  weigher.onNews((key) => woken.push(key));
});

const minuteMs = 60_000;

test('one agent of each shard is asked every five minutes, and its root woken after half an hour', async () => {
  weigher.follow('shop/main', asking);
  await clock.advance(4 * minuteMs);
  expect(calls).toEqual([]);
  await clock.advance(minuteMs);
  expect(calls.toSorted()).toEqual([
    'web-0:9090 /api/v1/query',
    'web-0:9090 /api/v1/targets',
    'web-shard-1-0:9090 /api/v1/query',
    'web-shard-1-0:9090 /api/v1/targets',
  ]);
  await clock.advance(25 * minuteMs);
  expect(weigher.loadsOf('shop/main')).toBeUndefined();
  expect(woken).toEqual([]);
  await clock.advance(5 * minuteMs);
  expect(woken).toEqual(['shop/main']);
  const loads = weigher.loadsOf('shop/main') ?? [];
  expect(loads.reduce((sum, each) => sum + each, 0)).toBe(27 * 5 + 3 * 500);
  // What is remembered is no news.
  weigher.follow('shop/main', { ...asking, weights: toLevels(loads) });
  await clock.advance(60 * minuteMs);
  expect(woken).toHaveLength(1);
  expect(calls.length).toBeLessThanOrEqual(4 * 20);
});

test('a root that is built anew meanwhile is the same; one whose slots have moved is not', async () => {
  const [moved, ...others] = mapping.owners;
  let owners = mapping.owners;
  whileAsked = () => weigher.follow('shop/main', { ...asking, mapping: { shards: 2, owners: [...owners] } });
  weigher.follow('shop/main', asking);
  await clock.advance(36 * minuteMs);
  expect(woken).toEqual(['shop/main']);
  weigher.follow('shop/main', undefined);
  weigher.follow('shop/main', asking);
  owners = [1 - (moved ?? 0), ...others];
  await clock.advance(6 * minuteMs);
  whileAsked = () => undefined;
  weigher.follow('shop/main', asking);
  await clock.advance(30 * minuteMs);
  // Six have counted.
  expect(weigher.loadsOf('shop/main')).toBeUndefined();
});

test('where one replica does not answer another is asked; without a shard nothing is told', async () => {
  silent = new Set(['web-0:9090']);
  weigher.follow('shop/main', asking);
  await clock.advance(36 * minuteMs);
  expect(weigher.loadsOf('shop/main')).toBeDefined();
  silent = new Set(['web-shard-1-0:9090']);
  weigher.follow('shop/main', undefined);
  weigher.follow('shop/main', asking);
  await clock.advance(120 * minuteMs);
  expect(weigher.loadsOf('shop/main')).toBeUndefined();
});

test('an agent says only how many metrics each job has; another measure begins anew', async () => {
  samples = undefined;
  weigher.follow('shop/main', asking);
  await clock.advance(36 * minuteMs);
  const counts = addresses.map((address) => hashedShard(address, 16));
  expect(weigher.loadsOf('shop/main')).toEqual(
    mapping.owners.map((_, slot) => counts.filter((each) => each === slot).length * 10),
  );
  samples = () => 3;
  await clock.advance(5 * minuteMs);
  expect(weigher.loadsOf('shop/main')).toBeUndefined();
});

test('what was found is forgotten when nobody is to be asked, and nobody is asked any more', async () => {
  weigher.follow('shop/main', asking);
  await clock.advance(36 * minuteMs);
  weigher.follow('shop/main', undefined);
  expect(weigher.loadsOf('shop/main')).toBeUndefined();
  const before = calls.length;
  await clock.advance(60 * minuteMs);
  expect(calls).toHaveLength(before);
  weigher.follow('shop/main', asking);
  stop.abort();
  await clock.advance(60 * minuteMs);
  expect(calls).toHaveLength(before);
});
