/** A rollout that only counts the nodes where all is well does what one does that looks at each. */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { keyOf } from '../../api/meta.ts';
import { daemonset, meta, node, podSpec, ready, startMs, terminating } from '../../testing/plan-world.ts';
import type { Verdict } from './eligibility.ts';
import { manage } from './manage.ts';
import { hashLabel } from './pod.ts';
import { replacements } from './rolling-update.ts';
import { type Rolling, type Rollout, rollingAll, type Step } from './rollout.ts';
import { createSites, type KeptSites } from './sites.ts';
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
}

interface World {
  readonly verdicts: readonly number[];
  readonly pods: readonly Drawn[];
  /** Of the first nodes: those that go again. */
  readonly gone: number;
}

const worlds: fc.Arbitrary<World> = fc.record({
  verdicts: fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: nodeCount, maxLength: nodeCount }),
  pods: fc.array(
    fc.record({
      number: fc.nat(14),
      on: fc.nat(nodeCount - 1),
      hash: fc.constantFrom('new', ...hashes),
      is: fc.constantFrom('ready', 'ready', 'ready', 'starting', 'ending', 'failed', 'gone'),
    }),
    { maxLength: 30, size: 'max' },
  ),
  gone: fc.nat(2),
});

function drawn({ number, on, hash, is }: Drawn): Pod {
  const labels = { app: 'ds', ...(hash !== undefined && { [hashLabel]: hash }) };
  const name = `pod-${number}`;
  const plain: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: meta(name, { labels }), spec: podSpec, status: {} };
  const pod = ready(plain, { nodeName: `node-${on}` });
  if (is === 'ending') return terminating(pod);
  if (is === 'failed') return { ...pod, status: { phase: 'Failed' } };
  return is === 'starting' ? { ...pod, status: { phase: 'Pending' } } : pod;
}

function sitesIn({ verdicts: chosen, pods, gone }: World): KeptSites {
  const of = new Map(chosen.map((choice, number) => [`node-${number}`, verdicts[choice]]));
  const sites = createSites(({ metadata }) => of.get(metadata.name) ?? { runs: true, stays: true });
  for (const name of of.keys()) sites.node(name, node(name));
  for (const each of pods) sites.pod(keyOf(drawn(each)), each.is === 'gone' ? undefined : drawn(each));
  for (let number = 0; number < gone; number++) sites.node(`node-${number}`, undefined);
  return sites;
}

function rolloutTo(sites: KeptSites, most: { readonly maxSurge: number; readonly maxUnavailable: number }): Rollout {
  const { desired } = sites.tally;
  return {
    hash: 'new',
    onDelete: false,
    surges: most.maxSurge > 0,
    ...most,
    desired,
    minReadySeconds: 0,
    nowMs: startMs,
  };
}

/** Among those that are alike whoever comes first is free to choose; how many it is, and everything else, is not. */
function outlined(step: Step, sites: KeptSites): object {
  const at = new Map(sites.all().map((site) => [site.node, site]));
  const serves = (name: string): boolean => at.get(name)?.pods.some((pod) => pod.ready && !pod.terminating) === true;
  const gone = step.remove.map(({ pod }) => pod.metadata.name).sort();
  return {
    idle: step.create.filter((name) => !serves(name)).sort(),
    creates: step.create.length,
    broken: step.remove
      .filter((pod) => !pod.ready)
      .map(({ pod }) => pod.metadata.name)
      .sort(),
    removes: new Set(gone).size,
    inTheWay: step.inTheWay.map((site) => site.node),
    waiting: step.waiting,
  };
}

function bothWays(world: World, most: { readonly maxSurge: number; readonly maxUnavailable: number }): void {
  const sites = sitesIn(world);
  const rollout = rolloutTo(sites, most);
  const removed = manage(daemonset('ds'), sites, { rollout, backoffs: new Map() }).remove;
  const step = (rolling: Rolling): Step => (rollout.surges ? surge : replacements)(rolling, { rollout, removed });
  const [counted, seen] = [step(sites.rolling('new')), step(rollingAll(sites.all()))];
  expect(outlined(counted, sites)).toEqual(outlined(seen, sites));
  if (most.maxSurge < nodeCount && most.maxUnavailable < nodeCount) return;
  // With room for all there is nothing to choose.
  expect(new Set(counted.create)).toEqual(new Set(seen.create));
  expect(new Set(counted.remove)).toEqual(new Set(seen.remove));
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
    fc.property(worlds, (world) => bothWays(world, most)),
    { numRuns: 100 * inject('thoroughness') },
  );
});

test('of a large fleet a rollout looks at the nodes where something is under way alone', () => {
  const sites = createSites(() => ({ runs: true, stays: true }));
  for (let number = 0; number < 5_000; number++) {
    sites.node(`node-${number}`, node(`node-${number}`));
    const is = number === 7 ? 'starting' : number === 9 ? 'ending' : 'ready';
    const pod = drawn({ number, on: number, hash: number < 1_000 ? 'new' : 'old', is });
    sites.pod(keyOf(pod), pod);
  }
  const rolling = sites.rolling('new');
  expect(rolling.restless.map((site) => site.node)).toEqual(['node-7', 'node-9']);
  expect({ current: rolling.current, old: rolling.old }).toEqual({ current: 998, old: 4_000 });
  const rollout = rolloutTo(sites, { maxSurge: 0, maxUnavailable: 4 });
  const { remove, waiting } = replacements(rolling, { rollout, removed: new Set() });
  expect(remove.map(({ target }) => target)).toEqual(['node-1000', 'node-1001']);
  expect(waiting).toBe(4_000);
});

test('old pods go in the order of their nodes, of whatever revision they are', () => {
  const sites = sitesIn({
    verdicts: [0, 0, 0, 0, 0],
    pods: (['old', 'older', undefined, 'older', 'old'] as const).map((hash, on) => ({
      number: on,
      on,
      hash,
      is: 'ready',
    })),
    gone: 0,
  });
  const rollout = rolloutTo(sites, { maxSurge: 0, maxUnavailable: 3 });
  const { remove } = replacements(sites.rolling('new'), { rollout, removed: new Set() });
  expect(remove.map(({ target }) => target)).toEqual(['node-0', 'node-1', 'node-2']);
});

test('a pod that should go altogether goes when enough others serve, counted ones too', () => {
  const sites = sitesIn({
    verdicts: [0, 0, 0, 1],
    pods: [0, 1, 2, 3].map((on) => ({ number: on, on, hash: on === 3 ? 'old' : 'new', is: 'ready' })),
    gone: 0,
  });
  const rollout = rolloutTo(sites, { maxSurge: 1, maxUnavailable: 0 });
  const { remove } = surge(sites.rolling('new'), { rollout, removed: new Set() });
  expect(remove.map(({ target }) => target)).toEqual(['node-3']);
});
