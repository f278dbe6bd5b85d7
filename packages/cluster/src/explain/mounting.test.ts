import { describe, expect, test } from 'vitest';
import type { Pod, PodStatus } from '../api/generated/core-v1.ts';
import { deployments, events, nodes, pods } from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import { causesOf, asked as explained } from '../testing/asked.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { createWorld, meta } from '../testing/plan-world.ts';
import { createTestCluster } from '../testing/test-cluster.ts';
import { explainLive } from './explain.ts';
import { type Listing, readWorld } from './world.ts';

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
  ['what is missing', waiting('ContainerCreating'), [setUp], `a volume cannot be mounted: ${setUp} → ${mend}`],
  [
    'what is missing although it is late',
    waiting('ContainerCreating'),
    [setUp, late],
    `a volume cannot be mounted: ${setUp} → ${mend}`,
  ],
  ['what else is wrong', waiting('ContainerCreating'), [denied], `a volume cannot be mounted: ${denied}`],
  ['no more than that it waits', waiting('ContainerCreating'), [], 'container main waits: ContainerCreating'],
  [
    'nothing of volumes that are there by now',
    {
      ...waiting('ContainerCreating'),
      conditions: [{ type: 'PodReadyToStartContainers', status: 'True' }],
    },
    [setUp],
    'container main waits: ContainerCreating',
  ],
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
  expect(causesOf(explained(world, { type: pods, name: 'p' }))).toEqual([cause]);
});

describe('what nodes said of mounts is listed', () => {
  const asked = async (type: ResourceType, pod: Pod): Promise<readonly (string | undefined)[]> => {
    const selectors: (string | undefined)[] = [];
    const list = async (each: ResourceType, { fieldSelector }: Listing): Promise<readonly KubeObject[]> => {
      if (each === events) selectors.push(fieldSelector);
      return each === pods ? [pod] : [];
    };
    await readWorld({ type, namespace: 'default', name: 'web' }, { source: { list }, nowMs: 0 });
    return selectors;
  };
  const own = 'involvedObject.name=web,type=Warning';
  const ofMounts = 'reason=FailedMount,type=Warning';

  test.each<[string, ResourceType, PodStatus, readonly string[]]>([
    ['of a workload with a pod that is being made', deployments, waiting('ContainerCreating'), [own, ofMounts]],
    ['not of one whose pods have begun', deployments, waiting('CrashLoopBackOff'), [own]],
    ['not besides its own of a pod', pods, waiting('ContainerCreating'), [own]],
  ])('%s', async (_what, type, status, selectors) => {
    expect(await asked(type, makePod('web', { node: 'n', status }))).toEqual(selectors);
  });
});

test('a Deployment says which ConfigMap its pods wait for', async () => {
  const cluster = await createTestCluster({ nodes: 2 });
  await cluster.applyYaml(`
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: main, image: "example/web:1" }]
      volumes: [{ name: v, configMap: { name: c } }]
`);
  await cluster.advance(5_000);
  const subject = { type: deployments, namespace: 'default', name: 'web' };
  const { signal } = new AbortController();
  const asking = explainLive(cluster.client, subject, { signal, nowMs: cluster.clock.nowMs() });
  const explanation = await cluster.during(asking);
  expect(explanation && causesOf(explanation)).toContain(
    `3 pods are not ready: a volume cannot be mounted: ${setUp} → ${mend}`,
  );
  await cluster.close();
});
