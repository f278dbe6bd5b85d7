import { beforeEach, expect, test } from 'vitest';
import { nodes, pods, volumeattachments } from '../api/generated/kinds.ts';
import { attachController } from '../controllers/attachdetach/controller.ts';
import {
  attachmentOf,
  changeNode,
  putDriver,
  putMachine,
  putVolume,
  removePod,
  say,
  statusNameOf,
  testDriver,
  userOf,
} from '../testing/attach-world.ts';
import { createWorld, node, reconcile, terminating, type World } from '../testing/plan-world.ts';
import { whyNotAttached } from './attachments.ts';
import { schedulingBy } from './world.ts';

const waiting = userOf('data', 'two', 'node-2');
let world: World;

beforeEach(() => {
  world = createWorld();
  putDriver(world);
  for (const name of ['node-1', 'node-2']) putMachine(world, name);
  putVolume(world, 'data');
  world.put(pods, waiting);
});

const attach = (): unknown => reconcile(world, { controller: attachController, key: 'v-data' });

function why(pod = waiting): string | undefined {
  const machines = new Map(world.list(nodes).map((each) => [each.metadata.name, each]));
  const judge = () => {
    throw new Error('nobody is judged');
  };
  return whyNotAttached(pod, {
    caches: world,
    nodes: machines,
    nowMs: world.nowMs,
    scheduling: schedulingBy(undefined),
    judge,
  })?.why;
}

test('who has begun waits for no volume, and neither does who mounts none', () => {
  const state = { running: {} };
  const containerStatuses = [{ name: 'app', image: '', imageID: '', ready: true, restartCount: 0, state }];
  expect(why({ ...waiting, status: { containerStatuses } })).toBeUndefined();
  expect(why({ ...waiting, spec: { ...waiting.spec, volumes: [] } })).toBeUndefined();
});

test('on its own node: asked for, late, failed, attached', () => {
  expect(why()).toBe('volume v-data is not attached');
  attach();
  world.nowMs += 30_000;
  expect(why()).toBe(`${testDriver} has not attached volume v-data yet for 30s`);
  say(world, attachmentOf(world, 'data', 'node-2'), { attached: false, attachError: { message: 'no room' } });
  expect(why()).toBe(`${testDriver} cannot attach volume v-data: no room`);
  say(world, attachmentOf(world, 'data', 'node-2'), { attached: true });
  expect(why()).toBe('volume v-data was attached just now');
  const volumesAttached = [{ name: statusNameOf('data'), devicePath: '' }];
  changeNode(world, 'node-2', (machine) => ({ ...machine, status: { ...machine.status, volumesAttached } }));
  expect(why()).toBeUndefined();
  const own = attachmentOf(world, 'data', 'node-2');
  if (own !== undefined) world.put(volumeattachments, terminating(own));
  expect(why()).toBe('volume v-data is being detached from this node first');
});

test('a node that no controller attaches to', () => {
  world.put(nodes, node('node-2'));
  expect(why()).toBe('volume v-data is not attached, and no controller attaches to node node-2');
});

test('on another node: used there, not let go of, being detached', () => {
  removePod(world, 'two');
  world.put(pods, userOf('data', 'one', 'node-1'));
  attach();
  say(world, attachmentOf(world, 'data', 'node-1'), { attached: true });
  world.put(pods, waiting);
  const there = 'volume v-data is attached to node node-1, and only one node may have it';
  expect(why()).toBe(`${there}: default/one uses it there`);
  removePod(world, 'one');
  expect(why()).toBe(`${there}: nobody needs it there any more, and the node has not let go of it`);
  const held = attachmentOf(world, 'data', 'node-1');
  if (held !== undefined) world.put(volumeattachments, terminating(held));
  expect(why()).toBe('volume v-data is being detached from node node-1');
});
