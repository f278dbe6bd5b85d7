import { beforeEach, describe, expect, test } from 'vitest';
import type { Node } from '../../api/generated/core-v1.ts';
import {
  csidrivers,
  nodes,
  persistentvolumeclaims,
  persistentvolumes,
  pods,
  volumeattachments,
} from '../../api/generated/kinds.ts';
import {
  attachmentOf,
  changeNode,
  nameAt,
  putDriver,
  putMachine,
  putVolume,
  removePod,
  say,
  statusNameOf,
  testDriver,
  userOf,
} from '../../testing/attach-world.ts';
import { createWorld, line, node, startMs, terminating, type World } from '../../testing/plan-world.ts';
import { attachController, attachedController } from './controller.ts';
import type { Memory } from './volume-plan.ts';
import { elsewhere } from './words.ts';

let world: World;
let memories: Map<string, Memory>;

beforeEach(() => {
  world = createWorld();
  memories = new Map();
  putDriver(world);
  for (const name of ['node-1', 'node-2']) putMachine(world, name);
  putVolume(world, 'data');
});

const short: readonly (readonly [string, string])[] = ['node-1', 'node-2'].map((name) => [
  nameAt('data', name),
  `data@${name}`,
]);

/** One look at the volume, then at both nodes: what was done, with events in their words. */
function look(claim = 'data'): readonly string[] {
  const lines: string[] = [];
  const act = (actions: readonly Parameters<typeof line>[0][]): void => {
    for (const action of actions.flatMap((each) => (each.do === 'inOrder' ? each.actions : [each]))) {
      const told =
        action.do === 'emit' ? `${action.regarding.metadata.name} ${action.reason}: ${action.note}` : line(action);
      lines.push(short.reduce((text, [name, as]) => text.replace(name, as), told));
      world.apply(action);
    }
  };
  const volume = `v-${claim}`;
  const seen = attachController.observe(volume, world, memories.get(volume));
  if (seen !== undefined) {
    const { actions, memory } = attachController.plan(seen, world.nowMs);
    if (memory === undefined) memories.delete(volume);
    else memories.set(volume, memory);
    act(actions);
  }
  for (const name of ['node-1', 'node-2']) {
    const there = attachedController.observe(name, world, undefined);
    if (there !== undefined) act(attachedController.plan(there, world.nowMs).actions);
  }
  return lines;
}

const use =
  (...names: readonly string[]) =>
  (machine: Node): Node => ({
    ...machine,
    status: { ...machine.status, volumesInUse: names },
  });
const inUse = use(statusNameOf('data'));
const unready = (machine: Node): Node => ({
  ...machine,
  status: { ...machine.status, conditions: [{ type: 'Ready', status: 'Unknown' }] },
});
const listedOn = (name: string): readonly string[] =>
  (world.of(nodes).get(name)?.status.volumesAttached ?? []).map((each) => each.name);
const succeeded = 'SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "v-data" ';

/** A pod runs on node-1, where its volume is attached and mounted. */
function running(): void {
  world.put(pods, userOf('data', 'one', 'node-1'));
  look();
  say(world, attachmentOf(world, 'data', 'node-1'), { attached: true });
  look();
  changeNode(world, 'node-1', inUse);
}

