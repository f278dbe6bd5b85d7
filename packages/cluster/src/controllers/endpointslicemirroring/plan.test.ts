import { beforeEach, describe, expect, test } from 'vitest';
import type { EndpointSubset, Endpoints, Service } from '../../api/generated/core-v1.ts';
import { endpointslices, endpoints as endpointsType, services } from '../../api/generated/kinds.ts';
import { createWorld, meta, reconcile, type World } from '../../testing/plan-world.ts';
import { endpointsliceMirroring } from './controller.ts';
import { addressesMax, type Told } from './plan.ts';

let world: World;
let memories: Map<string, Told>;

beforeEach(() => {
  world = createWorld();
  memories = new Map();
});

const port = { port: 9090, protocol: 'TCP' };
const one: EndpointSubset = { addresses: [{ ip: '192.0.2.1' }], ports: [port] };

function putService(spec: Partial<Service['spec']> = {}): Service {
  const service: Service = { apiVersion: 'v1', kind: 'Service', metadata: meta('db'), spec, status: {} };
  return world.put(services, service);
}

function putEndpoints(subsets: readonly EndpointSubset[], metadata: Partial<Endpoints['metadata']> = {}): Endpoints {
  const object: Endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata: meta('db', metadata), subsets };
  return world.put(endpointsType, object);
}

const sync = (): readonly string[] =>
  reconcile(world, { controller: endpointsliceMirroring, key: 'default/db', memories }).map(
    (text) => text.split(' ')[0] ?? '',
  );

/** `IPv4 9090: 192.0.2.1 ·192.0.2.2`, a dot before those that are not ready. */
const told = (): readonly string[] =>
  world.list(endpointslices).map(({ addressType, ports, endpoints }) => {
    const all = (endpoints ?? []).map(
      ({ addresses, conditions }) => `${conditions?.ready === true ? '' : '·'}${addresses[0]}`,
    );
    return `${addressType} ${(ports ?? []).map((each) => each.port).join()}: ${all.join(' ')}`;
  });

describe('what is mirrored', () => {
  test.each<[string, () => void, readonly string[]]>([
    ['Endpoints of a Service without a selector', () => putService(), ['IPv4 9090: 192.0.2.1']],
    ['none of one with a selector: its slices are made from pods', () => putService({ selector: { app: 'db' } }), []],
    ['none without a Service', () => undefined, []],
  ])('%s', (_, prepare, expected) => {
    prepare();
    putEndpoints([one]);
    sync();
    expect(told()).toEqual(expected);
  });

  test.each<[string, Partial<Endpoints['metadata']>]>([
    ['that ask not to be', { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } }],
    ['that only choose a leader', { annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } }],
  ])('none of those %s', (_, metadata) => {
    putService();
    putEndpoints([one], metadata);
    sync();
    expect(told()).toEqual([]);
  });

  test('a slice has their labels and annotations, says who keeps it, and belongs to them', () => {
    putService();
    const owner = putEndpoints([one], {
      labels: { team: 'x' },
      annotations: {
        note: 'y',
        'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
      },
    });
    sync();
    expect(world.list(endpointslices)[0]?.metadata).toMatchObject({
      generateName: 'db-',
      labels: {
        team: 'x',
        'kubernetes.io/service-name': 'db',
        'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
      },
      annotations: { note: 'y' },
      ownerReferences: [{ kind: 'Endpoints', name: 'db', uid: owner.metadata.uid, controller: true }],
    });
    expect(Object.keys(world.list(endpointslices)[0]?.metadata.annotations ?? {})).toEqual(['note']);
  });

  test('families and lists of ports have slices of their own; what is not ready says so', () => {
    putService();
    putEndpoints([
      {
        addresses: [{ ip: '192.0.2.1' }],
        notReadyAddresses: [{ ip: '192.0.2.2' }, { ip: '2001:db8::1' }],
        ports: [port],
      },
      { addresses: [{ ip: '192.0.2.3' }], ports: [{ port: 80, protocol: 'TCP' }] },
    ]);
    sync();
    expect([...told()].sort()).toEqual([
      'IPv4 80: 192.0.2.3',
      'IPv4 9090: 192.0.2.1 ·192.0.2.2',
      'IPv6 9090: ·2001:db8::1',
    ]);
  });

  test('names, nodes and targets of addresses go along', () => {
    putService();
    const address = {
      hostname: 'db-0',
      nodeName: 'n1',
      targetRef: { kind: 'Pod', namespace: 'default', name: 'p', uid: 'u' },
    };
    putEndpoints([
      { addresses: [{ ip: '192.0.2.1', ...address }], ports: [{ ...port, name: 'sql', appProtocol: 'tcp' }] },
    ]);
    sync();
    expect(world.list(endpointslices)[0]).toMatchObject({
      endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true }, ...address }],
      ports: [{ name: 'sql', port: 9090, protocol: 'TCP', appProtocol: 'tcp' }],
    });
  });
});

describe('changes', () => {
  test('nothing is written twice', () => {
    putService();
    putEndpoints([one]);
    expect(sync()).toEqual(['create']);
    expect(sync()).toEqual([]);
  });

  test('an address or a port that changes keeps the slice', () => {
    putService();
    putEndpoints([one]);
    sync();
    putEndpoints([{ addresses: [{ ip: '192.0.2.9' }], ports: [port] }]);
    expect(sync()).toEqual(['update']);
    putEndpoints([{ addresses: [{ ip: '192.0.2.9' }], ports: [{ port: 1, protocol: 'TCP' }] }]);
    expect(sync()).toEqual(['update']);
    expect(told()).toEqual(['IPv4 1: 192.0.2.9']);
  });

  test.each<[string, () => void]>([
    ['the last address goes', () => putEndpoints([])],
    ['the Endpoints are gone', () => world.remove(endpointsType, world.list(endpointsType)[0] as Endpoints)],
    ['the Service is gone', () => world.remove(services, world.list(services)[0] as Service)],
    ['the Service gets a selector', () => putService({ selector: { app: 'db' } })],
  ])('slices go when %s', (_, change) => {
    putService();
    putEndpoints([one]);
    sync();
    change();
    sync();
    expect(told()).toEqual([]);
  });
});

test('what is left out is said once for each version of the Endpoints', () => {
  putService();
  const many = Array.from({ length: addressesMax + 2 }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
  putEndpoints([{ addresses: [{ ip: '010.0.0.1' }, ...many], ports: [port] }]);
  expect(sync()).toEqual(['emit', 'emit', 'create']);
  expect(sync()).toEqual([]);
  expect(world.list(endpointslices)[0]?.endpoints).toHaveLength(addressesMax);
});
