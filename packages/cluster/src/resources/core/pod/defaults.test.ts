import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Container, Pod, PodSpec, Volume } from '../../../api/generated/core-v1.ts';
import { freeze } from '../../../base/freeze.ts';
import { pullPolicyOf } from './container-defaults.ts';
import { defaultPod, defaultPodTemplate } from './defaults.ts';

const bare: Container = { name: 'web', image: 'nginx:1.27' };

function pod(spec: Partial<PodSpec> = {}): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [bare], ...spec } } as Pod;
}

const containerOf = (given: Partial<Container>, spec: Partial<PodSpec> = {}): Container | undefined =>
  defaultPod(pod({ ...spec, containers: [{ ...bare, ...given }] })).spec.containers[0];
const volumeOf = (volume: Omit<Volume, 'name'>): Volume | undefined =>
  defaultPod(pod({ volumes: [{ name: 'v', ...volume }] })).spec.volumes?.[0];

test('the smallest pod becomes a whole one', () => {
  expect(defaultPod(pod())).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: {
      containers: [
        {
          name: 'web',
          image: 'nginx:1.27',
          imagePullPolicy: 'IfNotPresent',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      terminationGracePeriodSeconds: 30,
      securityContext: {},
      enableServiceLinks: true,
    },
    status: { phase: 'Pending' },
  });
});

test('what the user says stays', () => {
  const given: Partial<PodSpec> = {
    restartPolicy: 'Never',
    dnsPolicy: 'Default',
    schedulerName: 'mine',
    terminationGracePeriodSeconds: 0,
    securityContext: { runAsUser: 0 },
    enableServiceLinks: false,
  };
  expect(defaultPod(pod(given)).spec).toMatchObject(given);
});

test('a pod without a spec gets an empty one, for validation to complain about', () => {
  expect(defaultPod({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } } as unknown as Pod).spec).toMatchObject({
    restartPolicy: 'Always',
  });
});

test.each([
  ['nginx', 'Always'],
  ['nginx:latest', 'Always'],
  ['nginx:1.27', 'IfNotPresent'],
  ['localhost:5000/nginx', 'Always'],
  ['localhost:5000/nginx:1', 'IfNotPresent'],
  ['nginx@sha256:0123', 'IfNotPresent'],
  ['nginx:latest@sha256:0123', 'Always'],
  ['example.com/Upper/case', 'IfNotPresent'],
  ['EXAMPLE/nginx', 'Always'],
  ['', 'IfNotPresent'],
])('image %j is pulled %s', (image, policy) => expect(pullPolicyOf(image)).toBe(policy));

describe('containers', () => {
  test('ports speak TCP', () => {
    expect(containerOf({ ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP' }] })?.ports).toEqual([
      { containerPort: 80, protocol: 'TCP' },
      { containerPort: 53, protocol: 'UDP' },
    ]);
  });

  test('on the host network ports are host ports, in init containers too', () => {
    const ports = [{ containerPort: 80 }];
    const { spec } = defaultPod(
      pod({ hostNetwork: true, containers: [{ ...bare, ports }], initContainers: [{ ...bare, name: 'i', ports }] }),
    );
    expect(spec.containers[0]?.ports?.[0]).toEqual({ containerPort: 80, hostPort: 80, protocol: 'TCP' });
    expect(spec.initContainers?.[0]?.ports?.[0]?.hostPort).toBe(80);
  });

  test('probes get their numbers, also for zeros', () => {
    expect(
      containerOf({
        livenessProbe: { httpGet: { port: 80 }, periodSeconds: 0, failureThreshold: 7 },
        readinessProbe: { grpc: { port: 9 } },
        lifecycle: { preStop: { httpGet: { port: 1 } } },
      }),
    ).toMatchObject({
      livenessProbe: {
        httpGet: { port: 80, path: '/', scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 7,
      },
      readinessProbe: { grpc: { port: 9, service: '' } },
      lifecycle: { preStop: { httpGet: { port: 1, path: '/', scheme: 'HTTP' } } },
    });
  });

  test('requests come from limits where none are given, and only in pods', () => {
    const resources = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } };
    expect(containerOf({ resources })?.resources?.requests).toEqual({ cpu: '500m', memory: '1Gi' });
    const template = defaultPodTemplate({ spec: { containers: [{ ...bare, resources }] } });
    expect(template.spec?.containers[0]?.resources).toEqual(resources);
  });

  test('quantities take their canonical form, no finer than thousandths', () => {
    const resources = {
      requests: { cpu: '0.5', memory: '1024Mi', 'nvidia.com/gpu': '2.0' },
      limits: { cpu: '100001n' },
    };
    expect(containerOf({ resources })?.resources).toEqual({
      requests: { cpu: '500m', memory: '1Gi', 'nvidia.com/gpu': '2' },
      limits: { cpu: '1m' },
    });
    expect(containerOf({ resources: { limits: { cpu: 'lots' } } })?.resources?.limits).toEqual({ cpu: 'lots' });
  });

  test('references to fields and resources name their version and divisor', () => {
    const env = [
      { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'B', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
    ];
    expect(containerOf({ env })?.env).toEqual([
      { name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      { name: 'B', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } } },
    ]);
  });
});

