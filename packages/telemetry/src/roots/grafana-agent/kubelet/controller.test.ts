import { type Endpoints, freeze, type Node, type Service } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { line } from '../../../testing/settle.ts';
import { planKubelets } from './controller.ts';
import { kubeletEndpoints, kubeletService } from './manifests.ts';

const name = { namespace: 'default', name: 'kubelet' };
const identity = { uid: 'u', resourceVersion: '1', creationTimestamp: '' };

function node(called: string, addresses: readonly { readonly type: string; readonly address: string }[]): Node {
  return freeze({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { ...identity, name: called, uid: `uid of ${called}` },
    spec: {},
    status: { addresses },
  }) as Node;
}

const nodes = [
  node('b', [{ type: 'InternalIP', address: '10.0.0.9' }]),
  node('a', [
    { type: 'ExternalIP', address: '1.1.1.1' },
    { type: 'InternalIP', address: '10.0.0.2' },
  ]),
  node('outside', [{ type: 'ExternalIP', address: '2.2.2.2' }]),
  node('no-address', [{ type: 'Hostname', address: 'x' }]),
];
const stored = <T>(object: object): T =>
  freeze({ ...object, metadata: { ...identity, ...(object as { metadata: object }).metadata } }) as T;
const live = {
  service: stored<Service>(kubeletService(name)),
  endpoints: stored<Endpoints>(kubeletEndpoints(name, nodes)),
};

test('every node with an address is there, the internal one first, sorted by address', () => {
  const [subset] = kubeletEndpoints(name, nodes).subsets ?? [];
  expect(subset?.addresses?.map(({ ip, targetRef }) => `${ip} ${targetRef?.name}`)).toEqual([
    '10.0.0.2 a',
    '10.0.0.9 b',
    '2.2.2.2 outside',
  ]);
  expect(subset?.ports?.map(({ name: port, port: number }) => `${port} ${number}`)).toEqual([
    'https-metrics 10250',
    'http-metrics 10255',
    'cadvisor 4194',
  ]);
});

test('the order of the nodes makes no difference', () => {
  expect(kubeletEndpoints(name, [...nodes].reverse())).toEqual(kubeletEndpoints(name, nodes));
});

test.each<[string, Partial<typeof live>, readonly Node[], readonly string[]]>([
  ['creates both', {}, nodes, ['create Service default/kubelet', 'create Endpoints default/kubelet']],
  ['leaves both alone when nothing changed', live, nodes, []],
  ['drops a node that is gone', live, nodes.slice(1), ['update Endpoints default/kubelet']],
  ['empties the addresses with the last node', live, [], ['update Endpoints default/kubelet']],
])('%s', (_, observed, present, expected) => {
  const plan = planKubelets(name, {
    service: undefined,
    endpoints: undefined,
    told: undefined,
    ...observed,
    nodes: present,
  });
  expect(plan.actions.map(line)).toEqual(expected);
});

test('a Service that another operator keeps is left to it, and that is said once', () => {
  const labels = { 'app.kubernetes.io/managed-by': 'prometheus-operator' };
  const service: Service = { ...live.service, metadata: { ...live.service.metadata, labels } };
  const first = planKubelets(name, { ...live, service, nodes: [], told: undefined });
  expect(first.actions.map(line)).toEqual([expect.stringContaining('emit NameTaken on Service default/kubelet')]);
  expect(planKubelets(name, { ...live, service, nodes: [], told: first.memory }).actions).toEqual([]);
});
