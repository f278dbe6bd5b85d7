/** A pod and the world around it for tests of what is made from them. */
import type { ConfigMap, Container, Pod, Secret, Service } from '@signalbox/cluster';
import { programAccounts } from '../images/accounts.ts';
import type { Image } from '../images/image.ts';
import type { NodeFacts } from '../pod/around.ts';
import type { LaunchAround } from '../pod/launch.ts';

const meta = (name: string, namespace: string) => ({
  name,
  namespace,
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
});

export function podWith(
  spec: Partial<Pod['spec']> & { readonly container?: Partial<Container> } = {},
  metadata: Partial<Pod['metadata']> = {},
): Pod {
  const { container, ...rest } = spec;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...meta('web-0', 'shop'), ...metadata },
    spec: { containers: [{ name: 'app', image: 'web:1', ...container }], ...rest },
    status: {},
  };
}

export function configMap(name: string, content: Pick<ConfigMap, 'data' | 'binaryData'> = {}): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta(name, 'shop'), ...content };
}

export function secret(name: string, texts: Readonly<Record<string, string>> = {}): Secret {
  const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const);
  return { apiVersion: 'v1', kind: 'Secret', metadata: meta(name, 'shop'), data: Object.fromEntries(data) };
}

export function service(name: string, spec: Service['spec'], namespace = 'shop'): Service {
  return { apiVersion: 'v1', kind: 'Service', metadata: meta(name, namespace), spec, status: {} };
}

export const testImage: Image = {
  id: 'program:///usr/bin/web',
  root: { is: 'programs', paths: [] },
  entrypoint: ['/bin/web'],
  cmd: ['--serve'],
  env: {},
  user: '',
  workingDir: '',
  accounts: programAccounts,
  aliases: {},
};

export const testNode: NodeFacts = {
  name: 'node-a',
  hostname: 'machine',
  address: '10.64.0.1',
  allocatable: { cpu: '2', memory: '4Gi', 'ephemeral-storage': '10Gi' },
  clusterDomain: 'cluster.local',
  nameserver: '169.254.20.10',
  resolver: { nameservers: ['192.0.2.1'], searches: ['example.org'], options: ['edns0'] },
  processesMax: undefined,
};

export function around(
  known: Partial<LaunchAround> & { readonly objects?: readonly (ConfigMap | Secret)[] } = {},
): LaunchAround {
  const { objects = [], ...rest } = known;
  return {
    configMaps: new Map(objects.flatMap((each) => (each.kind === 'ConfigMap' ? [[each.metadata.name, each]] : []))),
    secrets: new Map(objects.flatMap((each) => (each.kind === 'Secret' ? [[each.metadata.name, each]] : []))),
    services: [],
    node: testNode,
    address: '10.64.0.7',
    tokens: new Map(),
    claims: new Map(),
    image: testImage,
    attempt: 0,
    ...rest,
  };
}
