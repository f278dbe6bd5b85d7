import { beforeEach, describe, expect, test } from 'vitest';
import type { Pod, Service } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { endpointslices, nodes, pods, services } from '../../api/generated/kinds.ts';
import {
  createWorld,
  meta,
  node,
  podSpec,
  ready,
  reconcile,
  terminating,
  unready,
  type World,
} from '../../testing/plan-world.ts';
import { controllerReference } from '../../workloads/owner.ts';
import type { Served } from '../../workloads/serving.ts';
import { managedByLabel, serviceNameLabel } from '../../workloads/slices.ts';
import { endpointsliceController } from './controller.ts';
import { managedBy } from './plan.ts';

let world: World;
let memories: Map<string, Served>;
const key = 'default/web';

beforeEach(() => {
  world = createWorld();
  memories = new Map();
});

function service(spec: Partial<Service['spec']> = {}, labels: Record<string, string> = {}): Service {
  const ports = [{ port: 80, targetPort: 8080, protocol: 'TCP' }];
  const metadata = meta('web', { labels });
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { selector: { app: 'web' }, ports, ...spec },
    status: {},
  };
}

function pod(name: string, ip: string, spec: Partial<Pod['spec']> = {}): Pod {
  const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }] };
  const metadata = meta(name, { labels: { app: 'web' } });
  return ready({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...podSpec, nodeName: 'n1', ...spec }, status });
}

/** Verbs alone: the names of slices are made up by the server. */
function sync(): readonly string[] {
  const lines = reconcile(world, { controller: endpointsliceController, key, memories });
  world.nowMs += 10_000;
  return lines.map((text) => text.split(' ')[0] ?? '');
}

function slices(): readonly EndpointSlice[] {
  return world.list(endpointslices);
}

/** `a r·· ` ready, `s` serving, `t` terminating */
function endpointsText(): readonly string[] {
  return slices().flatMap(({ endpoints }) =>
    (endpoints ?? []).map(({ targetRef, conditions = {} }) => {
      const { ready: isReady, serving, terminating: isTerminating } = conditions;
      return `${targetRef?.name} ${isReady ? 'r' : '·'}${serving ? 's' : '·'}${isTerminating ? 't' : '·'}`;
    }),
  );
}

