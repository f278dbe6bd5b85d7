import { beforeEach, describe, expect, test } from 'vitest';
import type { Endpoints, Pod, Service } from '../../api/generated/core-v1.ts';
import { endpoints, pods, services } from '../../api/generated/kinds.ts';
import {
  createWorld,
  line,
  meta,
  podSpec,
  ready,
  reconcile,
  terminating,
  unready,
  type World,
} from '../../testing/plan-world.ts';
import type { Served } from '../../workloads/serving.ts';
import { triggerAnnotation } from '../../workloads/serving.ts';
import { endpointsController } from './controller.ts';
import { addressesMax, overCapacityAnnotation, plan, subsetsOf } from './plan.ts';

let world: World;
let memories: Map<string, Served>;

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

function sync(): readonly string[] {
  return reconcile(world, { controller: endpointsController, key: 'default/web', memories });
}

function current(): Endpoints | undefined {
  return world.of(endpoints).get('default/web');
}

function text(subsets = current()?.subsets ?? []): readonly string[] {
  return subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const list = (all: readonly { ip: string }[]): string => all.map(({ ip }) => ip).join(',');
    return `${list(addresses)} | ${list(notReadyAddresses)} | ${ports.map(({ name, port }) => `${name ?? ''}:${port}`).join(',')}`;
  });
}

describe('the life of Endpoints', () => {
  test('they are made with the Service, follow its pods and go with it', () => {
    const web = world.put(services, service({}, { team: 'x' }));
    expect(sync()).toEqual(['create endpoints web']);
    expect(current()?.metadata.labels).toEqual({
      team: 'x',
      'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
    });
    expect(sync()).toEqual([]);
    world.put(pods, pod('b', '10.0.0.2'));
    world.put(pods, unready(pod('a', '10.0.0.1')));
    expect(sync()).toEqual(['update endpoints web']);
    expect(text()).toEqual(['10.0.0.2 | 10.0.0.1 | :8080']);
    expect(sync()).toEqual([]);
    world.remove(services, web);
    expect(sync()).toEqual(['delete endpoints web']);
  });

  test('those of a Service without a selector are left alone until the Service goes', () => {
    const { selector: _, ...spec } = service().spec;
    const web = world.put(services, { ...service(), spec });
    world.put(endpoints, { apiVersion: 'v1', kind: 'Endpoints', metadata: meta('web'), subsets: [] });
    expect(sync()).toEqual([]);
    world.remove(services, web);
    expect(sync()).toEqual(['delete endpoints web']);
  });

  test('those that never had a Service are nobody’s business', () => {
    world.put(endpoints, { apiVersion: 'v1', kind: 'Endpoints', metadata: meta('web'), subsets: [] });
    expect(sync()).toEqual([]);
  });

  test('what we made before a restart goes when its Service went meanwhile', () => {
    world.put(services, service());
    sync();
    world.remove(services, service());
    memories.clear();
    expect(sync()).toEqual(['delete endpoints web']);
  });

  test('a change by hand is undone; foreign annotations stay', () => {
    world.put(services, service());
    sync();
    const made = current();
    if (made)
      world.put(endpoints, {
        ...made,
        metadata: { ...made.metadata, labels: {}, annotations: { a: 'b' } },
        subsets: [],
      });
    expect(sync()).toEqual(['update endpoints web']);
    expect(current()?.metadata.annotations).toEqual({ a: 'b' });
  });

  test('headless Services pass their mark on, and only they', () => {
    world.put(services, service({ clusterIP: 'None' }));
    sync();
    expect(current()?.metadata.labels).toMatchObject({ 'service.kubernetes.io/headless': '' });
    world.put(services, service({ clusterIP: '10.96.0.9' }, { 'service.kubernetes.io/headless': '' }));
    sync();
    expect(current()?.metadata.labels).not.toHaveProperty('service.kubernetes.io/headless');
  });
});

