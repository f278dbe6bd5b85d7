/** Upstream's end-to-end tests of DaemonSets and their revisions: rows 2.1. */
import {
  type ControllerRevision,
  controllerrevisions,
  type DaemonSet,
  daemonsets,
  namespaces,
  nodes,
  type Pod,
  type PodSpec,
  pods,
} from '@signalbox/cluster';
import { podAvailable, seededRandom } from '@signalbox/cluster/testing';
import { expect } from 'vitest';
import { imagesOf, isGoing, nameOf, namesOf, namespace, nodesOf, row, type Stage, serves, serving } from './stage.ts';

const name = 'daemon';
const at = { namespace, name };
const hashLabel = 'controller-revision-hash';
const hashOf = ({ metadata }: Pod | ControllerRevision): string | undefined => metadata.labels?.[hashLabel];

interface Parts {
  readonly strategy?: DaemonSet['spec']['updateStrategy'];
  readonly spec?: Partial<PodSpec>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly minReadySeconds?: number;
}

const container = { name: 'app', image: 'example/app:1' };

async function create({ client, advance }: Stage, parts: Parts = {}): Promise<void> {
  const { strategy, spec = {}, annotations = {}, minReadySeconds = 0 } = parts;
  const labels = { app: name };
  await client.create(daemonsets, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { ...at, labels },
    spec: {
      selector: { matchLabels: labels },
      minReadySeconds,
      ...(strategy !== undefined && { updateStrategy: strategy }),
      template: { metadata: { labels, annotations }, spec: { containers: [container], ...spec } },
    },
  });
  await advance(5_000);
}

const read = ({ client }: Stage): Promise<DaemonSet> => client.get(daemonsets, at);
const rolling = (maxUnavailable: number): DaemonSet['spec']['updateStrategy'] => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxUnavailable },
});

async function setImage({ client }: Stage, image: string): Promise<void> {
  const body = { spec: { template: { spec: { containers: [{ ...container, image }] } } } };
  await client.patch(daemonsets, { ...at, patchType: 'strategic', body });
}

async function label({ client, advance }: Stage, node: string, color: string | null): Promise<void> {
  await client.patch(nodes, { name: node, patchType: 'merge', body: { metadata: { labels: { color } } } });
  await advance(5_000);
}

async function revisionsOf({ client }: Stage, labelSelector = `app=${name}`): Promise<readonly ControllerRevision[]> {
  const { items } = await client.list(controllerrevisions, { namespace, labelSelector });
  return [...items].sort((a, b) => a.revision - b.revision);
}

row('2.1.1', async (stage) => {
  await create(stage);
  const before = await stage.podsOf(name);
  expect(nodesOf(before)).toEqual(['node-1', 'node-2', 'node-3']);
  const status = { desiredNumberScheduled: 3, currentNumberScheduled: 3, numberReady: 3, numberAvailable: 3 };
  expect((await read(stage)).status).toMatchObject(status);
  const [victim] = before;
  await stage.client.delete(pods, { namespace, name: victim?.metadata.name ?? '' });
  await stage.advance(5_000);
  const after = await stage.podsOf(name);
  expect(nodesOf(after)).toEqual(nodesOf(before));
  expect(namesOf(after)).not.toContain(victim?.metadata.name);
  expect((await read(stage)).status).toMatchObject(status);
});

row('2.1.2', async (stage) => {
  await create(stage, { spec: { nodeSelector: { color: 'blue' } } });
  expect(await stage.podsOf(name)).toEqual([]);
  expect((await read(stage)).status.desiredNumberScheduled).toBe(0);
  await label(stage, 'node-2', 'blue');
  expect(nodesOf(serving(await stage.podsOf(name)))).toEqual(['node-2']);
  await label(stage, 'node-2', 'green');
  expect(await stage.podsOf(name)).toEqual([]);
  const body = { spec: { updateStrategy: rolling(1), template: { spec: { nodeSelector: { color: 'green' } } } } };
  await stage.client.patch(daemonsets, { ...at, patchType: 'strategic', body });
  await stage.advance(5_000);
  expect(nodesOf(serving(await stage.podsOf(name)))).toEqual(['node-2']);
  expect((await read(stage)).status).toMatchObject({ desiredNumberScheduled: 1, numberAvailable: 1 });
});