test.each<[string, Omit<Volume, 'name'>, Omit<Volume, 'name'>]>([
  ['nothing is an empty folder', {}, { emptyDir: {} }],
  ['secret', { secret: { secretName: 's' } }, { secret: { secretName: 's', defaultMode: 420 } }],
  ['configMap', { configMap: { name: 'c' } }, { configMap: { name: 'c', defaultMode: 420 } }],
  [
    'a mode of 0 is a mode',
    { secret: { secretName: 's', defaultMode: 0 } },
    { secret: { secretName: 's', defaultMode: 0 } },
  ],
  ['hostPath', { hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
  [
    'downwardAPI',
    { downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    {
      downwardAPI: {
        defaultMode: 420,
        items: [{ path: 'l', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.labels' } }],
      },
    },
  ],
  [
    'projected',
    { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
    { projected: { defaultMode: 420, sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }] } },
  ],
  [
    'ephemeral',
    { ephemeral: { volumeClaimTemplate: { spec: {} } } },
    { ephemeral: { volumeClaimTemplate: { spec: { volumeMode: 'Filesystem' } } } },
  ],
  ['nfs has no defaults', { nfs: { server: 's', path: '/' } }, { nfs: { server: 's', path: '/' } }],
])('volume: %s', (_, given, expected) => expect(volumeOf(given)).toEqual({ name: 'v', ...expected }));

test('the old name of the service account follows the new one', () => {
  expect(defaultPod(pod({ serviceAccountName: 'a' })).spec).toMatchObject({
    serviceAccount: 'a',
    serviceAccountName: 'a',
  });
  expect(defaultPod(pod({ serviceAccount: 'a' })).spec).toMatchObject({ serviceAccountName: 'a' });
});

test('templates get no fields that belong to pods alone', () => {
  const { spec } = defaultPodTemplate({
    spec: { hostNetwork: true, containers: [{ ...bare, ports: [{ containerPort: 80 }] }] },
  });
  expect(spec).not.toHaveProperty('enableServiceLinks');
  expect(spec?.containers[0]?.ports?.[0]).not.toHaveProperty('hostPort');
});

const containers = fc.record(
  {
    name: fc.constant('c'),
    image: fc.constantFrom('a', 'a:1', 'a:latest'),
    ports: fc.array(fc.record({ containerPort: fc.integer({ min: 1, max: 9 }) }), { maxLength: 2 }),
    livenessProbe: fc.record({ periodSeconds: fc.nat(2), httpGet: fc.constant({ port: 80 }) }, { requiredKeys: [] }),
    resources: fc.record({
      limits: fc.dictionary(fc.constantFrom('cpu', 'memory'), fc.constantFrom('1', '0.5', 'bad')),
    }),
    env: fc.constant([{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }]),
  },
  { requiredKeys: ['name'] },
);
const specs = fc.record(
  {
    containers: fc.array(containers, { minLength: 1, maxLength: 2 }),
    initContainers: fc.array(containers, { maxLength: 1 }),
    hostNetwork: fc.boolean(),
    volumes: fc.array(
      fc.constantFrom<Volume>(
        { name: 'v' },
        { name: 'v', secret: { secretName: 's' } },
        { name: 'v', hostPath: { path: '/' } },
      ),
    ),
    serviceAccountName: fc.constantFrom('', 'a'),
  },
  { requiredKeys: ['containers'] },
);

test('a defaulted pod is not defaulted again: it stays the very same object', () => {
  fc.assert(
    fc.property(specs, (spec) => {
      const once = freeze(defaultPod(pod(spec as Partial<PodSpec>)));
      expect(defaultPod(once)).toBe(once);
    }),
  );
});

test('defaults never write into what came in', () => {
  fc.assert(
    fc.property(specs, (spec) => {
      const given = pod(spec as Partial<PodSpec>);
      const before = structuredClone(given);
      defaultPod(freeze(given));
      expect(given).toEqual(before);
    }),
  );
});
