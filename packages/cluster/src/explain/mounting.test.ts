import { expect, test } from 'vitest';
import type { PodStatus } from '../api/generated/core-v1.ts';
import { events, nodes, pods } from '../api/generated/kinds.ts';
import { asked, causesOf } from '../testing/asked.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { createWorld, meta } from '../testing/plan-world.ts';

const setUp = 'MountVolume.SetUp failed for volume "v" : configmap "c" not found';
const late =
  'Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[]: context deadline exceeded';
const denied = 'MountVolume.SetUp failed for volume "v" : permission denied';
const mend = 'create what it names; the node tries again within two minutes';
const waiting = (reason: string): PodStatus => ({
  phase: 'Pending',
  containerStatuses: [
    { name: 'main', image: 'i', imageID: '', ready: false, restartCount: 0, state: { waiting: { reason } } },
  ],
});

test.each<[string, PodStatus, readonly string[], string]>([
  ['what is missing', waiting('ContainerCreating'), [setUp], `its node cannot mount its volumes: ${setUp} → ${mend}`],
  [
    'what is missing although it is late',
    waiting('ContainerCreating'),
    [setUp, late],
    `its node cannot mount its volumes: ${setUp} → ${mend}`,
  ],
  ['what else is wrong', waiting('ContainerCreating'), [denied], `its node cannot mount its volumes: ${denied}`],
  ['no more than that it waits', waiting('ContainerCreating'), [], 'container main waits: ContainerCreating'],
  [
    'what a container waits for that has its volumes',
    waiting('ImagePullBackOff'),
    [setUp],
    'container main waits: ImagePullBackOff → mend the name of the image, or the secrets that pull it',
  ],
])('of a pod that is being made it tells %s', (_what, status, messages, cause) => {
  const world = createWorld();
  world.put(nodes, makeNode('n'));
  const pod = world.put(pods, makePod('p', { node: 'n', status }));
  for (const [index, message] of messages.entries())
    world.put(events, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: meta(`p.${index}`),
      involvedObject: { kind: 'Pod', name: 'p', uid: pod.metadata.uid },
      reason: 'FailedMount',
      message,
      type: 'Warning',
      lastTimestamp: `2024-01-01T00:0${index}:00Z`,
    });
  expect(causesOf(asked(world, { type: pods, name: 'p' }))).toEqual([cause]);
});