describe('slices', () => {
  test('carry the labels of the Service and their own, and belong to it', () => {
    const web = world.put(services, service({ clusterIP: 'None' }, { team: 'x' }));
    expect(sync()).toEqual(['create']);
    expect(slices()[0]).toMatchObject({
      metadata: {
        labels: {
          team: 'x',
          'kubernetes.io/service-name': 'web',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
          'service.kubernetes.io/headless': '',
        },
        ownerReferences: [controllerReference(web)],
      },
      addressType: 'IPv4',
      endpoints: [],
      ports: [],
    });
    expect(sync()).toEqual([]);
  });

  test('the empty one is used for the first endpoints and is left at the end', () => {
    world.put(services, service());
    sync();
    world.put(pods, pod('a', '10.0.0.1'));
    expect(sync()).toEqual(['update']);
    expect(slices()[0]?.ports).toEqual([{ name: '', port: 8080, protocol: 'TCP' }]);
    world.remove(pods, pod('a', ''));
    expect(sync()).toEqual(['update']);
    expect(slices().map(({ endpoints, ports }) => [endpoints, ports])).toEqual([[[], []]]);
    expect(sync()).toEqual([]);
  });

  test('tell of each pod its address, node, zone, hostname and state', () => {
    world.put(nodes, node('n1', { labels: { 'topology.kubernetes.io/zone': 'z1' } }));
    world.put(services, service());
    world.put(pods, pod('a', '10.0.0.1', { hostname: 'a-0', subdomain: 'web' }));
    sync();
    expect(slices()[0]?.endpoints).toEqual([
      {
        addresses: ['10.0.0.1'],
        conditions: { ready: true, serving: true, terminating: false },
        hostname: 'a-0',
        nodeName: 'n1',
        targetRef: { kind: 'Pod', namespace: 'default', name: 'a', uid: 'uid-of-a' },
        zone: 'z1',
      },
    ]);
  });

  test.each<[string, boolean, Pod, readonly string[]]>([
    ['a ready pod', false, pod('a', '1.1.1.1'), ['a rs·']],
    ['a pod that is not ready', false, unready(pod('a', '1.1.1.1')), ['a ···']],
    ['a pod that ends but still answers', false, terminating(pod('a', '1.1.1.1')), ['a ·st']],
    ['a pod that is not ready but published', true, unready(pod('a', '1.1.1.1')), ['a r··']],
    ['a pod without an address', false, pod('a', ''), []],
    ['a pod that has ended', false, { ...pod('a', '1.1.1.1'), status: { phase: 'Succeeded', podIP: '1.1.1.1' } }, []],
  ])('%s', (_, publishNotReadyAddresses, each, expected) => {
    world.put(services, service({ publishNotReadyAddresses }));
    world.put(pods, each);
    sync();
    expect(endpointsText()).toEqual(expected);
  });

  test('hold a hundred each; one change writes one of them', () => {
    world.put(services, service());
    for (let index = 0; index < 250; index++) world.put(pods, pod(`p${index}`, `10.0.${index >> 8}.${index & 255}`));
    expect(sync()).toEqual(['create', 'create', 'create']);
    expect(slices().map(({ endpoints }) => endpoints.length)).toEqual([100, 100, 50]);
    world.put(pods, unready(pod('p120', '10.0.0.120')));
    expect(sync()).toEqual(['update']);
    world.put(pods, pod('late', '10.1.0.1'));
    expect(sync()).toEqual(['update']);
    expect(slices().map(({ endpoints }) => endpoints.length)).toEqual([100, 100, 51]);
  });

  test('pods for which a named port means something else get slices of their own', () => {
    const containers = (containerPort: number): Partial<Pod['spec']> => ({
      containers: [{ name: 'app', image: 'x', ports: [{ name: 'http', containerPort }] }],
    });
    world.put(services, service({ ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }] }));
    world.put(pods, pod('a', '10.0.0.1', containers(1)));
    world.put(pods, pod('b', '10.0.0.2', containers(2)));
    sync();
    expect(slices().map(({ ports }) => ports?.map(({ name, port }) => `${name}:${port}`))).toEqual([
      ['http:1'],
      ['http:2'],
    ]);
  });

  test('a changed port is written into the slice that is there', () => {
    world.put(services, service());
    world.put(pods, pod('a', '10.0.0.1'));
    sync();
    const [before] = slices();
    world.put(services, service({ ports: [{ port: 80, targetPort: 9090, protocol: 'TCP', appProtocol: 'http' }] }));
    expect(sync()).toEqual(['update']);
    expect(slices().map(({ metadata }) => metadata.name)).toEqual([before?.metadata.name]);
    expect(slices()[0]?.ports).toEqual([{ name: '', port: 9090, protocol: 'TCP', appProtocol: 'http' }]);
  });

  test('changed labels of the Service reach every slice', () => {
    world.put(services, service());
    for (let index = 0; index < 101; index++) world.put(pods, pod(`p${index}`, `10.0.0.${index}`));
    sync();
    world.put(services, service({}, { team: 'y' }));
    expect(sync()).toEqual(['update', 'update']);
    expect(slices().every(({ metadata }) => metadata.labels?.['team'] === 'y')).toBe(true);
  });

  test('each family has its own', () => {
    world.put(services, service({ ipFamilies: ['IPv4', 'IPv6'] }));
    const both = pod('a', '10.0.0.1');
    world.put(pods, { ...both, status: { ...both.status, podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] } });
    expect(sync()).toEqual(['create', 'create']);
    expect(slices().map((each) => [each.addressType, each.endpoints[0]?.addresses])).toEqual([
      ['IPv4', ['10.0.0.1']],
      ['IPv6', ['fd00::1']],
    ]);
    world.put(services, service({ ipFamilies: ['IPv4'] }));
    expect(sync()).toEqual(['delete']);
  });
});

describe('what is not ours', () => {
  const foreign = (labels: Record<string, string>): EndpointSlice => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: meta('foreign', { labels }),
    addressType: 'IPv4',
    endpoints: [],
  });

  test('slices that somebody else manages stay', () => {
    world.put(services, service());
    world.put(endpointslices, foreign({ [serviceNameLabel]: 'web', [managedByLabel]: 'somebody' }));
    expect(sync()).toEqual(['create']);
    expect(sync()).toEqual([]);
  });

  test('slices of an earlier Service of that name go', () => {
    world.put(services, service());
    world.put(endpointslices, foreign({ [serviceNameLabel]: 'web', [managedByLabel]: managedBy }));
    expect(sync()).toEqual(['create', 'delete']);
  });

  test('Services without a selector and those that are going are left alone', () => {
    const { selector: _, ...spec } = service().spec;
    world.put(services, { ...service(), spec });
    expect(sync()).toEqual([]);
    world.put(services, terminating(service()));
    expect(sync()).toEqual([]);
  });
});
