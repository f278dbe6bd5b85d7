import { describe, expect, test } from 'vitest';
import type { ControllerRevision } from '../../api/generated/apps-v1.ts';
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { controllerrevisions, daemonsets, nodes, pods } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { CacheEvent } from '../../client/cache.ts';
import {
  addNodes,
  createWorld,
  daemonset,
  meta,
  node,
  podSpec,
  ready,
  reconcile,
  unready,
  type World,
} from '../../testing/plan-world.ts';
import { controllerReference } from '../../workloads/owner.ts';
import { orphaned } from '../../workloads/watch.ts';
import { daemonsetController, daemonsetsConcernedBy } from './controller.ts';
import { hashOf, targetNode } from './pod.ts';

function worldWithSets(): World {
  const world = createWorld();
  world.put(daemonsets, daemonset('everywhere'));
  const template = { metadata: { labels: { app: 'picky' } }, spec: { ...podSpec, nodeSelector: { disk: 'ssd' } } };
  world.put(daemonsets, daemonset('picky', { template }));
  return world;
}

const wakes = (object: Node, previous?: Node): readonly string[] =>
  previous === undefined
    ? [...daemonsetsConcernedBy({ type: 'added', object, previous }, worldWithSets())]
    : [...daemonsetsConcernedBy({ type: 'updated', object, previous }, worldWithSets())];

const plain = node('node-1');
const ssd = node('node-1', { labels: { disk: 'ssd' } });
const evicting = node('node-1', { taints: [{ key: 'a', effect: 'NoExecute' }] });
const closed = node('node-1', { taints: [{ key: 'a', effect: 'NoSchedule' }] });

describe('a node wakes', () => {
  test.each<[string, Node, Node | undefined, readonly string[]]>([
    ['on joining those that run on it', plain, undefined, ['default/everywhere']],
    ['on joining all that run on it', ssd, undefined, ['default/everywhere', 'default/picky']],
    ['nobody with a heartbeat', { ...plain, status: { phase: 'x' } }, plain, []],
    ['nobody with what it has to give', { ...plain, status: { allocatable: { cpu: '64' } } }, plain, []],
    ['those whose verdict flips with a label', ssd, plain, ['default/picky']],
    ['those whose verdict flips with a lost label', plain, ssd, ['default/picky']],
    ['those whose verdict flips with a taint', closed, plain, ['default/everywhere']],
    ['those that may no longer stay', evicting, closed, ['default/everywhere']],
    ['nobody with a label that nobody asks for', node('node-1', { labels: { x: 'y' } }), plain, []],
  ])('%s', (_, object, previous, keys) => {
    expect(wakes(object, previous)).toEqual(keys);
  });

  test('on leaving those that ran on it', () => {
    expect([...daemonsetsConcernedBy({ type: 'deleted', object: ssd, previous: ssd }, worldWithSets())]).toEqual([
      'default/everywhere',
      'default/picky',
    ]);
  });
});

test('a revision of its own wakes its set when it changes or goes, not when it is made', () => {
  const set = daemonset('everywhere');
  const metadata = meta('everywhere-1', { ownerReferences: [controllerReference(set)] });
  const object: ControllerRevision = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, revision: 1 };
  const wakes = (event: CacheEvent<KubeObject>): readonly string[] =>
    daemonsetController.watches
      .filter(({ type }) => type.resource === controllerrevisions.resource)
      .flatMap(({ keysOf }) => [...keysOf(event, worldWithSets())]);
  expect(wakes({ type: 'added', object, previous: undefined })).toEqual([]);
  expect(wakes({ type: 'updated', object, previous: object })).toEqual(['default/everywhere']);
  expect(wakes({ type: 'deleted', object, previous: object })).toEqual(['default/everywhere']);
});

describe('a pod without a controller wakes', () => {
  const pod = (
    labels: Record<string, string>,
    ownerReferences: NonNullable<Pod['metadata']['ownerReferences']> = [],
  ): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta('pod', { labels, ownerReferences }),
    spec: podSpec,
    status: {},
  });
  const watch = orphaned(pods, daemonsets);
  const owner = controllerReference(daemonset('everywhere'));

  test.each([
    ['on appearing', pod({ app: 'everywhere' }), undefined, ['default/everywhere']],
    ['nobody without matching labels', pod({ app: 'x' }), undefined, []],
    ['nobody while somebody controls it', pod({ app: 'everywhere' }, [owner]), undefined, []],
    ['on a change of labels', pod({ app: 'everywhere' }), pod({}), ['default/everywhere']],
    ['nobody by other changes', pod({ app: 'everywhere' }), pod({ app: 'everywhere' }), []],
    [
      'on losing its controller',
      pod({ app: 'everywhere' }),
      pod({ app: 'everywhere' }, [owner]),
      ['default/everywhere'],
    ],
  ])('%s', (_, object, previous, keys) => {
    const event =
      previous === undefined
        ? ({ type: 'added', object, previous } as const)
        : ({ type: 'updated', object, previous } as const);
    expect([...watch.keysOf(event, worldWithSets())]).toEqual(keys);
  });

  test('nobody by its end', () => {
    const object = pod({ app: 'everywhere' });
    expect([...watch.keysOf({ type: 'deleted', object, previous: object }, worldWithSets())]).toEqual([]);
  });
});

