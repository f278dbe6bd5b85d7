/** Clusters in which not every node is looked at for each pod, and what comes of pods there, as far as chance leaves it. */
import { nodes, type Pod, pods } from '@signalbox/cluster';
import { poddisruptionbudgets } from '../../../packages/cluster/src/api/generated/kinds.ts';
import { makeNode, makePod, type NodeParts, type PodParts } from '../../../packages/cluster/src/testing/makers.ts';
import { createPriorities, high, inZone, zoneKey } from '../placing/objects.ts';
import type { Side } from '../placing/sides.ts';
import { bare } from '../plane/their-scheduler.ts';

/** How many pods of a hundred may be elsewhere, as upstream looks at several nodes at once. */
export const slack = 0.05;

/** Without its head: profiles that look at more or fewer nodes. */
export const configuration: object = {
  percentageOfNodesToScore: 100,
  profiles: [
    { schedulerName: 'default-scheduler' },
    { schedulerName: 'forty', percentageOfNodesToScore: 40 },
    { schedulerName: 'adaptive', percentageOfNodesToScore: 0 },
    { schedulerName: 'least', percentageOfNodesToScore: 1 },
    {
      schedulerName: 'careless',
      plugins: { score: { disabled: [{ name: '*' }] }, preScore: { disabled: [{ name: '*' }] } },
    },
  ],
};

const { signal } = new AbortController();
const atOnce = 50;
/** Until a scheduler has heard of all of them. */
const hearsWithinMs = 600;

/** `NAME0`, `NAME1` … */
async function many(
  count: number,
  { called, make }: { readonly called: string; readonly make: (name: string, index: number) => Promise<unknown> },
): Promise<void> {
  for (let from = 0; from < count; from += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - from) }, (_, step) => from + step);
    await Promise.all(some.map((index) => make(`${called}${index}`, index)));
  }
}

async function manyNodes(side: Side, count: number, of: NodeParts & { readonly called: string }): Promise<void> {
  const { called, ...parts } = of;
  await many(count, { called, make: (name) => side.create(nodes, bare(makeNode(name, parts))) });
  await side.pause(hearsWithinMs);
}

async function manyPods(side: Side, count: number, of: PodParts & { readonly called: string }): Promise<void> {
  const { called, ...parts } = of;
  await many(count, { called, make: (name) => side.create(pods, bare(makePod(name, parts))) });
}

const wishes = (key: string, values: readonly string[]): PodParts['spec'] => ({
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, preference: { matchExpressions: [{ key, operator: 'In', values: [...values] }] } },
      ],
    },
  },
});

async function told(side: Side): Promise<readonly Pod[]> {
  await side.rest();
  return (await side.cluster.client.list(pods, { signal })).items;
}

/** Which part of the pods of each profile found the node that they would like best, of three hundred. */
export async function shares(side: Side): Promise<Readonly<Record<string, number>>> {
  await manyNodes(side, 299, { called: 'n' });
  await side.node('best', { cpu: '400', memory: '1000Gi', pods: '1000' });
  const profiles = ['default-scheduler', 'forty', 'adaptive', 'least'];
  const count = 50;
  for (const schedulerName of profiles)
    for (let index = 0; index < count; index++)
      await side.pod(`${schedulerName}-${index}`, {
        spec: { schedulerName, ...wishes('kubernetes.io/hostname', ['best']) },
      });
  const all = await told(side);
  const part = (profile: string): number =>
    all.filter(({ spec }) => spec.schedulerName === profile && spec.nodeName === 'best').length / count;
  return Object.fromEntries(profiles.map((profile) => [profile, part(profile)]));
}

/** In which zones pods are that would like to be in the last of three. */
export async function zones(side: Side): Promise<unknown> {
  for (const zone of ['a', 'b', 'c']) await manyNodes(side, 100, { called: zone, ...inZone(zone) });
  for (let index = 0; index < 15; index++)
    await side.pod(`wishes${index}`, { spec: { schedulerName: 'adaptive', ...wishes(zoneKey, ['c']) } });
  const all = await told(side);
  return [...new Set(all.map(({ spec }) => spec.nodeName?.[0]))];
}

/** How many pods the fullest node has, where no plugin scores: upstream looks at several nodes at once, so that one may have two. */
export async function round(side: Side): Promise<unknown> {
  await manyNodes(side, 40, { called: 'n' });
  for (let index = 0; index < 40; index++) await side.pod(`p${index}`, { spec: { schedulerName: 'careless' } });
  const counts = new Map<string, number>();
  for (const { spec } of await told(side)) counts.set(spec.nodeName ?? '', (counts.get(spec.nodeName ?? '') ?? 0) + 1);
  return { used: counts.size > 30, most: Math.max(...counts.values()) <= 2 };
}

/** What is said of pods that no node of 150 takes, and whose pods go for those that may have them go. */
export async function preemption(side: Side): Promise<unknown> {
  await createPriorities(side);
  await manyNodes(side, 120, { called: 'a', cpu: '2', labels: { kind: 'a' } });
  await manyNodes(side, 30, { called: 'b', cpu: '2', labels: { kind: 'b' } });
  const on = (kind: string, index: number): PodParts => ({
    ...{ cpu: '1500m', labels: { app: index < 10 ? `cheap-${kind}` : 'kept' } },
    spec: { nodeName: `${kind}${index}` },
  });
  for (const [kind, count] of Object.entries({ a: 120, b: 30 }))
    await many(count, {
      called: `on-${kind}`,
      make: (name, index) => side.create(pods, bare(makePod(name, on(kind, index)))),
    });
  await side.create(poddisruptionbudgets, {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'kept', namespace: 'default' } },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'kept' } } },
  });
  await side.pause(500);
  await side.pod('too-large', { cpu: '3', spec: high });
  await side.pod('polite', { cpu: '1', spec: { priorityClassName: 'polite' } });
  await side.pod('lowly', { cpu: '1' });
  await manyPods(side, 6, { called: 'chooses', cpu: '1', spec: { ...high, nodeSelector: { kind: 'b' } } });
  await manyPods(side, 6, { called: 'anywhere', cpu: '1', spec: high });
  const all = await told(side);
  const cheap = (promised: string): boolean => Number(promised.slice(1)) < 10;
  return all
    .filter(({ metadata }) => !metadata.name.startsWith('on-'))
    .map(({ metadata, status }) => {
      const promised = status.nominatedNodeName;
      const where = promised === undefined ? 'nowhere' : cheap(promised) ? 'where nobody is hurt' : promised;
      const [said] = status.conditions ?? [];
      // Whether those who came after it had nodes cleared by then is a matter of moments.
      const message = promised === undefined ? said?.message?.replace('no new claims to deallocate, ', '') : '';
      return `${metadata.name}: ${where} ${message}`;
    })
    .sort();
}
