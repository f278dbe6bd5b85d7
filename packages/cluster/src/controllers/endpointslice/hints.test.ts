import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Node, Service } from '../../api/generated/core-v1.ts';
import type { Endpoint } from '../../api/generated/discovery-v1.ts';
import { endpointslices, nodes, pods, services } from '../../api/generated/kinds.ts';
import { createWorld, meta, node, podSpec, ready, reconcile, unready } from '../../testing/plan-world.ts';
import { capacityOf } from './capacity.ts';
import { endpointsliceController } from './controller.ts';
import { preferenceOf, withHints } from './hints.ts';
import type { Sliced } from './plan.ts';

const serviceOf = (spec: Partial<Service['spec']>, annotations: Record<string, string> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: meta('web', { annotations }),
  spec: { selector: { app: 'web' }, ports: [{ port: 80, protocol: 'TCP' }], ...spec },
  status: {},
});
const mode = 'service.kubernetes.io/topology-mode';
const older = 'service.kubernetes.io/topology-aware-hints';

describe('whom a Service prefers', () => {
  test.each<[string, Service, ReturnType<typeof preferenceOf>]>([
    ['nobody', serviceOf({}), 'none'],
    ['PreferClose', serviceOf({ trafficDistribution: 'PreferClose' }), 'same zone'],
    ['PreferSameZone', serviceOf({ trafficDistribution: 'PreferSameZone' }), 'same zone'],
    ['PreferSameNode', serviceOf({ trafficDistribution: 'PreferSameNode' }), 'same node'],
    [
      'the annotation before the field',
      serviceOf({ trafficDistribution: 'PreferClose' }, { [mode]: 'Auto' }),
      'by capacity',
    ],
    ['the older annotation before the newer', serviceOf({}, { [mode]: 'Auto', [older]: 'Disabled' }), 'none'],
  ])('%s', (_, service, expected) => expect(preferenceOf(service)).toBe(expected));
});

const endpoint = (zone: string | undefined, isReady = true): Endpoint => ({
  addresses: ['10.0.0.1'],
  conditions: { ready: isReady },
  nodeName: 'n1',
  ...(zone !== undefined && { zone }),
});
const endpointsIn = (zones: readonly (string | undefined)[]): ReadonlyMap<string, Endpoint> =>
  new Map(zones.map((zone, index) => [`u${String(index).padStart(2, '0')}`, endpoint(zone)]));
const machine = (name: string, { zone, cpu = '4' }: { readonly zone?: string; readonly cpu?: string }): Node => ({
  ...node(name, zone === undefined ? {} : { labels: { 'topology.kubernetes.io/zone': zone } }),
  status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: 'True' }] },
});
const halves = capacityOf([machine('a', { zone: 'a' }), machine('b', { zone: 'b' })]);

/** `a b ·`: for which zone each endpoint is meant. */
const zonesOf = (endpoints: ReadonlyMap<string, Endpoint>): string =>
  [...endpoints.values()].map(({ hints }) => hints?.forZones?.[0]?.name ?? '·').join(' ');