describe('a pod wakes', () => {
  const [mine, theirs] = [daemonset('everywhere'), daemonset('picky')].map(controllerReference);
  const pod = (app: string, owner?: typeof mine, more: Partial<Pod['metadata']> = {}): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta('pod', { labels: { app }, ...(owner !== undefined && { ownerReferences: [owner] }), ...more }),
    spec: podSpec,
    status: {},
  });
  const both = ['default/everywhere', 'default/picky'];
  /** Two sets that select the same pods, and one that selects others. */
  const world = (): World => {
    const made = worldWithSets();
    const template = { metadata: { labels: { app: 'everywhere' } }, spec: podSpec };
    made.put(daemonsets, daemonset('twin', { selector: { matchLabels: { app: 'everywhere' } }, template }));
    return made;
  };
  const ending = { deletionTimestamp: '2024-01-01T00:00:00Z' };
  const strange = { ...mine, kind: 'ReplicaSet', apiVersion: 'apps/v1' } as typeof mine;

  test.each<[string, Pod, Pod | 'gone' | undefined, readonly string[]]>([
    ['its set on appearing', pod('everywhere', mine), undefined, ['default/everywhere']],
    ['all sets that select it where it has none', pod('everywhere'), undefined, ['default/everywhere', 'default/twin']],
    ['its set alone where others select it', pod('everywhere', theirs), undefined, ['default/picky']],
    ['its set by any change', pod('everywhere', mine), pod('everywhere', mine), ['default/everywhere']],
    ['its set on being told to go', pod('everywhere', mine, ending), pod('everywhere', mine), ['default/everywhere']],
    ['the old and the new set on changing hands', pod('x', theirs), pod('x', mine), both],
    ['nobody as an orphan that stays one', pod('everywhere'), pod('everywhere'), []],
    ['whom its new labels concern', pod('everywhere'), pod('x'), ['default/everywhere', 'default/twin']],
    [
      'the old set, and all that select it, on losing it',
      pod('everywhere'),
      pod('everywhere', mine),
      ['default/everywhere', 'default/twin'],
    ],
    ['the old set on losing it where nobody selects it', pod('x'), pod('x', mine), ['default/everywhere']],
    ['its set by its end', pod('everywhere', mine), 'gone', ['default/everywhere']],
    ['nobody by its end as an orphan', pod('everywhere'), 'gone', []],
    ['nobody as an orphan that is told to go', pod('everywhere', undefined, ending), pod('x'), []],
    ['nobody where a set of another kind has it', pod('everywhere', strange), undefined, []],
  ])('%s', (_, object, before, keys) => {
    const type = before === undefined ? 'added' : before === 'gone' ? 'deleted' : 'updated';
    const previous = before === 'gone' ? object : before;
    const event = { type, object, previous } as CacheEvent<KubeObject>;
    const woken = daemonsetController.watches
      .filter((watch) => watch.type.resource === pods.resource)
      .flatMap(({ keysOf }) => [...keysOf(event, world())]);
    expect([...new Set(woken)].sort()).toEqual(keys);
  });
});

test('a set wakes itself, also by its end', () => {
  const object = daemonset('everywhere');
  const [watch] = daemonsetController.watches.filter(({ type }) => type.resource === daemonsets.resource);
  for (const type of ['added', 'updated', 'deleted'] as const) {
    const event = { type, object, previous: object } as CacheEvent<KubeObject>;
    expect([...(watch?.keysOf(event, worldWithSets()) ?? [])]).toEqual(['default/everywhere']);
  }
});

describe('pods', () => {
  test('aim at the node they are bound to before the one they are meant for', () => {
    const world = createWorld();
    addNodes(world, 1);
    world.put(daemonsets, daemonset('ds'));
    const observed = daemonsetController.observe('default/ds', world, undefined);
    const [, create] = observed ? daemonsetController.plan(observed, 0).actions : [];
    if (create?.do !== 'create') throw new Error('no pod planned');
    const pod = create.object as unknown as Pod;
    expect(targetNode(pod)).toBe('node-1');
    expect(targetNode(ready(pod, { nodeName: 'node-2' }))).toBe('node-2');
    expect(hashOf(pod)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/);
    expect(targetNode({ ...pod, spec: podSpec })).toBeUndefined();
  });
});

test('a look at 5,000 nodes is cheap, and the next one looks at what has changed alone', () => {
  const world = createWorld();
  addNodes(world, 5_000);
  const set = world.put(daemonsets, daemonset('ds', { updateStrategy: { type: 'OnDelete' } }));
  const memories = new Map();
  const look = (): readonly string[] =>
    reconcile(world, { controller: daemonsetController, key: 'default/ds', memories });
  // Counted in work, not in time.
  let reads = 0;
  for (const { metadata } of world.list(nodes)) {
    const ownerReferences = [controllerReference(set)];
    const { status, ...pod } = ready(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: meta(`ds-${metadata.name}`, { labels: { app: 'ds' }, ownerReferences }),
        spec: podSpec,
        status: {},
      },
      { nodeName: metadata.name },
    );
    const counted = {
      get conditions() {
        reads++;
        return status.conditions ?? [];
      },
    };
    world.put(pods, { ...pod, status: counted });
  }
  reads = 0;
  expect(look()).toContain('setStatus daemonsets ds');
  expect(reads / 5_000).toBeGreaterThan(0);
  expect(reads / 5_000).toBeLessThan(8);
  reads = 0;
  const [first] = world.list(pods);
  if (first !== undefined) world.put(pods, unready(first));
  expect(look()).toEqual(['setStatus daemonsets ds']);
  expect(reads).toBeLessThan(8);
});