const http = { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' };
const withPort = (containerPort: number): Partial<Pod['spec']> => ({
  containers: [{ name: 'app', image: 'x', ports: [{ name: 'http', containerPort }] }],
});

describe('subsets', () => {
  test.each<[string, Partial<Service['spec']>, readonly Pod[], readonly string[]]>([
    ['are none without pods', {}, [], []],
    ['leave out pods without an address', {}, [pod('a', '')], []],
    ['leave out pods that are ending', {}, [terminating(pod('a', '10.0.0.1'))], []],
    [
      'leave out pods that have ended',
      {},
      [{ ...pod('a', '1.1.1.1'), status: { phase: 'Failed', podIP: '1.1.1.1' } }],
      [],
    ],
    [
      'call every pod ready when the Service says so, even those that are ending',
      { publishNotReadyAddresses: true },
      [unready(pod('a', '10.0.0.2')), terminating(pod('b', '10.0.0.1'))],
      ['10.0.0.1,10.0.0.2 |  | :8080'],
    ],
    [
      'divide pods by what a named port means to them',
      { ports: [http] },
      [pod('a', '10.0.0.1', withPort(1)), pod('b', '10.0.0.2', withPort(2)), pod('c', '10.0.0.3', withPort(1))],
      ['10.0.0.1,10.0.0.3 |  | http:1', '10.0.0.2 |  | http:2'],
    ],
    ['leave out pods without any of the ports', { ports: [http] }, [pod('a', '10.0.0.1')], []],
    [
      'have no ports where the Service has none',
      { ports: [], clusterIP: 'None' },
      [pod('a', '10.0.0.1')],
      ['10.0.0.1 |  | '],
    ],
    [
      'speak the family of the Service',
      { ipFamilies: ['IPv6', 'IPv4'] },
      [
        {
          ...pod('a', '10.0.0.1'),
          status: { ...pod('a', '10.0.0.1').status, podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] },
        },
      ],
      ['fd00::1 |  | :8080'],
    ],
  ])('%s', (_, spec, list, expected) => expect(text(subsetsOf(service(spec), list))).toEqual(expected));

  test('an address tells its node, its pod and its hostname', () => {
    const named = pod('a', '10.0.0.1', { hostname: 'a-0', subdomain: 'web' });
    expect(subsetsOf(service(), [named])[0]?.addresses).toEqual([
      {
        ip: '10.0.0.1',
        hostname: 'a-0',
        nodeName: 'n1',
        targetRef: { kind: 'Pod', namespace: 'default', name: 'a', uid: 'uid-of-a' },
      },
    ]);
  });

  test('are the same bytes whatever the order of the pods', () => {
    const list = ['a', 'b', 'c'].map((name, index) => pod(name, `10.0.0.${index}`));
    expect(JSON.stringify(subsetsOf(service(), list))).toBe(JSON.stringify(subsetsOf(service(), [...list].reverse())));
  });
});

const many = (count: number, make: (pod: Pod) => Pod = (each) => each): readonly Pod[] =>
  Array.from({ length: count }, (_, index) => make(pod(`p${index}`, `10.0.${index >> 8}.${index & 255}`)));

describe('capacity', () => {
  test('ends at 1000 addresses, ready ones first, and says so', () => {
    const list = [
      ...many(addressesMax - 10),
      ...many(20, (each) => unready({ ...each, metadata: meta(`x${each.metadata.name}`) })),
    ];
    const observed = { service: service(), endpoints: undefined, pods: list, served: undefined };
    const [action] = plan(observed, 0).actions;
    if (action?.do !== 'create') throw new Error('expected a create');
    const [subset] = (action.object as unknown as Endpoints).subsets ?? [];
    expect([subset?.addresses?.length, subset?.notReadyAddresses?.length]).toEqual([addressesMax - 10, 10]);
    expect(action.object.metadata.annotations).toMatchObject({ [overCapacityAnnotation]: 'truncated' });
  });

  test('the mark goes when there is room again', () => {
    world.put(services, service());
    for (const each of many(addressesMax + 1)) world.put(pods, each);
    sync();
    expect(current()?.metadata.annotations).toEqual({
      [overCapacityAnnotation]: 'truncated',
      [triggerAnnotation]: service().metadata.creationTimestamp,
    });
    world.remove(pods, pod('p0', ''));
    world.nowMs += 10_000;
    sync();
    expect(current()?.metadata.annotations).toBeUndefined();
  });

  test('a large Service is not written anew for each pod', () => {
    world.put(services, service());
    for (const each of many(500)) world.put(pods, each);
    expect(sync()).toEqual(['create endpoints web']);
    world.remove(pods, pod('p0', ''));
    expect(sync()).toEqual([]);
    const observed = endpointsController.observe('default/web', world, memories.get('default/web'));
    expect(observed && endpointsController.plan(observed, world.nowMs).againInMs).toBeCloseTo(99.8);
    world.nowMs += 100;
    expect(sync()).toEqual(['update endpoints web']);
  });
});

test('a refusal is told on the Service', () => {
  const [action] = plan({ service: service(), endpoints: undefined, pods: [], served: undefined }, 0).actions;
  expect(action && line(action)).toBe('create endpoints web');
  expect(action?.do === 'create' && action.announce?.failed).toEqual({
    reason: 'FailedToCreateEndpoint',
    note: 'Failed to create endpoint for service default/web: {error}',
  });
});
