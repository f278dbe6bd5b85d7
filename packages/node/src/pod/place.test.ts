import type { Pod } from '@signalbox/cluster';
import { describe, expect, test } from 'vitest';
import { around, podWith } from '../testing/pods.ts';
import { podPlace } from './place.ts';

const place = (spec: Parameters<typeof podWith>[0] = {}, metadata: Partial<Pod['metadata']> = {}) =>
  podPlace(podWith(spec, metadata), around());

test('a pod has an address, a name and its own idea of names', () => {
  expect(place()).toEqual({
    uid: 'uid-web-0',
    namespace: 'shop',
    name: 'web-0',
    address: '10.64.0.7',
    hostname: 'web-0',
    hosts: [
      '# Kubernetes-managed hosts file.',
      '127.0.0.1\tlocalhost',
      '::1\tlocalhost ip6-localhost ip6-loopback',
      'fe00::0\tip6-localnet',
      'fe00::0\tip6-mcastprefix',
      'fe00::1\tip6-allnodes',
      'fe00::2\tip6-allrouters',
      '10.64.0.7\tweb-0',
    ],
    resolver: [
      'search shop.svc.cluster.local svc.cluster.local cluster.local example.org',
      'nameserver 169.254.20.10',
      'options ndots:5',
    ],
    sharesProcesses: false,
    processesMax: undefined,
    hostPorts: [],
  });
});

test.each<[string, Partial<Pod['spec']>, string, string]>([
  ['its own', {}, 'web-0', 'web-0'],
  ['one that it asks for', { hostname: 'db' }, 'web-0', 'db'],
  ['cut to what a kernel keeps', {}, `${'a'.repeat(62)}.b`, 'a'.repeat(62)],
  ['that of the node on its network', { hostNetwork: true }, 'web-0', 'machine'],
])('host name: %s', (_, spec, name, expected) => {
  expect(place(spec, { name }).hostname).toBe(expected);
});

test('aliases, and the name below a subdomain', () => {
  const hostAliases = [{ ip: '10.0.0.9', hostnames: ['a.example', 'b.example'] }];
  expect(place({ hostname: 'db', subdomain: 'dbs', hostAliases }).hosts.slice(-4)).toEqual([
    '10.64.0.7\tdb.dbs.shop.svc.cluster.local\tdb',
    '',
    '# Entries added by HostAliases.',
    '10.0.0.9\ta.example\tb.example',
  ]);
  expect(place({ hostNetwork: true }).hosts.at(0)).toBe('# Kubernetes-managed hosts file (host network).');
  expect(place({ hostNetwork: true }).hosts.at(-1)).toBe('10.64.0.1\tmachine');
});

describe('names', () => {
  const ofMachine = ['search example.org', 'nameserver 192.0.2.1', 'options edns0'];
  const ofCluster = place().resolver;
  test.each<[Partial<Pod['spec']>, readonly string[]]>([
    [{ dnsPolicy: 'ClusterFirst' }, ofCluster],
    [{ dnsPolicy: 'ClusterFirst', hostNetwork: true }, ofMachine],
    [{ dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true }, ofCluster],
    [{ dnsPolicy: 'Default' }, ofMachine],
    [{ dnsPolicy: 'None', dnsConfig: { nameservers: ['9.9.9.9'] } }, ['nameserver 9.9.9.9']],
    [
      {
        dnsPolicy: 'Default',
        dnsConfig: {
          nameservers: ['192.0.2.1', '2.2.2.2', '3.3.3.3', '4.4.4.4'],
          searches: ['example.org', 'more.example'],
          options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
        },
      },
      [
        'search example.org more.example',
        'nameserver 192.0.2.1',
        'nameserver 2.2.2.2',
        'nameserver 3.3.3.3',
        'options ndots:2 edns0',
      ],
    ],
    [{ dnsConfig: { options: [{ name: 'ndots', value: '1' }] } }, [...ofCluster.slice(0, 2), 'options ndots:1']],
  ])('%j', (spec, expected) => {
    expect(place(spec).resolver).toEqual(expected);
  });
});

test('ports of the node, but not where the pod is on its network', () => {
  const container = {
    ports: [
      { containerPort: 80, hostPort: 8080 },
      { containerPort: 53, hostPort: 53, protocol: 'UDP' },
      { containerPort: 81 },
    ],
  };
  expect(place({ container }).hostPorts).toEqual([
    { protocol: 'TCP', hostPort: 8080, containerPort: 80 },
    { protocol: 'UDP', hostPort: 53, containerPort: 53 },
  ]);
  expect(place({ container, hostNetwork: true }).hostPorts).toEqual([]);
});

test('the processes of the node are never shared, those of the pod are', () => {
  expect(place({ hostPID: true }).sharesProcesses).toBe(true);
  expect(place({ shareProcessNamespace: true }).sharesProcesses).toBe(true);
});

test('a pod may be called by its whole name', () => {
  const spec = { hostname: 'web-0', subdomain: 'web', setHostnameAsFQDN: true };
  const named = place(spec);
  expect(named.hostname).toBe('web-0.web.shop.svc.cluster.local');
  expect(named.hosts.at(-1)).toBe('10.64.0.7\tweb-0.web.shop.svc.cluster.local\tweb-0');
  expect(place({ hostname: 'web-0', setHostnameAsFQDN: true }).hostname).toBe('web-0');
  expect(place({ ...spec, hostNetwork: true }).hostname).toBe(place({ hostNetwork: true }).hostname);
  expect(() => place({ ...spec, hostname: 'w'.repeat(63) })).toThrow(
    'is too long (64 characters is the max, 90 characters requested)',
  );
});
