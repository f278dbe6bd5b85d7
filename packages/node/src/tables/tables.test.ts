import type { EndpointSlice, Service } from '@signalbox/cluster';
import { describe, expect, test } from 'vitest';
import { serviceTable } from './services.ts';
import { clusterZone, reverseName } from './zone.ts';

const service = (name: string, spec: Service['spec']): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'shop', name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec,
  status: {},
});

const slice = (
  of: string,
  endpoints: EndpointSlice['endpoints'],
  more: Partial<EndpointSlice> = {},
): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  addressType: 'IPv4',
  metadata: {
    namespace: 'shop',
    name: `${of}-1`,
    labels: { 'kubernetes.io/service-name': of },
    uid: of,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  endpoints,
  ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
  ...more,
});

const node = { name: 'node-a', address: '10.64.0.1' };
const web = service('web', { clusterIP: '10.96.0.9', ports: [{ name: 'http', port: 80 }] });

describe('services', () => {
  const table = (services: readonly Service[], slices: readonly EndpointSlice[]) =>
    serviceTable({ services, slices }, node).ports;

  test('lead to the ready endpoints of the port of that name, each once', () => {
    const endpoints = [
      { addresses: ['10.64.0.2'], conditions: { ready: true } },
      { addresses: ['10.64.0.3'], conditions: { ready: false } },
      { addresses: ['10.64.0.4'] },
    ];
    const other = { ports: [{ name: 'metrics', protocol: 'TCP', port: 9090 }] };
    expect(
      table(
        [web],
        [slice('web', endpoints), slice('web', endpoints), slice('web', endpoints, other), slice('x', endpoints)],
      ),
    ).toEqual([
      {
        of: 'shop/web:http',
        protocol: 'TCP',
        address: '10.96.0.9',
        port: 80,
        backends: [
          { address: '10.64.0.2', port: 8080 },
          { address: '10.64.0.4', port: 8080 },
        ],
      },
    ]);
  });
  test('lead to those that are on their way out when nobody else is left', () => {
    const leaving = { ready: false, serving: true, terminating: true };
    const [port] = table([web], [slice('web', [{ addresses: ['10.64.0.3'], conditions: leaving }])]);
    expect(port?.backends).toEqual([{ address: '10.64.0.3', port: 8080 }]);
    const starting = { ready: false, serving: false, terminating: false };
    expect(table([web], [slice('web', [{ addresses: ['10.64.0.3'], conditions: starting }])])[0]?.backends).toEqual([]);
  });
  test.each<[string, readonly (readonly string[])[], readonly string[]]>([
    ['lead to those that are meant for this node', [['node-a'], ['node-b']], ['10.64.0.2']],
    ['lead to all when none is meant for this node', [['node-b'], ['node-c']], ['10.64.0.2', '10.64.0.3']],
    ['lead to all when one is meant for anybody', [['node-a'], []], ['10.64.0.2', '10.64.0.3']],
  ])('%s', (_, meant, expected) => {
    const endpoints = meant.map((names, index) => ({
      addresses: [`10.64.0.${index + 2}`],
      ...(names.length > 0 && { hints: { forNodes: names.map((name) => ({ name })) } }),
    }));
    const [port] = table([web], [slice('web', endpoints)]);
    expect(port?.backends).toEqual(expected.map((address) => ({ address, port: 8080 })));
  });
  test('have NodePorts at the node, and keep to it where their policy says so', () => {
    const local = service('web', {
      type: 'NodePort',
      clusterIP: '10.96.0.9',
      externalTrafficPolicy: 'Local',
      ports: [{ name: 'http', port: 80, nodePort: 30_080 }],
    });
    const endpoints = [
      { addresses: ['10.64.0.2'], nodeName: 'node-a' },
      { addresses: ['10.128.0.3'], nodeName: 'node-1' },
    ];
    expect(
      table([local], [slice('web', endpoints)]).map((port) => [port.address, port.port, port.backends.length]),
    ).toEqual([
      ['10.96.0.9', 80, 2],
      ['10.64.0.1', 30_080, 1],
    ]);
    const { spec } = web;
    const near = { ...web, spec: { ...spec, internalTrafficPolicy: 'Local' } };
    expect(table([near], [slice('web', endpoints)])[0]?.backends).toEqual([{ address: '10.64.0.2', port: 8080 }]);
  });
  test('of the API server lead out, headless ones and those of other clusters nowhere', () => {
    const { metadata } = web;
    const api = { ...web, metadata: { ...metadata, namespace: 'default', name: 'kubernetes' } };
    const headless = service('db', { clusterIP: 'None', ports: [{ port: 1 }] });
    const external = service('x', { type: 'ExternalName', externalName: 'example.com' });
    expect(table([api, headless, external], []).map(({ of, backends }) => [of, backends])).toEqual([
      ['default/kubernetes:http', [{ api: true }]],
    ]);
  });
  test.each<[Service['spec'], number | undefined]>([
    [{}, undefined],
    [{ sessionAffinity: 'None' }, undefined],
    [{ sessionAffinity: 'ClientIP' }, 10_800],
    [{ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }, 5],
  ])('%j keeps clients for %s s', (spec, seconds) => {
    const { spec: own } = web;
    expect(table([{ ...web, spec: { ...own, ...spec } }], [])[0]?.affinitySeconds).toBe(seconds);
  });
  test('of another proxy are left to it', () => {
    const labels = { 'service.kubernetes.io/service-proxy-name': 'mine' };
    expect(table([{ ...web, metadata: { ...web.metadata, labels } }], [])).toEqual([]);
  });
  test('of protocols that nobody here speaks are left out, and of a family that the network has not', () => {
    const { spec } = web;
    const ports = [
      { name: 's', port: 1, protocol: 'SCTP' },
      { name: 'u', port: 2, protocol: 'UDP' },
    ];
    const both = { ...web, spec: { ...spec, clusterIPs: ['10.96.0.9', 'fd00::9'], ports } };
    expect(table([both], []).map(({ address, protocol }) => [address, protocol])).toEqual([['10.96.0.9', 'UDP']]);
  });
});