row('2.1.3', async (stage) => {
  const term = { matchExpressions: [{ key: 'color', operator: 'In', values: ['blue'] }] };
  const required = { nodeSelectorTerms: [term] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  await create(stage, { spec: { affinity } });
  expect(await stage.podsOf(name)).toEqual([]);
  await label(stage, 'node-3', 'blue');
  expect(nodesOf(serving(await stage.podsOf(name)))).toEqual(['node-3']);
  await label(stage, 'node-3', null);
  expect(await stage.podsOf(name)).toEqual([]);
  expect((await read(stage)).status).toMatchObject({ desiredNumberScheduled: 0, numberMisscheduled: 0 });
});

row('2.1.4', async (stage) => {
  await create(stage);
  const [victim] = await stage.podsOf(name);
  if (victim === undefined) throw new Error('no pod');
  await stage.client.update(
    pods,
    { ...victim, status: { ...victim.status, phase: 'Failed' } },
    { subresource: 'status' },
  );
  await stage.advance(5_000);
  const after = await stage.podsOf(name);
  expect(nodesOf(serving(after))).toEqual(['node-1', 'node-2', 'node-3']);
  expect(after.some(({ metadata }) => metadata.uid === victim.metadata.uid)).toBe(false);
});

row('2.1.5', async (stage) => {
  await create(stage, { strategy: { type: 'OnDelete' } });
  const before = await stage.podsOf(name);
  const [first] = await revisionsOf(stage);
  expect(before.map(hashOf)).toEqual(before.map(() => first && hashOf(first)));
  await setImage(stage, 'example/app:2');
  await stage.advance(30_000);
  const found = await revisionsOf(stage);
  expect(found.map(({ revision }) => revision)).toEqual([1, 2]);
  expect(new Set(found.map(hashOf)).size).toBe(2);
  expect(await stage.podsOf(name)).toEqual(before);
  expect((await read(stage)).status.updatedNumberScheduled ?? 0).toBe(0);
  // Whoever deletes a pod gets the new one.
  await stage.client.delete(pods, { namespace, name: before[0]?.metadata.name ?? '' });
  await stage.advance(5_000);
  const after = await stage.podsOf(name);
  expect(imagesOf(after)).toEqual(['example/app:1', 'example/app:2']);
  expect(new Set(after.map(hashOf))).toEqual(new Set(found.map(hashOf)));
  expect((await read(stage)).status.updatedNumberScheduled).toBe(1);
});

row('2.1.6', async (stage) => {
  await create(stage, { strategy: rolling(1) });
  const [first] = await revisionsOf(stage);
  expect(first?.revision).toBe(1);
  await setImage(stage, 'example/app:2');
  await stage.watching(name, {
    seconds: 30,
    look: (found) => expect(serving(found).length).toBeGreaterThanOrEqual(2),
  });
  const after = serving(await stage.podsOf(name));
  expect(nodesOf(after)).toEqual(['node-1', 'node-2', 'node-3']);
  expect(imagesOf(after)).toEqual(['example/app:2']);
  const [, second] = await revisionsOf(stage);
  expect(second?.revision).toBe(2);
  expect(new Set(after.map(hashOf))).toEqual(new Set([second && hashOf(second)]));
});

row('2.1.7', async (stage) => {
  await create(stage, { strategy: rolling(1) });
  const before = await stage.podsOf(name);
  await setImage(stage, 'registry.invalid/none:1');
  await stage.advance(10_000);
  const during = await stage.podsOf(name);
  const kept = during.filter((pod) => namesOf(before).includes(nameOf(pod)));
  expect(kept).toHaveLength(2);
  const broken = during.filter((pod) => !serves(pod));
  expect(imagesOf(broken)).toEqual(['registry.invalid/none:1']);
  await setImage(stage, container.image);
  await stage.advance(10_000);
  const after = serving(await stage.podsOf(name));
  expect(after).toHaveLength(3);
  expect(imagesOf(after)).toEqual([container.image]);
  expect(namesOf(after)).toEqual(expect.arrayContaining([...namesOf(kept)]));
  expect((await revisionsOf(stage)).map(({ revision }) => revision)).toEqual([2, 3]);
});

row(
  '2.1.8',
  async (stage) => {
    const maxSurge = 1;
    const minReadySeconds = 10;
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '20%', maxUnavailable: 0 } };
    const annotations = { 'signalbox.dev/stop-after': '15s' };
    const spec = { terminationGracePeriodSeconds: 60 };
    await create(stage, { strategy, annotations, minReadySeconds, spec });
    await stage.advance(15_000);
    await setImage(stage, 'example/app:2');
    const disturb = disturber(stage);
    const rules = surgeRules({ maxSurge, minReadySeconds });
    await stage.watching(name, {
      seconds: 300,
      async look(found, second) {
        rules.look(found, { deleted: disturb.deleted, nowMs: stage.clock.nowMs() });
        // The last minutes are left alone, so that it comes to an end.
        if (second < 120) await disturb.once(found);
        if (second === 120) await disturb.heal(found);
      },
    });
    expect(disturb.deleted.size).toBeGreaterThan(0);
    const after = serving(await stage.podsOf(name));
    expect(nodesOf(after)).toEqual(['node-1', 'node-2', 'node-3', 'node-4', 'node-5']);
    expect(imagesOf(after)).toEqual(['example/app:2']);
  },
  { nodes: 5 },
);

