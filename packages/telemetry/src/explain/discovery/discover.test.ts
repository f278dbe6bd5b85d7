import { expect, test } from 'vitest';
import type { LabelSet } from '../../relabel/execute.ts';
import { objectsOf } from '../../testing/world.ts';
import { worldOf } from '../../world/world.ts';
import { withImagined } from '../imagined.ts';
import { describeTarget, discover } from './discover.ts';

const world = worldOf(
  withImagined(
    objectsOf(`
apiVersion: v1
kind: Node
metadata: { name: node-1, labels: { topology.kubernetes.io/zone: a } }
status: { addresses: [{ type: InternalIP, address: 10.1.0.1 }], daemonEndpoints: { kubeletEndpoint: { Port: 10250 } } }
---
apiVersion: v1
kind: Pod
metadata: { name: web-1, namespace: shop, labels: { app: web, pod.kind/of: shop } }
spec:
  nodeName: node-1
  containers:
    - { name: web, image: web, ports: [{ name: http, containerPort: 8080 }, { containerPort: 9090 }] }
    - { name: log, image: log }
status: { phase: Running, podIP: 10.0.0.1, podIPs: [{ ip: 10.0.0.1 }], conditions: [{ type: Ready, status: "True" }] }
---
apiVersion: v1
kind: Pod
metadata: { name: web-2, namespace: shop, labels: { app: web } }
spec: { containers: [{ name: web, image: web }] }
status: { phase: Pending }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop, labels: { tier: front } }
spec: { selector: { app: web }, ports: [{ name: main, port: 80, targetPort: http }] }
---
apiVersion: v1
kind: Service
metadata: { name: out, namespace: shop }
spec: { ports: [{ name: db, port: 5432 }] }
---
apiVersion: v1
kind: Endpoints
metadata: { name: out, namespace: shop }
subsets: [{ addresses: [{ ip: 192.168.0.9 }], ports: [{ name: db, port: 5432 }] }]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: shop, namespace: shop }
spec:
  tls: [{ hosts: [shop.example.com] }]
  rules: [{ host: shop.example.com, http: { paths: [{ path: /a }, { path: /b }] } }]
`),
  ),
);

const found = (section: object): readonly LabelSet[] =>
  discover({ kubernetes_sd_configs: [section] }, world, { home: 'monitoring' }).targets;

function lines(section: object, ...labels: readonly string[]): readonly string[] {
  return found(section).map((target) =>
    [target['__address__'], ...labels.map((label) => target[`__meta_kubernetes_${label}`] ?? '-')].join(' '),
  );
}

test('a pod is one target per declared port and per container without one; without an address it is none', () => {
  expect(lines({ role: 'pod' }, 'pod_container_name', 'pod_container_port_name', 'pod_ready')).toEqual([
    '10.0.0.1:8080 web http true',
    '10.0.0.1:9090 web  true',
    '10.0.0.1 log - true',
  ]);
  expect(found({ role: 'pod' })[0]).toMatchObject({
    __meta_kubernetes_pod_label_pod_kind_of: 'shop',
    __meta_kubernetes_pod_labelpresent_pod_kind_of: 'true',
  });
});

test.each([
  ['endpoints', 'endpoint'],
  ['endpointslice', 'endpointslice'],
])('%s are the ports of Services, and those of their pods that no Service leads to', (role, prefix) => {
  expect(
    lines(
      { role },
      'service_name',
      `${prefix}_port_name`,
      'pod_container_port_number',
      `${prefix}_address_target_kind`,
    ),
  ).toEqual(['192.168.0.9:5432 out db - ', '10.0.0.1:8080 web main 8080 Pod', '10.0.0.1:9090 web - 9090 -']);
});

test('nodes are attached when a job asks for them', () => {
  const label = 'node_label_topology_kubernetes_io_zone';
  expect(lines({ role: 'pod' }, label)[0]).toBe('10.0.0.1:8080 -');
  expect(lines({ role: 'pod', attach_metadata: { node: true } }, label)[0]).toBe('10.0.0.1:8080 a');
  expect(lines({ role: 'endpoints', attach_metadata: { node: true } }, label)[1]).toBe('10.0.0.1:8080 a');
});

test.each<[string, object, readonly string[]]>([
  ['nodes by their kubelets', { role: 'node' }, ['10.1.0.1:10250']],
  ['ports of Services', { role: 'service' }, ['out.shop.svc:5432', 'web.shop.svc:80']],
  ['paths of Ingresses', { role: 'ingress' }, ['shop.example.com', 'shop.example.com']],
  ['nothing in other namespaces', { role: 'service', namespaces: { names: ['elsewhere'] } }, []],
  ['nothing of its own namespace', { role: 'pod', namespaces: { own_namespace: true } }, []],
  [
    'what a selector picks',
    { role: 'endpoints', selectors: [{ role: 'service', label: 'tier=front' }] },
    ['10.0.0.1:8080', '10.0.0.1:9090'],
  ],
  ['what a field picks', { role: 'pod', selectors: [{ role: 'pod', field: 'spec.nodeName=node-2' }] }, []],
])('%s', (_, section, addresses) => expect(lines(section)).toEqual(addresses));

test('static targets have their labels, and what others say is not foretold', () => {
  const job = {
    static_configs: [{ targets: ['a:1'], labels: { env: 'x' } }],
    http_sd_configs: [{ url: 'http://x' }],
    kubernetes_sd_configs: [{ role: 'pod', api_server: 'https://other' }],
  };
  const { targets, unknown } = discover(job, world, { home: 'monitoring' });
  expect(targets[0]).toEqual({ __address__: 'a:1', env: 'x' });
  expect(unknown).toEqual(['http_sd_configs', 'the cluster at https://other']);
  expect(targets.map(describeTarget).slice(0, 2)).toEqual(['', 'Pod shop/web-1']);
});
