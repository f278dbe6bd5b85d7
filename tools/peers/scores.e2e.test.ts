/**
 * How many points every plugin of upstream's scheduler gives every node, beside what ours gives it: small clusters by chance, with
 * images, soft taints, wishes of affinity and of spread, a Service, profiles with arguments, and pods that come one after the
 * other. Upstream writes its points down where it is told to say everything.
 */
import {
  type Cluster,
  type KubeObject,
  type New,
  namespaces,
  nodes,
  type Pod,
  pods,
  type ResourceType,
  services,
  sleep,
  systemClock,
} from '@signalbox/cluster';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createObjectCache } from '../../packages/cluster/src/client/object-cache.ts';
import { schedulerOptions } from '../../packages/cluster/src/scheduler/configuration/configuration.ts';
import { beginCycle, objection } from '../../packages/cluster/src/scheduler/cycle.ts';
import { podView } from '../../packages/cluster/src/scheduler/pod-view.ts';
import { scoresOf } from '../../packages/cluster/src/scheduler/scoring.ts';
import { createSnapshot, type LiveSnapshot } from '../../packages/cluster/src/scheduler/snapshot.ts';
import { makePod } from '../../packages/cluster/src/testing/makers.ts';
import { findPrograms } from './plane/programs.ts';
import { bare, startTheirScheduler, type TheirScheduler } from './plane/their-scheduler.ts';
import { configuration } from './scores/configuration.ts';
import { type Points, pointsOf, telling } from './scores/points.ts';
import { wishedFor, wishing } from './scores/worlds.ts';

const { programs, missing = '' } = findPrograms(process.env);
const { signal } = new AbortController();
const seed = Number(process.env['FC_SEED'] ?? '7');
const worldCount = Number(process.env['SIGNALBOX_WORLDS'] ?? '6');
const podCount = 16;
/** Until its caches have heard of what came and went. */
const hearsWithinMs = 500;
const profiles = new Map(schedulerOptions({ configuration }).profiles?.map((profile) => [profile.name, profile]));

let there: TheirScheduler;
let cluster: Cluster;

beforeAll(async () => {
  if (programs === undefined) return;
  there = await startTheirScheduler(programs, { verbosity: 10, configuration });
  ({ cluster } = there);
  const body = { metadata: { labels: { team: 'blue' } } };
  await cluster.client.patch(namespaces, { name: 'default', signal, patchType: 'merge', body });
  await there.create(namespaces, {
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other', labels: { team: 'red' } } },
  } as New<KubeObject>);
  await there.create(services, {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'x', namespace: 'default' } },
    spec: { selector: { app: 'x' }, ports: [{ port: 80 }] },
  } as New<KubeObject>);
});

afterAll(() => there?.close());

async function emptySnapshot(): Promise<LiveSnapshot> {
  const caches = new Map<object, { put(object: KubeObject): unknown }>();
  for (const type of [namespaces, services] as readonly ResourceType[]) {
    const cache = createObjectCache(type);
    for (const item of (await cluster.client.list(type, { signal })).items) cache.put(item);
    caches.set(type, cache);
  }
  return createSnapshot({ of: (type) => (caches.get(type) as never) ?? createObjectCache(type) });
}

/** Nothing where there is no choice: nobody asks for points then. */
function ourPoints(pod: Pod, snapshot: LiveSnapshot): Points {
  const begun = beginCycle(podView(pod), snapshot, profiles.get(pod.spec.schedulerName ?? '')?.plugins ?? []);
  if (begun.rejected !== undefined) return new Map();
  const { cycle } = begun;
  const fitting = snapshot.nodes.filter((node) => objection(cycle, node) === undefined);
  if (fitting.length < 2) return new Map();
  return new Map(
    cycle.steps.flatMap(({ plugin, state }) => {
      const scores = scoresOf(plugin, { pod: cycle.pod, nodes: fitting, snapshot, state });
      const weighted = scores?.map((score) => score * (plugin.weight ?? 1));
      return weighted === undefined
        ? []
        : [[plugin.name, new Map(fitting.map(({ name }, nth) => [name, weighted[nth] ?? 0]))]];
    }),
  );
}

async function tidy(): Promise<void> {
  for (const { metadata } of (await cluster.client.list(pods, { signal })).items)
    await cluster.client.delete(pods, { ...metadata, signal, gracePeriodSeconds: 0 });
  for (const { metadata } of (await cluster.client.list(nodes, { signal })).items)
    await cluster.client.delete(nodes, { name: metadata.name, signal });
}

test.skipIf(programs === undefined)(
  `every plugin gives nodes what upstream’s gives them ${missing}`,
  async () => {
    const told = new Map<string, number>();
    for (let world = 0; world < worldCount; world++) {
      const snapshot = await emptySnapshot();
      for (const [nth, parts] of fc.sample(wishedFor, { seed: seed + world, numRuns: 3 + (world % 5) }).entries())
        snapshot.setNode(await there.createNode(`w${world}-n${nth}`, parts));
      await sleep(systemClock, hearsWithinMs, { signal });
      // How many nodes have an image is as old there as the last news of each node.
      const body = { metadata: { annotations: { world: `${world}` } } };
      for (const { name } of snapshot.nodes)
        await cluster.client.patch(nodes, { name, signal, patchType: 'merge', body });
      await sleep(systemClock, hearsWithinMs, { signal });
      for (const [nth, parts] of fc.sample(wishing, { seed: seed + world, numRuns: podCount }).entries()) {
        const made = await there.create(pods, bare(makePod(`w${world}-p${nth}`, parts)));
        const { namespace, name, labels } = made.metadata;
        const expected = telling(ourPoints(made, snapshot));
        const decided = await there.decided(made);
        const theirs = telling(pointsOf(there.log(), `${namespace}/${name}`));
        expect([...theirs].sort(), JSON.stringify({ name, labels, spec: made.spec })).toEqual([...expected].sort());
        for (const [plugin = ''] of theirs.map((line) => line.split(':')))
          told.set(plugin, (told.get(plugin) ?? 0) + 1);
        if ((decided.spec.nodeName ?? '') !== '') snapshot.setPod(decided);
        else await cluster.client.delete(pods, { ...made.metadata, signal, gracePeriodSeconds: 0 });
      }
      await tidy();
    }
    // Else the worlds say nothing.
    expect([...told.keys()].sort()).toEqual([
      ...['ImageLocality', 'InterPodAffinity', 'NodeAffinity', 'NodeResourcesBalancedAllocation'],
      ...['NodeResourcesFit', 'PodTopologySpread', 'TaintToleration'],
    ]);
    expect(Math.min(...told.values())).toBeGreaterThan(2);
  },
  600_000,
);
