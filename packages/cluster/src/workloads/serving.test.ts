import { describe, expect, test } from 'vitest';
import type { Pod, Service, ServicePort } from '../api/generated/core-v1.ts';
import { pods, services } from '../api/generated/kinds.ts';
import { createWorld, meta, podSpec, ready, terminating } from '../testing/plan-world.ts';
import {
  hostnameUnder,
  isReachable,
  pauseMs,
  podsBehind,
  podsWakeServices,
  serviceSelector,
  targetPort,
  triggerOf,
} from './serving.ts';

function service(name: string, spec: Partial<Service['spec']> = {}): Service {
  const ports = [{ port: 80, protocol: 'TCP' }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta(name),
    spec: { selector: { app: name }, ports, ...spec },
    status: {},
  };
}

function pod(name: string, labels: Record<string, string> = { app: 'web' }): Pod {
  const status = { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: meta(name, { labels }), spec: podSpec, status };
}

test.each<[string, Partial<Service['spec']>, boolean]>([
  ['with a selector', {}, true],
  ['with an empty selector', { selector: {} }, false],
  ['that names another host', { type: 'ExternalName' }, false],
])('a Service %s', (_, spec, hasSelector) => {
  expect(serviceSelector(service('web', spec)) !== undefined).toBe(hasSelector);
});

test('behind a Service stand the pods of its namespace with all of its labels', () => {
  const world = createWorld();
  world.put(pods, pod('a', { app: 'web', extra: 'x' }));
  world.put(pods, pod('b', { app: 'db' }));
  world.put(pods, { ...pod('c'), metadata: meta('c', { namespace: 'other', labels: { app: 'web' } }) });
  expect(podsBehind(service('web'), world).map(({ metadata }) => metadata.name)).toEqual(['a']);
  expect(podsBehind(service('web', { selector: { app: 'web', extra: 'y' } }), world)).toEqual([]);
});

describe('a pod wakes its Services', () => {
  const world = createWorld();
  for (const name of ['web', 'db']) world.put(services, service(name));
  const before = pod('a');

  test.each<[string, Pod, Pod | undefined, readonly string[]]>([
    ['on appearing', before, undefined, ['default/web']],
    ['not by what endpoints do not tell', { ...before, status: { ...before.status, message: 'x' } }, before, []],
    ['on becoming ready', ready(before), before, ['default/web']],
    ['on ending', terminating(before), before, ['default/web']],
    ['on getting an address', before, { ...before, status: { phase: 'Pending' } }, ['default/web']],
    ['on failing', { ...before, status: { ...before.status, phase: 'Failed' } }, before, ['default/web']],
    ['on moving from one to another', pod('a', { app: 'db' }), before, ['default/web', 'default/db']],
  ])('%s', (_, object, previous, keys) => {
    const event =
      previous === undefined
        ? ({ type: 'added', object, previous } as const)
        : ({ type: 'updated', object, previous } as const);
    expect([...podsWakeServices.keysOf(event, world)]).toEqual(keys);
  });

  test('on being gone', () => {
    const event = { type: 'deleted', object: before, previous: before } as const;
    expect([...podsWakeServices.keysOf(event, world)]).toEqual(['default/web']);
  });
});

describe('ports', () => {
  const named: Pod = {
    ...pod('a'),
    spec: {
      containers: [{ name: 'app', image: 'x', ports: [{ name: 'http', containerPort: 8080 }] }],
      initContainers: [
        { name: 'once', image: 'x', ports: [{ name: 'once', containerPort: 1 }] },
        {
          name: 'proxy',
          image: 'x',
          restartPolicy: 'Always',
          ports: [{ name: 'proxy', containerPort: 2, protocol: 'UDP' }],
        },
      ],
    },
  };

  test.each<[ServicePort, number | undefined]>([
    [{ port: 80 }, 80],
    [{ port: 80, targetPort: 0 }, 80],
    [{ port: 80, targetPort: 81 }, 81],
    [{ port: 80, targetPort: '81' }, 81],
    [{ port: 80, targetPort: 'http' }, 8080],
    [{ port: 80, targetPort: 'http', protocol: 'UDP' }, undefined],
    [{ port: 80, targetPort: 'proxy', protocol: 'UDP' }, 2],
    [{ port: 80, targetPort: 'once' }, undefined],
  ])('%j leads to %s', (port, expected) => expect(targetPort(named, port)).toBe(expected));
});

test('a pod has a hostname under the Service that is its subdomain', () => {
  const spec = { ...podSpec, hostname: 'a-0', subdomain: 'web' };
  expect(hostnameUnder(service('web'), { ...pod('a'), spec })).toBe('a-0');
  expect(hostnameUnder(service('db'), { ...pod('a'), spec })).toBeUndefined();
  expect(hostnameUnder(service('web'), pod('a'))).toBeUndefined();
  expect(hostnameUnder(service('web'), { ...pod('a'), spec: { ...spec, hostname: '' } })).toBeUndefined();
  const elsewhere = { ...pod('a').metadata, namespace: 'elsewhere' };
  expect(hostnameUnder(service('web'), { ...pod('a'), metadata: elsewhere, spec })).toBeUndefined();
});

test('a pod without an address, or one that has ended, is not reachable', () => {
  expect(isReachable(pod('a'))).toBe(true);
  expect(isReachable({ ...pod('a'), status: { phase: 'Running' } })).toBe(false);
  expect(isReachable({ ...pod('a'), status: { ...pod('a').status, phase: 'Succeeded' } })).toBe(false);
});

const seen = { service: '2026-01-01T00:00:00Z', pods: new Map() };

describe('the change that wakes proxies', () => {
  const readySince = (name: string, at: string): Pod => ({
    ...pod(name),
    status: { ...pod(name).status, conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at }] },
  });
  const web = service('web');
  const created = web.metadata.creationTimestamp;

  test('is the creation of a Service that is new', () => {
    expect(triggerOf(web, [readySince('a', '2030-01-01T00:00:00Z')], undefined).trigger).toBe(created);
  });

  test('is the first of what changed since, and nothing when nothing did', () => {
    const first = triggerOf(web, [readySince('a', '2030-01-01T00:00:00Z')], undefined);
    expect(triggerOf(web, [readySince('a', '2030-01-01T00:00:00Z')], first.seen).trigger).toBeUndefined();
    const later = [readySince('a', '2030-01-01T00:00:09Z'), readySince('b', '2030-01-01T00:00:05Z')];
    expect(triggerOf(web, later, first.seen).trigger).toBe('2030-01-01T00:00:05Z');
  });
});

test.each([
  [10, 0, undefined],
  [1_000, 0, 200],
  [1_000, 150, 50],
  [1_000, 200, undefined],
  [100_000, 0, 1_000],
])('%i pods, %i ms after the last write, wait %s ms', (count, elapsedMs, expected) => {
  expect(pauseMs(count, { served: { writtenMs: 5_000, seen }, nowMs: 5_000 + elapsedMs })).toBe(expected);
  expect(pauseMs(count, { served: undefined, nowMs: 5_000 })).toBeUndefined();
});
