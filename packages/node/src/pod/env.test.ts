import type { Container, EnvVar } from '@signalbox/cluster';
import { describe, expect, test } from 'vitest';
import { around, configMap, podWith, secret, service } from '../testing/pods.ts';
import type { PodAround } from './around.ts';
import { containerEnv } from './env.ts';
import { expand } from './expand.ts';

const labelled = { labels: { app: 'web', tier: 'front' }, annotations: { note: 'two\n"lines"' } };

function envOf(container: Partial<Container>, world: PodAround = around(), spec: object = {}): unknown {
  const pod = podWith({ container, ...spec }, labelled);
  const made = containerEnv({ pod, container: pod.spec.containers[0] as Container, around: world });
  return made.ok ? Object.fromEntries(made.value.variables) : `${made.reason}: ${made.message}`;
}

function one(variable: Omit<EnvVar, 'name'>, world?: PodAround, container: Partial<Container> = {}): unknown {
  const env = envOf({ ...container, env: [{ name: 'X', ...variable }] }, world);
  return typeof env === 'string' ? env : (env as Readonly<Record<string, string>>)['X'];
}

test.each([
  ['plain', 'plain'],
  ['$(A)', 'a'],
  ['$(A)-$(B)', 'a-b'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$a'],
  ['$(NOBODY)', '$(NOBODY)'],
  ['$(A', '$(A'],
  ['$A $ $', '$A $ $'],
  ['$(EMPTY)!', '!'],
  ['$(A$(B))', '$(A$(B))'],
  ['$()', '$()'],
])('%s becomes %s', (text, expected) => {
  const values = new Map(Object.entries({ A: 'a', B: 'b', EMPTY: '' }));
  expect(expand(text, (name) => values.get(name))).toBe(expected);
});

describe('fields', () => {
  test.each([
    ['metadata.name', 'web-0'],
    ['metadata.namespace', 'shop'],
    ['metadata.uid', 'uid-web-0'],
    ["metadata.labels['app']", 'web'],
    ["metadata.labels['none']", ''],
    ["metadata.annotations['note']", 'two\n"lines"'],
    ['metadata.labels', 'app="web"\ntier="front"'],
    ['metadata.annotations', 'note="two\\n\\"lines\\""'],
    ['spec.nodeName', 'node-a'],
    ['spec.serviceAccountName', ''],
    ['status.hostIP', '10.64.0.1'],
    ['status.hostIPs', '10.64.0.1'],
    ['status.podIP', '10.64.0.7'],
    ['status.podIPs', '10.64.0.7'],
    ['status.phase', 'CreateContainerConfigError: unsupported fieldPath: status.phase'],
  ])('%s', (fieldPath, expected) => {
    expect(one({ valueFrom: { fieldRef: { fieldPath } } })).toBe(expected);
  });

  test('on the host network the address is that of the node', () => {
    const env = [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }];
    expect(envOf({ env }, around({ address: undefined }), { hostNetwork: true })).toEqual({ X: '10.64.0.1' });
  });
});

describe('resources', () => {
  const resources = { limits: { cpu: '1500m' }, requests: { memory: '100Mi', cpu: '250m' } };
  test.each([
    ['limits.cpu', undefined, '2'],
    ['limits.cpu', '1m', '1500'],
    ['limits.cpu', '0', '2'],
    ['requests.cpu', undefined, '1'],
    ['requests.memory', '1Mi', '100'],
    ['requests.memory', '1Ki', '102400'],
    ['requests.memory', '1Gi', '1'],
    ['requests.ephemeral-storage', undefined, '0'],
    // What is not limited is limited by the node.
    ['limits.memory', '1Mi', '4096'],
    ['limits.ephemeral-storage', '1Gi', '10'],
    ['limits.gpu', undefined, 'CreateContainerConfigError: unsupported container resource : limits.gpu'],
  ])('%s by %s', (resource, divisor, expected) => {
    const resourceFieldRef = { resource, ...(divisor === undefined ? {} : { divisor }) };
    expect(one({ valueFrom: { resourceFieldRef } }, undefined, { resources })).toBe(expected);
  });

  test('of a container that is not there', () => {
    const resourceFieldRef = { resource: 'limits.cpu', containerName: 'ghost' };
    expect(one({ valueFrom: { resourceFieldRef } })).toBe('CreateContainerConfigError: container ghost not found');
  });
});

describe('keys', () => {
  const world = around({ objects: [configMap('c', { data: { k: 'v' } }), secret('s', { k: 'hidden' })] });
  test.each<[string, NonNullable<EnvVar['valueFrom']>, unknown]>([
    ['of a ConfigMap', { configMapKeyRef: { name: 'c', key: 'k' } }, 'v'],
    ['of a Secret', { secretKeyRef: { name: 's', key: 'k' } }, 'hidden'],
    [
      'no ConfigMap',
      { configMapKeyRef: { name: 'x', key: 'k' } },
      'CreateContainerConfigError: configmap "x" not found',
    ],
    ['no Secret', { secretKeyRef: { name: 'x', key: 'k' } }, 'CreateContainerConfigError: secret "x" not found'],
    [
      'no key of a ConfigMap',
      { configMapKeyRef: { name: 'c', key: 'z' } },
      "CreateContainerConfigError: couldn't find key z in ConfigMap shop/c",
    ],
    [
      'no key of a Secret',
      { secretKeyRef: { name: 's', key: 'constructor' } },
      "CreateContainerConfigError: couldn't find key constructor in Secret shop/s",
    ],
    ['nothing, which is allowed', { configMapKeyRef: { name: 'x', key: 'k', optional: true } }, undefined],
    ['no key, which is allowed', { secretKeyRef: { name: 's', key: 'z', optional: true } }, undefined],
  ])('%s', (_, valueFrom, expected) => {
    expect(one({ valueFrom }, world)).toBe(expected);
  });
});