interface Disturber {
  /** The uids of the pods that were deleted on purpose. */
  readonly deleted: ReadonlySet<string>;
  once(found: readonly Pod[]): Promise<void>;
  heal(found: readonly Pod[]): Promise<void>;
}

/** Takes the readiness of pods away and deletes others, by chance. */
function disturber({ client }: Stage): Disturber {
  const random = seededRandom('disturbed');
  const deleted = new Set<string>();
  const setReady = async (pod: Pod, readyAfter: string | null): Promise<void> => {
    const body = { metadata: { annotations: { 'signalbox.dev/ready-after': readyAfter } } };
    await client.patch(pods, { namespace, name: nameOf(pod), patchType: 'merge', body });
  };
  return {
    deleted,
    async heal(found) {
      for (const pod of found) await setReady(pod, null);
    },
    async once(found) {
      const staying = found.filter((pod) => !isGoing(pod));
      const victim = staying[random.below(staying.length)];
      if (victim === undefined) return;
      const chance = random.below(20);
      if (chance < 2) await setReady(victim, chance === 0 ? 'never' : null);
      if (chance !== 2) return;
      deleted.add(victim.metadata.uid ?? '');
      await client.delete(pods, { namespace, name: nameOf(victim) });
    },
  };
}

interface SurgeLimits {
  readonly maxSurge: number;
  readonly minReadySeconds: number;
}

/** What holds in every second of a rollout with surge. */
function surgeRules({ maxSurge, minReadySeconds }: SurgeLimits): {
  look(found: readonly Pod[], world: { readonly deleted: ReadonlySet<string>; readonly nowMs: number }): void;
} {
  const togetherFor = new Map<string, number>();
  return {
    look(found, { deleted, nowMs }) {
      const isAvailable = (pod: Pod): boolean => !isGoing(pod) && podAvailable(pod, minReadySeconds, nowMs);
      expect(imagesOf(found).length).toBeLessThanOrEqual(2);
      let unavailableNew = 0;
      let excused = maxSurge;
      for (const node of new Set(nodesOf(found))) {
        const here = found.filter(({ spec }) => spec.nodeName === node);
        const going = here.filter(isGoing);
        expect(going.filter(({ metadata }) => !deleted.has(metadata.uid ?? '')).length).toBeLessThanOrEqual(1);
        const old = here.filter((pod) => imagesOf([pod])[0] === container.image);
        const fresh = here.filter((pod) => imagesOf([pod])[0] !== container.image);
        for (const version of [old, fresh]) {
          expect(version.filter((pod) => !isGoing(pod)).length).toBeLessThanOrEqual(1);
          expect(version.filter(isGoing).length).toBeLessThanOrEqual(2);
        }
        const both = old.some(serves) && fresh.some(serves);
        togetherFor.set(node, both ? (togetherFor.get(node) ?? 0) + 1 : 0);
        expect(togetherFor.get(node)).toBeLessThanOrEqual(60);
        const staying = fresh.filter((pod) => !isGoing(pod));
        unavailableNew += staying.filter((pod) => !isAvailable(pod)).length;
        excused += old.some(isAvailable) ? 0 : 1;
      }
      expect(unavailableNew).toBeLessThanOrEqual(excused);
    },
  };
}

