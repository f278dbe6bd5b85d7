/** What becomes of claims that others have to do with, beside upstream's control plane. */
import { beforeEach, expect, test } from 'vitest';
import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, pods, statefulsets } from '../../api/generated/kinds.ts';
import type { OwnerReference } from '../../api/meta.ts';
import type { Action } from '../../runtime/plan.ts';
import {
  createWorld,
  line,
  meta,
  podSpec,
  reconcile,
  runAll,
  terminating,
  type World,
} from '../../testing/plan-world.ts';
import { statefulsetController as controller } from './controller.ts';

let world: World;
const key = 'default/web';

beforeEach(() => {
  world = createWorld();
});

const template = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: meta('data'),
  spec: { accessModes: ['ReadWriteOnce'] },
  status: {},
} as const satisfies PersistentVolumeClaim;

function put(spec: Partial<StatefulSet['spec']>): void {
  world.put(statefulsets, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: meta('web'),
    spec: {
      replicas: 1,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: podSpec },
      volumeClaimTemplates: [template],
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Delete' },
      ...spec,
    },
    status: { replicas: 0 },
  });
}

function change(spec: Partial<StatefulSet['spec']>): void {
  const before = world.of(statefulsets).get(key);
  if (before !== undefined) world.put(statefulsets, { ...before, spec: { ...before.spec, ...spec } });
}

function putClaim(ordinal: number, ...ownerReferences: readonly OwnerReference[]): void {
  world.put(persistentvolumeclaims, { ...template, metadata: meta(`data-web-${ordinal}`, { ownerReferences }) });
}

const owner = (kind: string, name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: kind === 'StatefulSet' ? 'apps/v1' : 'v1',
  ...{ kind, name, uid: `other-${name}`, ...more },
});

function ownersOf(ordinal: number): readonly string[] {
  const claim = world.of(persistentvolumeclaims).get(`default/data-web-${ordinal}`);
  return (claim?.metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind} ${name}`);
}

function pod(ordinal: number): Pod {
  const found = world.of(pods).get(`default/web-${ordinal}`);
  if (found === undefined) throw new Error(`no pod web-${ordinal}`);
  return found;
}

/** What one plan does to pods and claims. */
function sync(): readonly string[] {
  return reconcile(world, { controller, key }).filter((text) => / (pods|persistentvolumeclaims) |^emit/.test(text));
}

function planned(): readonly Action[] {
  const observed = controller.observe(key, world, undefined);
  return observed === undefined ? [] : controller.plan(observed, world.nowMs).actions;
}

/** What is said of what is done, in the order of actions. */
function said(actions: readonly Action[]): readonly string[] {
  return actions.flatMap((action) => {
    if (action.do === 'inOrder') return said(action.actions);
    if (action.do === 'emit') return [action.note];
    const { done } = ('announce' in action && action.announce) || {};
    return done === undefined ? [] : [done.note];
  });
}

test('a claim that belongs to some other pod as well keeps nobody waiting', () => {
  putClaim(0, owner('Pod', 'migration'));
  put({});
  expect(sync()).toEqual(['create pods web-0']);
  sync();
  expect(ownersOf(0)).toEqual(['Pod migration', 'StatefulSet web']);
});

test.each(['before', 'after'])(
  'it is left alone with its owners, also where the other one stands %s the set',
  (where) => {
    put({});
    sync();
    runAll(world);
    const [set] = world.list(statefulsets);
    const ours = owner('StatefulSet', 'web', {
      uid: set?.metadata.uid ?? '',
      controller: true,
      blockOwnerDeletion: true,
    });
    const theirs = owner('Pod', 'migration');
    putClaim(0, ...(where === 'before' ? [theirs, ours] : [ours, theirs]));
    expect(sync()).toEqual([]);
  },
);

test('a claim that another pod controls is used, and not touched', () => {
  putClaim(0, owner('Pod', 'migration', { controller: true }));
  put({});
  expect(sync()).toEqual(['create pods web-0']);
  expect(sync()).toEqual(['emit ConflictingController']);
  runAll(world);
  expect(sync()).toEqual([]);
  expect(ownersOf(0)).toEqual(['Pod migration']);
});

test('that somebody else controls a claim is said in the words of upstream', () => {
  putClaim(0, owner('ReplicaSet', 'x', { controller: true }));
  put({});
  sync();
  expect(said(planned())).toEqual([
    'PersistentVolumeClaim data-web-0 has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim',
  ]);
});

test.each([
  ['an earlier set', owner('StatefulSet', 'web')],
  ['an earlier set that controls it', owner('StatefulSet', 'web', { controller: true })],
  ['an earlier pod', owner('Pod', 'web-0', { controller: true })],
])('a claim of %s of the same name is left to the collector', (_, stale) => {
  put({});
  sync();
  runAll(world);
  putClaim(0, stale);
  expect(sync()).toEqual([]);
  expect(ownersOf(0)).toEqual([`${stale.kind} ${stale.name}`]);
});

test('claims of pods that are to go follow them, also one that somebody else deletes first', () => {
  put({ replicas: 3, podManagementPolicy: 'OrderedReady' });
  for (let round = 0; round < 6; round++) {
    sync();
    runAll(world);
  }
  change({ replicas: 1 });
  world.put(pods, terminating(pod(2)));
  expect(planned().map(line)).toContain(
    'patch persistentvolumeclaims data-web-2 then patch persistentvolumeclaims data-web-1',
  );
  sync();
  expect([1, 2].map(ownersOf)).toEqual([['Pod web-1'], ['Pod web-2']]);
});

test('a policy that changes is told of as an update of the pod', () => {
  put({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Retain' } });
  sync();
  runAll(world);
  change({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Delete' } });
  expect(said(planned())).toEqual(['update Pod web-0 in StatefulSet web successful']);
});

test('a claim that is refused is told of twice: by itself, and as what holds up its pod', () => {
  put({ replicas: 1 });
  const [create] = planned().flatMap((action) => (action.do === 'inOrder' ? action.actions : []));
  expect(create?.do === 'create' && create.announce?.failed).toEqual([
    { reason: 'FailedCreate', note: 'create Claim data-web-0 for Pod web-0 in StatefulSet web failed error: {error}' },
    {
      reason: 'FailedCreate',
      note: 'create Pod web-0 in StatefulSet web failed error: failed to create PVC data-web-0: {error}',
    },
  ]);
});