describe('attaching', () => {
  test('a pod on a node makes an attachment; the node is told, and the pod, once the driver has attached', () => {
    expect(look()).toEqual([]);
    world.put(pods, userOf('data', 'one', 'node-1'));
    expect(look()).toEqual(['create volumeattachments data@node-1']);
    const attachment = attachmentOf(world, 'data', 'node-1');
    expect(attachment?.spec).toEqual({
      attacher: testDriver,
      nodeName: 'node-1',
      source: { persistentVolumeName: 'v-data' },
    });
    expect(look()).toEqual([]);
    say(world, attachment, { attached: true });
    expect(look()).toEqual(['patch nodes node-1', `one ${succeeded}`]);
    expect(world.of(nodes).get('node-1')?.status.volumesAttached).toEqual([
      { name: statusNameOf('data'), devicePath: '' },
    ]);
    expect(look()).toEqual([]);
  });

  test.each<[string, () => unknown]>([
    ['has no node', () => world.put(pods, userOf('data', 'one', ''))],
    ['is over', () => world.put(pods, { ...userOf('data', 'one', 'node-1'), status: { phase: 'Succeeded' } })],
    ['is to go and runs nothing', () => world.put(pods, terminating(userOf('data', 'one', 'node-1')))],
    ['is on a node that attaches by itself', () => world.put(nodes, node('node-1'))],
    ['is on a node that is gone', () => world.remove(nodes, node('node-1'))],
    ['mounts a volume whose driver attaches nothing', () => putDriver(world, { attachRequired: false })],
    [
      'mounts a claim that is not bound',
      () => {
        const claim = world.list(persistentvolumeclaims)[0];
        if (claim !== undefined) world.put(persistentvolumeclaims, { ...claim, status: { phase: 'Pending' } });
      },
    ],
    [
      'mounts a claim whose volume is another’s',
      () => {
        const [volume] = world.list(persistentvolumes);
        const claimRef = { ...volume?.spec.claimRef, uid: 'other' };
        if (volume !== undefined) world.put(persistentvolumes, { ...volume, spec: { ...volume.spec, claimRef } });
      },
    ],
    [
      'mounts a folder of its node',
      () => {
        const [volume] = world.list(persistentvolumes);
        if (volume === undefined) return;
        const { csi: _csi, ...spec } = volume.spec;
        world.put(persistentvolumes, { ...volume, spec: { ...spec, hostPath: { path: '/data' } } });
      },
    ],
  ])('nothing is attached for a pod that %s', (_what, happens) => {
    world.put(pods, userOf('data', 'one', 'node-1'));
    happens();
    expect(look()).toEqual([]);
  });

  test('a driver that says nothing of itself has its volumes attached', () => {
    for (const driver of world.list(csidrivers)) world.remove(csidrivers, driver);
    world.put(pods, userOf('data', 'one', 'node-1'));
    expect(look()).toEqual(['create volumeattachments data@node-1']);
  });

  test('an attachment that somebody has made by hand is neither counted nor deleted', () => {
    world.put(volumeattachments, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { ...node('mine').metadata },
      spec: { attacher: testDriver, nodeName: 'node-2', source: { persistentVolumeName: 'v-data' } },
      status: { attached: true },
    });
    expect(look()).toEqual([]);
    world.put(pods, userOf('data', 'one', 'node-1'));
    expect(look()).toEqual(['create volumeattachments data@node-1']);
  });

  test('a driver that fails is told of once for each time, one that says nothing every two minutes', () => {
    world.put(pods, userOf('data', 'one', 'node-1'));
    look();
    world.nowMs = startMs + 119_000;
    expect(look()).toEqual([]);
    world.nowMs = startMs + 120_000;
    const late =
      'one FailedAttachVolume: AttachVolume.Attach failed for volume "v-data" : timed out waiting for external-attacher of disk.example.com CSI driver to attach volume h-data';
    expect(look()).toEqual([late]);
    expect(look()).toEqual([]);
    world.nowMs = startMs + 240_000;
    expect(look()).toEqual([late]);
    const attachError = { time: '2024-01-01T00:05:00Z', message: 'no room' };
    say(world, attachmentOf(world, 'data', 'node-1'), { attached: false, attachError });
    const failed = 'one FailedAttachVolume: AttachVolume.Attach failed for volume "v-data" : no room';
    expect(look()).toEqual([failed]);
    expect(look()).toEqual([]);
    const again = { ...attachError, time: '2024-01-01T00:05:30Z' };
    say(world, attachmentOf(world, 'data', 'node-1'), { attached: false, attachError: again });
    expect(look()).toEqual([failed]);
    say(world, attachmentOf(world, 'data', 'node-1'), { attached: true });
    expect(look()).toEqual(['patch nodes node-1', `one ${succeeded}`]);
  });
});