row('2.1.9', async (stage) => {
  const { client } = stage;
  await create(stage);
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere' }, spec: {} });
  const { apiVersion, kind, spec } = await read(stage);
  const labels = { app: name };
  const foreign = { apiVersion, kind, metadata: { name, namespace: 'elsewhere', labels }, spec };
  await client.create(daemonsets, foreign);
  const found = await client.list(daemonsets, { labelSelector: `app=${name}` });
  expect(found.items.map(({ metadata }) => metadata.namespace)).toEqual([namespace, 'elsewhere']);
  expect(found.items[0]?.metadata.labels).toEqual(labels);
  await stage.deleteCollection(daemonsets, `app=${name}`);
  const left = await client.list(daemonsets, { labelSelector: `app=${name}` });
  expect(left.items.map(({ metadata }) => metadata.namespace)).toEqual(['elsewhere']);
  await stage.advance(5_000);
  expect(await stage.podsOf(name)).toEqual([]);
});

row('2.1.10', async (stage) => {
  const { client, platform } = stage;
  await create(stage);
  const seen: (readonly string[])[] = [];
  const stop = platform.informers.listen(daemonsets, ({ object }) =>
    seen.push((object.status.conditions ?? []).map(({ type }) => type)),
  );
  const before = await client.get(daemonsets, { ...at, subresource: 'status' });
  expect(before.status.numberReady).toBe(3);
  const told = { type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from a test' };
  const changed = { ...before, status: { ...before.status, conditions: [told] } };
  // What stands in the spec is not taken by this door.
  const replaced = await client.update(
    daemonsets,
    { ...changed, spec: { ...before.spec, minReadySeconds: 99 } },
    { subresource: 'status' },
  );
  expect(replaced.status.conditions).toEqual([told]);
  expect(replaced.spec.minReadySeconds ?? 0).toBe(0);
  const body = { status: { conditions: [{ type: 'StatusPatched', status: 'True' }] } };
  const patched = await client.patch(daemonsets, { ...at, patchType: 'merge', subresource: 'status', body });
  expect(patched.status.conditions).toEqual(body.status.conditions);
  await stage.advance(5_000);
  expect(seen).toEqual(expect.arrayContaining([['StatusUpdate'], ['StatusPatched']]));
  expect((await read(stage)).status.conditions).toEqual(body.status.conditions);
  stop();
});

row('2.1.11', async (stage) => {
  const { client } = stage;
  await create(stage);
  const [first] = await revisionsOf(stage);
  if (first === undefined) throw new Error('no revision');
  const mine = { namespace, name: nameOf(first) };
  const patch = { metadata: { labels: { [mine.name]: 'patched' } } };
  const patched = await client.patch(controllerrevisions, { ...mine, patchType: 'strategic', body: patch });
  expect(patched.metadata.labels).toMatchObject(patch.metadata.labels);
  // Its owner does not look at what somebody else makes for it; it would take two alike for one.
  const byHand = `${name}-by-hand`;
  const { ownerReferences = [], labels = {} } = first.metadata;
  await client.create(controllerrevisions, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: byHand, namespace, ownerReferences, labels: { ...labels, [hashLabel]: 'by-hand' } },
    ...(first.data !== undefined && { data: first.data }),
    revision: first.revision + 1,
  });
  await stage.advance(1_000);
  expect(await revisionsOf(stage)).toHaveLength(2);
  await client.delete(controllerrevisions, mine);
  await stage.advance(5_000);
  const [second, ...others] = await revisionsOf(stage);
  expect(others).toEqual([]);
  if (second === undefined) throw new Error('no revision is left');
  expect(nameOf(second)).toBe(byHand);
  const updated = { ...second.metadata, labels: { ...second.metadata.labels, [byHand]: 'updated' } };
  const replaced = await client.update(controllerrevisions, { ...second, metadata: updated });
  expect(replaced.metadata.labels?.[byHand]).toBe('updated');
  const body = { spec: { template: { spec: { terminationGracePeriodSeconds: 1 } } } };
  await client.patch(daemonsets, { ...at, patchType: 'strategic', body });
  await stage.advance(30_000);
  expect(await revisionsOf(stage)).toHaveLength(2);
  await stage.deleteCollection(controllerrevisions, `${byHand}=updated`);
  await stage.advance(5_000);
  expect((await revisionsOf(stage)).map(({ revision }) => revision)).toEqual([3]);
});
