import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Kubectl, type ServedCluster, startServedCluster, until, withoutKubectl } from './served-cluster.ts';

const without = withoutKubectl();
let served: ServedCluster;
let kubectl: Kubectl;

const template = (name: string, spec = ''): string =>
  `{metadata: {labels: {app: ${name}}}, spec: {terminationGracePeriodSeconds: 0, ${spec} containers: [{name: a, image: b}]}}`;
const workloads = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: logs}
spec: {selector: {matchLabels: {app: logs}}, template: ${template('logs')}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: tolerant}
spec:
  selector: {matchLabels: {app: tolerant}}
  template: ${template('tolerant', 'tolerations: [{operator: Exists}],')}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: choosy}
spec:
  selector: {matchLabels: {app: choosy}}
  template: ${template('choosy', 'nodeSelector: {disk: ssd},')}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {replicas: 4, selector: {matchLabels: {app: web}}, template: ${template('web')}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
`;

/** The nodes of an app's pods, sorted. */
async function nodesOf(app: string): Promise<string> {
  const nodes = await kubectl(
    `get pods -l app=${app} --field-selector status.phase=Running -o jsonpath='{.items[*].spec.nodeName}'`,
  );
  return nodes.split(' ').sort().join(' ');
}

const runsOn = (app: string, nodes: string): Promise<string> =>
  until(
    () => nodesOf(app),
    (seen) => seen === nodes,
  );

beforeAll(async () => {
  if (without) return;
  served = await startServedCluster();
  ({ kubectl } = served);
  await kubectl('apply -f -', { stdin: workloads });
  await Promise.all(['ds/logs', 'deploy/web'].map((set) => kubectl(`rollout status ${set} --timeout=20s`)));
});

afterAll(async () => {
  const problems = served?.problems ?? [];
  await served?.close();
  expect(problems).toEqual([]);
});

describe.skipIf(without)('nodes', () => {
  test('a node that joins gets a daemon pod; one that leaves loses its lease and its place', async () => {
    const file = served.write('node.yaml', 'apiVersion: v1\nkind: Node\nmetadata: {name: node-9}\n');
    expect(await kubectl(`create -f ${file}`)).toBe('node/node-9 created');
    expect(await kubectl('wait --for=condition=Ready node/node-9 --timeout=10s')).toBe('node/node-9 condition met');
    await runsOn('logs', 'node-1 node-2 node-3 node-9');
    expect(await kubectl('delete node node-9 --timeout=10s')).toMatch(/^node "node-9" deleted/);
    await until(
      () => kubectl('get ds logs -o jsonpath={.status.desiredNumberScheduled}'),
      (desired) => desired === '3',
    );
    expect(await kubectl('get nodes -o name')).toBe('node/node-1\nnode/node-2\nnode/node-3');
    await kubectl('delete pods --field-selector spec.nodeName=node-9 --force --grace-period=0');
  });

  test('a NoExecute taint removes what does not tolerate it, and only that', async () => {
    await runsOn('tolerant', 'node-1 node-2 node-3');
    expect(await kubectl('taint node node-2 gone=yes:NoExecute')).toBe('node/node-2 tainted');
    await runsOn('logs', 'node-1 node-3');
    await until(
      () => nodesOf('web'),
      (nodes) => !nodes.includes('node-2') && nodes.split(' ').length === 4,
    );
    expect(await nodesOf('tolerant')).toBe('node-1 node-2 node-3');
    expect(await kubectl.refused('taint node node-2 gone=yes:NoExecute')).toContain('--overwrite is false');
    expect(await kubectl('taint node node-2 gone-')).toBe('node/node-2 untainted');
    await runsOn('logs', 'node-1 node-2 node-3');
  });

  test('labels of nodes add and remove the pods of a nodeSelector', async () => {
    expect(await nodesOf('choosy')).toBe('');
    await kubectl('label node node-3 disk=ssd');
    await runsOn('choosy', 'node-3');
    await kubectl('label node node-1 disk=ssd');
    await runsOn('choosy', 'node-1 node-3');
    await kubectl('label node node-3 disk-');
    await runsOn('choosy', 'node-1');
  });

  test('a cordoned node shows it, takes no pods and keeps its daemons', async () => {
    expect(await kubectl('cordon node-1')).toBe('node/node-1 cordoned');
    expect(await kubectl('get node node-1 --no-headers')).toMatch(/^node-1 +Ready,SchedulingDisabled +<none> /);
    expect(await kubectl('describe node node-1')).toMatch(/Unschedulable: +true/);
    await kubectl('scale deploy web --replicas=6');
    await kubectl('rollout status deploy/web --timeout=10s');
    const before = (await nodesOf('web')).split(' ').filter((node) => node === 'node-1').length;
    await kubectl('scale deploy web --replicas=9');
    await kubectl('rollout status deploy/web --timeout=10s');
    const after = (await nodesOf('web')).split(' ').filter((node) => node === 'node-1').length;
    expect(after).toBe(before);
    await kubectl('uncordon node-1');
    await kubectl('scale deploy web --replicas=4');
  });

  test('a drain spares daemons and heeds the disruption budget', async () => {
    await kubectl('rollout status deploy/web --timeout=10s');
    expect(await kubectl.refused('drain node-1 --timeout=10s')).toContain('cannot delete DaemonSet-managed Pods');
    const said = await kubectl.run('drain node-1 --ignore-daemonsets --timeout=40s');
    expect(said).toMatchObject({ code: 0 });
    expect(said.out).toMatch(/node\/node-1 (drained|evicted)/);
    expect(await nodesOf('logs')).toBe('node-1 node-2 node-3');
    await until(
      () => nodesOf('web'),
      (nodes) => !nodes.includes('node-1') && nodes.split(' ').length === 4,
    );
    await kubectl('uncordon node-1');
    await kubectl(`patch pdb web --type=merge -p '{"spec":{"minAvailable":4}}'`);
    await until(
      () => kubectl('get pdb web -o jsonpath={.status.disruptionsAllowed}'),
      (allowed) => allowed === '0',
    );
    const [node = ''] = (await nodesOf('web')).split(' ');
    const kept = await kubectl.run(`drain ${node} --ignore-daemonsets --timeout=1s`);
    expect(kept.code).not.toBe(0);
    expect(kept.err + kept.out).toContain(`Cannot evict pod as it would violate the pod's disruption budget`);
    await kubectl(`uncordon ${node}`);
  });

  test('why a pod waits is said in its events', async () => {
    const stdin = `apiVersion: v1\nkind: Pod\nmetadata: {name: big}\nspec: {containers: [{name: a, image: b, resources: {requests: {cpu: 100}}}]}\n`;
    await kubectl('create -f -', { stdin });
    const described = await until(
      () => kubectl('describe pod big'),
      (text) => text.includes('FailedScheduling'),
    );
    expect(described).toMatch(/0\/3 nodes are available: .*3 Insufficient cpu/);
    expect(await kubectl('get pod big --no-headers')).toMatch(/^big +0\/1 +Pending +0 /);
    await kubectl('delete pod big --now');
  });
});
