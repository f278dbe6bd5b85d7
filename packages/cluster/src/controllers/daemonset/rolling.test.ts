/** A rollout that only counts the nodes where all is well does what one does that looks at each, as time goes on, and back. */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { keyOf } from '../../api/meta.ts';
import { daemonset, meta, node, podSpec, ready, startMs, terminating } from '../../testing/plan-world.ts';
import { availableInMs, sooner } from '../../workloads/phase.ts';
import { isAvailable } from './daemon-pod.ts';
import type { Verdict } from './eligibility.ts';
import { manage } from './manage.ts';
import { hashLabel } from './pod.ts';
import { replacements } from './rolling-update.ts';
import type { Rolling, Rollout, Step } from './rollout.ts';
import { createSites, type KeptSites, type Sites } from './sites.ts';
import { statusOf } from './status.ts';
import { surge } from './surge.ts';

const nodeCount = 8;
const hashes = ['new', 'old', 'older', undefined] as const;
const verdicts: readonly Verdict[] = [
  { runs: true, stays: true },
  { runs: false, stays: true, rule: { rule: 'nodeAffinity' } },
  { runs: false, stays: false, rule: { rule: 'nodeAffinity' } },
];

interface Drawn {
  readonly number: number;
  readonly on: number;
  readonly hash: (typeof hashes)[number];
  readonly is: 'ready' | 'starting' | 'ending' | 'failed' | 'gone';
  /** When it became ready. */
  readonly second: number;
}

interface World {
  readonly verdicts: readonly number[];
  readonly pods: readonly Drawn[];
  /** Of the first nodes: those that go again. */
  readonly gone: number;
  readonly minReadySeconds: number;
  /** When it is looked at; in between the next pods come. */
  readonly looks: readonly number[];
}

const worlds: fc.Arbitrary<World> = fc.record({
  verdicts: fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: nodeCount, maxLength: nodeCount }),
  pods: fc.array(
    fc.record({
      number: fc.nat(14),
      on: fc.nat(nodeCount - 1),
      hash: fc.constantFrom('new', ...hashes),
      is: fc.constantFrom('ready', 'ready', 'ready', 'starting', 'ending', 'failed', 'gone'),
      second: fc.nat(9),
    }),
    { maxLength: 30, size: 'max' },
  ),
  gone: fc.nat(2),
  minReadySeconds: fc.constantFrom(0, 0, 3, 8),
  looks: fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }),
});

function drawn({ number, on, hash, is, second }: Drawn): Pod {
  const labels = { app: 'ds', ...(hash !== undefined && { [hashLabel]: hash }) };
  const name = `pod-${number}`;
  const plain: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: meta(name, { labels }), spec: podSpec, status: {} };
  const pod = ready(plain, { sinceMs: startMs + second * 1_000, nodeName: `node-${on}` });
  if (is === 'ending') return terminating(pod);
  if (is === 'failed') return { ...pod, status: { phase: 'Failed' } };
  return is === 'starting' ? { ...pod, status: { phase: 'Pending' } } : pod;
}

/** Nodes without pods. */
function nodesIn({ verdicts: chosen, minReadySeconds }: Pick<World, 'verdicts' | 'minReadySeconds'>): KeptSites {
  const of = new Map(chosen.map((choice, number) => [`node-${number}`, verdicts[choice]]));
  const sites = createSites({
    judge: ({ metadata }) => of.get(metadata.name) ?? { runs: true, stays: true },
    minReadySeconds,
  });
  for (const name of of.keys()) sites.node(name, node(name));
  return sites;
}

function put(sites: KeptSites, each: Drawn): void {
  sites.pod(keyOf(drawn(each)), each.is === 'gone' ? undefined : drawn(each));
}