describe('names', () => {
  const names = (world: { services?: readonly Service[]; slices?: readonly EndpointSlice[] }) =>
    clusterZone({ services: [], slices: [], ...world }, { domain: 'cluster.local' }).records.map((record) => {
      if (record.type === 'SRV') return `${record.name} SRV ${record.port} ${record.target}`;
      return `${record.name} ${record.type} ${'address' in record ? record.address : record.target}`;
    });

  test('of a service', () => {
    expect(names({ services: [web] })).toEqual([
      'web.shop.svc.cluster.local A 10.96.0.9',
      '9.0.96.10.in-addr.arpa PTR web.shop.svc.cluster.local',
      '_http._tcp.web.shop.svc.cluster.local SRV 80 web.shop.svc.cluster.local',
    ]);
  });
  test('of a headless service are those of its ready members', () => {
    const db = service('db', { clusterIP: 'None', ports: [{ name: 'http', port: 80 }] });
    const endpoints = [
      { addresses: ['10.64.0.2'], hostname: 'db-0', conditions: { ready: true } },
      { addresses: ['10.64.0.3'], conditions: { ready: true } },
      { addresses: ['10.64.0.4'], conditions: { ready: false } },
    ];
    const ready = [
      'db.shop.svc.cluster.local A 10.64.0.2',
      'db-0.db.shop.svc.cluster.local A 10.64.0.2',
      '2.0.64.10.in-addr.arpa PTR db-0.db.shop.svc.cluster.local',
      '_http._tcp.db.shop.svc.cluster.local SRV 8080 db-0.db.shop.svc.cluster.local',
      'db.shop.svc.cluster.local A 10.64.0.3',
      '10-64-0-3.db.shop.svc.cluster.local A 10.64.0.3',
      '3.0.64.10.in-addr.arpa PTR 10-64-0-3.db.shop.svc.cluster.local',
      '_http._tcp.db.shop.svc.cluster.local SRV 8080 10-64-0-3.db.shop.svc.cluster.local',
    ];
    expect(names({ services: [db], slices: [slice('db', endpoints)] })).toEqual(ready);
    const all = { ...db, spec: { ...db.spec, publishNotReadyAddresses: true } };
    expect(names({ services: [all], slices: [slice('db', endpoints)] })).toContain(
      'db.shop.svc.cluster.local A 10.64.0.4',
    );
  });
  test('of another place', () => {
    const external = service('x', { type: 'ExternalName', externalName: 'Example.com.' });
    expect(names({ services: [external] })).toEqual(['x.shop.svc.cluster.local CNAME example.com']);
  });
  test.each([
    ['10.64.0.7', '7.0.64.10.in-addr.arpa'],
    ['fd00::9', '9.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa'],
    ['::1', '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa'],
  ])('%s turned round is %s', (address, name) => expect(reverseName(address)).toBe(name));
});