describe('whole sources', () => {
  const objects = [configMap('c', { data: { A: '1', B: '2', 'bad=key': '3' } }), secret('s', { B: 'secret' })];
  const world = around({ objects });

  test('later ones win, prefixes stand before, variables of their own win over both and may name them', () => {
    const envFrom = [
      { configMapRef: { name: 'c' } },
      { secretRef: { name: 's' } },
      { prefix: 'P_', secretRef: { name: 's' } },
    ];
    const env = [
      { name: 'A', value: 'own' },
      { name: 'C', value: '$(A) $(B) $(P_B) $(LATER)' },
      { name: 'LATER', value: 'x' },
    ];
    expect(envOf({ envFrom, env }, world)).toEqual({
      A: 'own',
      B: 'secret',
      P_B: 'secret',
      C: 'own secret secret $(LATER)',
      LATER: 'x',
    });
  });

  test('a name that is none is left out and told', () => {
    const pod = podWith({ container: { envFrom: [{ configMapRef: { name: 'c' } }] } });
    const made = containerEnv({ pod, container: pod.spec.containers[0] as Container, around: world });
    expect(made).toMatchObject({
      value: {
        skipped: [
          'Keys [bad=key] from the EnvFrom configMap shop/c were skipped since they are considered invalid environment variable names.',
        ],
      },
    });
  });

  test('a missing one is waited for, an optional one is not', () => {
    const refusal = 'CreateContainerConfigError: secret "x" not found';
    expect(envOf({ envFrom: [{ secretRef: { name: 'x' } }] }, world)).toBe(refusal);
    expect(envOf({ envFrom: [{ secretRef: { name: 'x', optional: true } }] }, world)).toEqual({});
  });
});

describe('services', () => {
  const api = service('kubernetes', { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443 }] }, 'default');
  const web = service('my-web', {
    clusterIP: '10.96.0.9',
    ports: [
      { name: 'http-main', port: 80 },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ],
  });
  const services = [
    api,
    web,
    service('headless', { clusterIP: 'None', ports: [{ port: 1 }] }),
    service('theirs', { clusterIP: '10.96.0.10', ports: [{ port: 1 }] }, 'other'),
  ];
  const ofApi = {
    KUBERNETES_SERVICE_HOST: '10.96.0.1',
    KUBERNETES_SERVICE_PORT: '443',
    KUBERNETES_SERVICE_PORT_HTTPS: '443',
    KUBERNETES_PORT: 'tcp://10.96.0.1:443',
    KUBERNETES_PORT_443_TCP: 'tcp://10.96.0.1:443',
    KUBERNETES_PORT_443_TCP_PROTO: 'tcp',
    KUBERNETES_PORT_443_TCP_PORT: '443',
    KUBERNETES_PORT_443_TCP_ADDR: '10.96.0.1',
  };

  test("of its namespace, and the API server's", () => {
    expect(envOf({}, around({ services }))).toEqual({
      ...ofApi,
      MY_WEB_SERVICE_HOST: '10.96.0.9',
      MY_WEB_SERVICE_PORT: '80',
      MY_WEB_SERVICE_PORT_HTTP_MAIN: '80',
      MY_WEB_SERVICE_PORT_DNS: '53',
      MY_WEB_PORT: 'tcp://10.96.0.9:80',
      MY_WEB_PORT_80_TCP: 'tcp://10.96.0.9:80',
      MY_WEB_PORT_80_TCP_PROTO: 'tcp',
      MY_WEB_PORT_80_TCP_PORT: '80',
      MY_WEB_PORT_80_TCP_ADDR: '10.96.0.9',
      MY_WEB_PORT_53_UDP: 'udp://10.96.0.9:53',
      MY_WEB_PORT_53_UDP_PROTO: 'udp',
      MY_WEB_PORT_53_UDP_PORT: '53',
      MY_WEB_PORT_53_UDP_ADDR: '10.96.0.9',
    });
  });

  test('without links only that of the API server; what the container says itself wins, and may name them', () => {
    const env = [
      { name: 'KUBERNETES_SERVICE_HOST', value: 'kubernetes.default.svc' },
      { name: 'AT', value: '$(KUBERNETES_SERVICE_HOST):$(KUBERNETES_SERVICE_PORT)' },
    ];
    expect(envOf({ env }, around({ services }), { enableServiceLinks: false })).toEqual({
      ...ofApi,
      KUBERNETES_SERVICE_HOST: 'kubernetes.default.svc',
      AT: 'kubernetes.default.svc:443',
    });
  });
});