interface Most {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

function rolloutTo(sites: Sites, { minReadySeconds = 0, nowMs = startMs, ...most }: Most & Partial<Rollout>): Rollout {
  const { desired } = sites.tally;
  return {
    hash: 'new',
    onDelete: false,
    surges: most.maxSurge > 0,
    ...most,
    desired,
    minReadySeconds,
    nowMs,
  };
}

/** As somebody sees it who looks at each node. */
function rollingAll(sites: Sites): Rolling {
  return { restless: sites.all(), current: 0, old: 0, firstOld: () => [] };
}

/** Among those that are alike whoever comes first is free to choose; how many it is, and everything else, is not. */
function outlined(step: Step, { sites, rollout }: { readonly sites: Sites; readonly rollout: Rollout }): object {
  const at = new Map(sites.all().map((site) => [site.node, site]));
  const serves = (name: string): boolean =>
    at.get(name)?.pods.some((pod) => isAvailable(pod, rollout) && !pod.terminating) === true;
  const gone = step.remove.map(({ pod }) => pod.metadata.name).sort();
  return {
    idle: step.create.filter((name) => !serves(name)).sort(),
    creates: step.create.length,
    broken: step.remove
      .filter((pod) => !isAvailable(pod, rollout))
      .map(({ pod }) => pod.metadata.name)
      .sort(),
    removes: new Set(gone).size,
    inTheWay: step.inTheWay.map((site) => site.node),
    waiting: step.waiting,
  };
}

function bothWays(sites: Sites, rollout: Rollout): void {
  const removed = manage(daemonset('ds'), sites, { rollout, backoffs: new Map() }).remove;
  const step = (rolling: Rolling): Step => (rollout.surges ? surge : replacements)(rolling, { rollout, removed });
  const [counted, seen] = [step(sites.rolling(rollout)), step(rollingAll(sites))];
  expect(outlined(counted, { sites, rollout })).toEqual(outlined(seen, { sites, rollout }));
  const { numberAvailable = 0 } = statusOf(daemonset('ds'), {
    ...{ sites, rollout, collisionCount: undefined, conditions: undefined },
  });
  const available = sites
    .all()
    .filter(({ verdict, pods: [first] }) => verdict.runs && first !== undefined && isAvailable(first, rollout));
  expect(numberAvailable).toBe(available.length);
  const waits = [...sites.pods()].map(({ terminating, readySinceMs }) =>
    terminating || rollout.minReadySeconds === 0 ? undefined : availableInMs(readySinceMs, rollout),
  );
  expect(sites.soonestAvailableInMs(rollout.nowMs)).toBe(waits.reduce(sooner, undefined));
  if (rollout.maxSurge < nodeCount && rollout.maxUnavailable < nodeCount) return;
  // With room for all there is nothing to choose.
  expect(new Set(counted.create)).toEqual(new Set(seen.create));
  expect(new Set(counted.remove)).toEqual(new Set(seen.remove));
}

function lookNowAndThen(world: World, most: Most): void {
  const { pods, looks, gone, minReadySeconds } = world;
  const sites = nodesIn(world);
  const part = Math.ceil(pods.length / looks.length);
  for (const [index, second] of looks.entries()) {
    for (const each of pods.slice(index * part, (index + 1) * part)) put(sites, each);
    if (index === looks.length - 1)
      for (let number = 0; number < gone; number++) sites.node(`node-${number}`, undefined);
    bothWays(sites, rolloutTo(sites, { ...most, minReadySeconds, nowMs: startMs + second * 1_000 }));
  }
}

test.each([
  { maxSurge: 0, maxUnavailable: 1 },
  { maxSurge: 0, maxUnavailable: 3 },
  { maxSurge: 0, maxUnavailable: nodeCount },
  { maxSurge: 1, maxUnavailable: 0 },
  { maxSurge: 3, maxUnavailable: 0 },
  { maxSurge: nodeCount, maxUnavailable: 0 },
])('counting comes to what looking comes to: $maxSurge more and $maxUnavailable fewer', (most) => {
  fc.assert(
    fc.property(worlds, (world) => lookNowAndThen(world, most)),
    { numRuns: 100 * inject('thoroughness') },
  );
});

test('of a large fleet a rollout looks at the nodes where something is under way alone', () => {
  const sites = createSites({ judge: () => ({ runs: true, stays: true }), minReadySeconds: 10 });
  for (let number = 0; number < 5_000; number++) {
    sites.node(`node-${number}`, node(`node-${number}`));
    const is = number === 7 ? 'starting' : number === 9 ? 'ending' : 'ready';
    put(sites, { number, on: number, hash: number < 1_000 ? 'new' : 'old', is, second: number === 8 ? 5 : 0 });
  }
  const at = (second: number): Rollout =>
    rolloutTo(sites, {
      ...{ maxSurge: 0, maxUnavailable: 4, minReadySeconds: 10 },
      nowMs: startMs + second * 1_000,
    });
  const restless = (second: number) => sites.rolling(at(second)).restless.map((site) => site.node);
  expect(restless(9)).toHaveLength(5_000);
  expect(sites.soonestAvailableInMs(startMs + 9_000)).toBe(1_000);
  expect(restless(10)).toEqual(['node-7', 'node-8', 'node-9']);
  expect(sites.soonestAvailableInMs(startMs + 10_000)).toBe(5_000);
  expect(restless(15)).toEqual(['node-7', 'node-9']);
  expect(sites.soonestAvailableInMs(startMs + 15_000)).toBeUndefined();
  const rollout = at(15);
  const rolling = sites.rolling(rollout);
  expect({ current: rolling.current, old: rolling.old }).toEqual({ current: 998, old: 4_000 });
  const { remove, waiting } = replacements(rolling, { rollout, removed: new Set() });
  expect(remove.map(({ target }) => target)).toEqual(['node-1000', 'node-1001']);
  expect(waiting).toBe(4_000);
});

function serving(hashes: readonly Drawn['hash'][], on: readonly number[]): Sites {
  const sites = nodesIn({ verdicts: on, minReadySeconds: 0 });
  for (const [number, hash] of hashes.entries()) put(sites, { number, on: number, hash, is: 'ready', second: 0 });
  return sites;
}

test('old pods go in the order of their nodes, of whatever revision they are', () => {
  const sites = serving(['old', 'older', undefined, 'older', 'old'], [0, 0, 0, 0, 0]);
  const rollout = rolloutTo(sites, { maxSurge: 0, maxUnavailable: 3 });
  const { remove } = replacements(sites.rolling(rollout), { rollout, removed: new Set() });
  expect(remove.map(({ target }) => target)).toEqual(['node-0', 'node-1', 'node-2']);
});

test('a pod that should go altogether goes when enough others serve, counted ones too', () => {
  const sites = serving(['new', 'new', 'new', 'old'], [0, 0, 0, 1]);
  const rollout = rolloutTo(sites, { maxSurge: 1, maxUnavailable: 0 });
  const { remove } = surge(sites.rolling(rollout), { rollout, removed: new Set() });
  expect(remove.map(({ target }) => target)).toEqual(['node-3']);
});