describe('hints', () => {
  const no = { capacity: halves };
  test('of the same zone, where it is known and the endpoint is ready', () => {
    const all = new Map([...endpointsIn(['a', undefined]), ['late', endpoint('a', false)]]);
    expect(zonesOf(withHints(all, { preference: 'same zone', ...no }).endpoints)).toBe('a · ·');
  });
  test('of the same node tell its zone, too', () => {
    const { endpoints } = withHints(endpointsIn(['a', undefined]), { preference: 'same node', ...no });
    expect([...endpoints.values()].map(({ hints }) => hints)).toEqual([
      { forNodes: [{ name: 'n1' }], forZones: [{ name: 'a' }] },
      { forNodes: [{ name: 'n1' }] },
    ]);
  });
  test.each<[string, string]>([
    ['a b', 'a b'],
    // Two of six would be too few for half of the cluster.
    ['a a a a b b', 'a a a b b b'],
    ['a a a a a b', 'a a a b b b'],
  ])('by capacity: %s become %s', (zones, expected) => {
    const { endpoints, problem } = withHints(endpointsIn(zones.split(' ')), {
      preference: 'by capacity',
      capacity: halves,
    });
    expect(problem).toBeUndefined();
    expect(zonesOf(endpoints).split(' ').sort().join(' ')).toBe(expected);
  });
  test.each<[string, readonly (string | undefined)[], typeof halves, string]>([
    ['fewer endpoints than zones', ['a'], halves, 'Insufficient number of endpoints (1 endpoints, 2 zones)'],
    [
      'an odd one out',
      ['a', 'b', 'a'],
      halves,
      'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones)',
    ],
    ['an endpoint without a zone', ['a', undefined], halves, 'One or more endpoints do not have a zone specified'],
    ['one zone', ['a', 'a'], capacityOf([machine('a', { zone: 'a' })]), 'Nodes only ready in one zone'],
    [
      'a node without a zone',
      ['a', 'b'],
      capacityOf([machine('a', { zone: 'a' }), machine('b', {})]),
      'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes',
    ],
  ])('by capacity: none with %s', (_, zones, capacity, expected) => {
    const { endpoints, problem } = withHints(endpointsIn(zones), { preference: 'by capacity', capacity });
    expect([problem, zonesOf(endpoints).replaceAll(/[· ]/g, '')]).toEqual([expected, '']);
  });

  test('no zone is left with fewer endpoints than its share allows', () => {
    const zone = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(
        fc.array(zone, { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 16 }), { minLength: 3, maxLength: 3 }),
        (zones, cpus) => {
          const capacity = capacityOf(
            cpus.map((cpu, index) => machine(`n${index}`, { zone: 'abc'[index] ?? '', cpu: `${cpu}` })),
          );
          const { endpoints, problem } = withHints(endpointsIn(zones), { preference: 'by capacity', capacity });
          if (problem !== undefined) return;
          const told = zonesOf(endpoints).split(' ');
          for (const [name, share] of capacity.shares)
            expect(told.filter((each) => each === name).length * 1.2).toBeGreaterThanOrEqual(
              share * zones.length - 1e-9,
            );
        },
      ),
    );
  });
});

test('nodes of the control plane and those that are not ready do not count', () => {
  const main = { ...machine('c', { zone: 'c' }) };
  const control = { ...main, metadata: { ...main.metadata, labels: { 'node-role.kubernetes.io/control-plane': '' } } };
  const ill = { ...machine('d', { zone: 'd' }), status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
  const { shares } = capacityOf([
    machine('a', { zone: 'a', cpu: '3' }),
    machine('b', { zone: 'b', cpu: '1' }),
    control,
    ill,
  ]);
  expect([...shares]).toEqual([
    ['a', 0.75],
    ['b', 0.25],
  ]);
});

test('slices follow nodes and what the Service asks for, and events tell when that changes', () => {
  const world = createWorld();
  const memories = new Map<string, Sliced>();
  const sync = (): readonly string[] => {
    world.nowMs += 10_000;
    return reconcile(world, { controller: endpointsliceController, key: 'default/web', memories }).map((text) =>
      text
        .split(' ')
        .filter((word) => !word.startsWith('web') && word !== 'endpointslices')
        .join(' '),
    );
  };
  const hints = (): string =>
    world
      .list(endpointslices)
      .map(({ endpoints }) => zonesOf(new Map(endpoints.map((each, index) => [`${index}`, each]))))
      .join();
  for (const zone of ['a', 'b']) {
    world.put(nodes, machine(zone, { zone }));
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: meta(zone, { labels: { app: 'web' } }),
      spec: { ...podSpec, nodeName: zone },
      status: { podIP: '10.0.0.1' },
    } as const;
    world.put(pods, ready(pod));
  }
  world.put(services, serviceOf({}, { [mode]: 'Auto' }));
  expect([sync(), hints()]).toEqual([['create', 'emit TopologyAwareHintsEnabled'], 'a b']);
  expect(sync()).toEqual([]);
  const [first] = world.list(pods);
  if (first !== undefined) world.put(pods, unready(first));
  expect([sync(), hints()]).toEqual([['update', 'emit TopologyAwareHintsDisabled'], '· ·']);
  if (first !== undefined) world.put(pods, first);
  expect(sync()).toEqual(['update', 'emit TopologyAwareHintsEnabled']);
  world.put(services, serviceOf({ trafficDistribution: 'PreferSameZone' }));
  expect([sync(), hints()]).toEqual([['emit TopologyAwareHintsDisabled'], 'a b']);
  world.put(services, serviceOf({}));
  expect([sync(), hints()]).toEqual([['update'], '· ·']);
});