describe('one node at a time', () => {
  const why = (words: string): string => `two FailedAttachVolume: Multi-Attach error for volume "v-data" ${words}`;

  test.each<[string, readonly string[], boolean]>([
    ['ReadWriteOnce', ['ReadWriteOnce'], true],
    ['ReadWriteOncePod', ['ReadWriteOncePod'], true],
    ['ReadWriteMany', ['ReadWriteMany'], false],
    ['ReadOnlyMany beside ReadWriteOnce', ['ReadWriteOnce', 'ReadOnlyMany'], false],
    ['nothing said', [], false],
  ])('%s', (_what, modes, isExclusive) => {
    putVolume(world, 'data', modes);
    world.put(pods, userOf('data', 'one', 'node-1'));
    world.put(pods, userOf('data', 'two', 'node-2'));
    const both = ['create volumeattachments data@node-1', 'create volumeattachments data@node-2'];
    expect(look()).toEqual(isExclusive ? both.slice(0, 1) : both);
  });

  test('who waits is told once that it is elsewhere, and by whom', () => {
    running();
    world.put(pods, userOf('data', 'two', 'node-2'));
    expect(look()).toEqual([why('Volume is already used by pod(s) one')]);
    expect(look()).toEqual([]);
  });

  test.each<[readonly string[], string]>([
    [[], "Volume is already exclusively attached to one node and can't be attached to another"],
    [['default/one', 'default/three'], 'Volume is already used by pod(s) one, three'],
    [['default/one', 'far/one'], 'Volume is already used by pod(s) one and 1 pod(s) in different namespaces'],
    [['far/one', 'far/two'], 'Volume is already used by 2 pod(s) in different namespaces'],
  ])('by %j: nobody is told the names of pods in other namespaces', (names, words) => {
    const there = names.map((key) => {
      const [namespace = '', name = ''] = key.split('/');
      const pod = userOf('data', name, 'node-1');
      return { ...pod, metadata: { ...pod.metadata, namespace } };
    });
    const [volume] = world.list(persistentvolumes);
    if (volume === undefined) throw new Error('no volume');
    const note = elsewhere(volume, { pod: userOf('data', 'two', 'node-2'), there });
    expect(`two FailedAttachVolume: ${note}`).toBe(why(words));
  });

  test('the next node gets it when the one before has let go of it', () => {
    running();
    world.put(pods, userOf('data', 'two', 'node-2'));
    look();
    removePod(world, 'one');
    expect(look()).toEqual([]);
    changeNode(world, 'node-1', use());
    // First the node may not count on it any more, then it is detached.
    expect(look()).toEqual(['patch nodes node-1']);
    expect(look()).toEqual(['delete volumeattachments data@node-1']);
    expect(look()).toEqual(['create volumeattachments data@node-2']);
  });

  test('while it is being detached nobody else gets it', () => {
    running();
    removePod(world, 'one');
    changeNode(world, 'node-1', use());
    look();
    const going = attachmentOf(world, 'data', 'node-1');
    if (going !== undefined) world.put(volumeattachments, terminating(going));
    world.put(pods, userOf('data', 'two', 'node-2'));
    expect(look()).toEqual([]);
    if (going !== undefined) world.remove(volumeattachments, going);
    expect(look()).toEqual(['create volumeattachments data@node-2']);
  });
});

describe('two volumes that are one for their driver', () => {
  beforeEach(() => {
    putVolume(world, 'more');
    const more = world.of(persistentvolumes).get('v-more');
    if (more === undefined) throw new Error('no volume');
    const csi = { driver: testDriver, volumeHandle: 'h-data' };
    world.put(persistentvolumes, { ...more, spec: { ...more.spec, csi } });
  });

  test('are attached once, by the first of them, and stay as long as a pod of either needs it', () => {
    running();
    world.put(pods, userOf('more', 'other', 'node-1'));
    expect([...look(), ...look('more')]).toEqual([]);
    removePod(world, 'one');
    changeNode(world, 'node-1', use());
    expect([...look(), ...look('more')]).toEqual([]);
    expect(listedOn('node-1')).toEqual([statusNameOf('data')]);
    removePod(world, 'other');
    expect([...look(), ...look()]).toEqual(['patch nodes node-1', 'delete volumeattachments data@node-1']);
  });

  test('are at one node, if one node may have them', () => {
    running();
    world.put(pods, userOf('more', 'other', 'node-2'));
    expect([...look('more'), ...look()]).toEqual([
      'other FailedAttachVolume: Multi-Attach error for volume "v-data" Volume is already used by pod(s) one',
    ]);
  });
});

describe('letting go', () => {
  test('what a pod still runs with stays, whoever wants it gone', () => {
    running();
    const pod = world.list(pods)[0];
    if (pod === undefined) throw new Error('no pod');
    const containerStatuses = [
      { name: 'app', image: '', imageID: '', ready: true, restartCount: 0, state: { running: {} } },
    ];
    world.put(pods, terminating({ ...pod, status: { phase: 'Running', containerStatuses } }));
    changeNode(world, 'node-1', use());
    expect(look()).toEqual([]);
  });

  test('a pod that comes back in time keeps it', () => {
    running();
    removePod(world, 'one');
    expect(look()).toEqual([]);
    world.put(pods, userOf('data', 'again', 'node-1'));
    changeNode(world, 'node-1', use());
    expect(look()).toEqual([]);
    expect(listedOn('node-1')).toEqual([statusNameOf('data')]);
  });

  test('a node that is not ready has six minutes, from when nobody wants it', () => {
    running();
    changeNode(world, 'node-1', unready);
    world.nowMs += 3_600_000;
    expect(look()).toEqual([]);
    removePod(world, 'one');
    expect(look()).toEqual([]);
    world.nowMs += 359_000;
    expect(look()).toEqual([]);
    world.nowMs += 1_000;
    expect(look()).toEqual(['delete volumeattachments data@node-1', 'patch nodes node-1']);
  });

  test('a node that is ready keeps what it mounts for as long as it says so', () => {
    running();
    removePod(world, 'one');
    look();
    world.nowMs += 3_600_000;
    expect(look()).toEqual([]);
    changeNode(world, 'node-1', unready);
    expect(look()).toEqual(['delete volumeattachments data@node-1', 'patch nodes node-1']);
  });

  test('from a node that is gone nothing is taken while its pods are there, and then for six minutes', () => {
    running();
    world.remove(nodes, node('node-1'));
    look();
    world.nowMs += 3_600_000;
    expect(look()).toEqual([]);
    removePod(world, 'one');
    expect(look()).toEqual([]);
    world.nowMs += 360_000;
    expect(look()).toEqual(['delete volumeattachments data@node-1']);
  });

  test('from a node that is out of service it goes at once', () => {
    running();
    const out = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
    changeNode(world, 'node-1', (machine) => unready({ ...machine, spec: { taints: [out] } }));
    expect(look()).toEqual([]);
    removePod(world, 'one');
    expect(look()).toEqual(['delete volumeattachments data@node-1', 'patch nodes node-1']);
  });

  test('also when its volume is gone, by the name that its node has for it', () => {
    running();
    removePod(world, 'one');
    for (const volume of world.list(persistentvolumes)) world.remove(persistentvolumes, volume);
    expect(look()).toEqual([]);
    changeNode(world, 'node-1', use('kubernetes.io/csi/other^h', 'kubernetes.io/iscsi/x'));
    expect(look()).toEqual(['patch nodes node-1']);
    expect(look()).toEqual(['delete volumeattachments data@node-1']);
  });

  test('what a node says of volumes that are nobody’s here stays', () => {
    const other = { name: 'kubernetes.io/iscsi/10.0.0.1:3260:iqn:0', devicePath: '/dev/sdb' };
    changeNode(world, 'node-1', (machine) => ({
      ...machine,
      status: { ...machine.status, volumesAttached: [other, { name: statusNameOf('stale'), devicePath: '' }] },
    }));
    expect(look()).toEqual(['patch nodes node-1']);
    expect(listedOn('node-1')).toEqual([other.name]);
  });
});
