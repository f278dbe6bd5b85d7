/** What the server's own rules make of objects, and refuse, as clients see it. */
import { describe, expect, test } from 'vitest';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import {
  deployments,
  ingressclasses,
  ingresses,
  limitranges,
  namespaces,
  persistentvolumeclaims,
  pods,
  runtimeclasses,
  storageclasses,
} from '../../api/generated/kinds.ts';
import type { Ingress } from '../../api/generated/networking-v1.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';

const start = (): Promise<TestServer> => createTestServer({ definitions: builtinDefinitions });

describe('LimitRanger', () => {
  const limits = [
    { type: 'Container', default: { cpu: '1' }, max: { cpu: '2' } },
    { type: 'PersistentVolumeClaim', max: { storage: '5Gi' } },
  ];
  const cpu = (amount: string): object => ({
    containers: [{ name: 'main', image: 'a', resources: { limits: { cpu: amount } } }],
  });
  test('completes pods and refuses those that ask for too much', async () => {
    const server = await start();
    await server.create(limitranges, { metadata: { name: 'limits' }, spec: { limits } });
    await server.create(pods, pod('a'));
    const { spec, metadata } = (await server.get(pods, 'a')) as Pod;
    expect(spec.containers[0]?.resources).toEqual({ limits: { cpu: '1' }, requests: { cpu: '1' } });
    // It is judged by what it is given.
    expect(((await server.get(pods, 'a')) as Pod).status?.qosClass).toBe('Burstable');
    expect(metadata.annotations?.['kubernetes.io/limit-ranger']).toContain('cpu request for container main');
    expect(await refusalOf(server.create(pods, pod('b', cpu('3'))))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'pods "b" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
    });
    // The judges know the name that it gets.
    const generated = pod('', cpu('3'), { name: undefined, generateName: 'web-' });
    expect((await refusalOf(server.create(pods, generated))).message).toMatch(/^pods "web-[a-z0-9]{5}" is forbidden/);
    // What is valid first is looked at first.
    expect((await refusalOf(server.create(pods, pod('b', { containers: [] })))).code).toBe(422);
  });
  test('does not look into other namespaces', async () => {
    const server = await start();
    await server.create(limitranges, { metadata: { name: 'l' }, spec: { limits } }, { namespace: 'kube-system' });
    await server.create(pods, pod('b', cpu('3')));
  });
  test('holds claims to their storage', async () => {
    const server = await start();
    await server.create(limitranges, { metadata: { name: 'limits' }, spec: { limits } });
    expect((await refusalOf(server.create(persistentvolumeclaims, claim('a', { storage: '6Gi' })))).message).toBe(
      'persistentvolumeclaims "a" is forbidden: maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi',
    );
  });
});

const claim = (name: string, requests: object, more: object = {}): object => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests }, ...more },
});
const storageClass = (name: string, more: object = {}, annotations: object = {}): object => ({
  metadata: { name, annotations },
  provisioner: 'example.com/disks',
  ...more,
});
const byDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' };

describe('DefaultStorageClass', () => {
  test.each<[string, object, string | undefined]>([
    ['is given to a claim that names none', {}, 'fast'],
    ['not to one that names another', { storageClassName: 'slow' }, 'slow'],
    ['nor to one that wants none', { storageClassName: '' }, ''],
  ])('%s', async (_, more, expected) => {
    const server = await start();
    await server.create(storageclasses, storageClass('slow'));
    await server.create(storageclasses, storageClass('fast', {}, byDefault));
    await server.create(persistentvolumeclaims, claim('a', { storage: '1Gi' }, more));
    const { spec } = (await server.get(persistentvolumeclaims, 'a')) as PersistentVolumeClaim;
    expect(spec.storageClassName).toBe(expected);
  });
});

describe('PersistentVolumeClaimResize', () => {
  const grow = (server: TestServer): Promise<unknown> =>
    server.merge(persistentvolumeclaims, 'a', { body: { spec: { resources: { requests: { storage: '2Gi' } } } } });
  test.each<[string, object, string | undefined]>([
    ['grows', { allowVolumeExpansion: true }, undefined],
    [
      'cannot grow',
      {},
      'persistentvolumeclaims "a" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    ],
  ])('a bound claim %s as its class says', async (_, more, message) => {
    const server = await start();
    await server.create(storageclasses, storageClass('disks', more));
    await server.create(
      persistentvolumeclaims,
      claim('a', { storage: '1Gi' }, { storageClassName: 'disks', volumeName: 'v' }),
    );
    const status = { phase: 'Bound', capacity: { storage: '1Gi' } };
    await server.merge(persistentvolumeclaims, 'a', { subresource: 'status', body: { status } });
    if (message === undefined) await grow(server);
    else expect((await refusalOf(grow(server))).message).toBe(message);
  });
});

test('DefaultIngressClass gives the newest to an Ingress that names none', async () => {
  const server = await start();
  const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
  const spec = { controller: 'example.com/doors' };
  await server.create(ingressclasses, { metadata: { name: 'old', annotations }, spec });
  await server.clock.advance(2_000);
  await server.create(ingressclasses, { metadata: { name: 'new', annotations }, spec });
  const backend = { defaultBackend: { service: { name: 'web', port: { number: 80 } } } };
  const classOf = async (name: string): Promise<string | undefined> =>
    ((await server.get(ingresses, name)) as Ingress).spec?.ingressClassName;
  await server.create(ingresses, { metadata: { name: 'a' }, spec: backend });
  await server.create(ingresses, { metadata: { name: 'b' }, spec: { ...backend, ingressClassName: 'old' } });
  const older = { 'kubernetes.io/ingress.class': 'nginx' };
  await server.create(ingresses, { metadata: { name: 'c', annotations: older }, spec: backend });
  expect([await classOf('a'), await classOf('b'), await classOf('c')]).toEqual(['new', 'old', undefined]);
});

describe('RuntimeClass', () => {
  const runtime = {
    metadata: { name: 'slow' },
    handler: 'slow',
    overhead: { podFixed: { cpu: '100m' } },
    scheduling: { nodeSelector: { runtime: 'slow' }, tolerations: [{ key: 'slow', operator: 'Exists' }] },
  };
  test('says what its pods take besides, and where they run', async () => {
    const server = await start();
    await server.create(runtimeclasses, runtime);
    await server.create(pods, pod('a', { runtimeClassName: 'slow', nodeSelector: { disk: 'fast' } }));
    const { spec } = (await server.get(pods, 'a')) as Pod;
    expect(spec).toMatchObject({
      overhead: { cpu: '100m' },
      nodeSelector: { disk: 'fast', runtime: 'slow' },
      tolerations: expect.arrayContaining([{ key: 'slow', operator: 'Exists' }]),
    });
  });
  const rejected = 'pods "a" is forbidden: pod rejected:';
  test.each<[string, object, string]>([
    ['a class that is not there', { runtimeClassName: 'fast' }, `${rejected} RuntimeClass "fast" not found`],
    [
      'another overhead',
      { runtimeClassName: 'slow', overhead: { cpu: '1' } },
      `${rejected} Pod's Overhead doesn't match RuntimeClass's defined Overhead`,
    ],
    [
      'an overhead without a class',
      { overhead: { cpu: '1' } },
      `${rejected} Pod Overhead set without corresponding RuntimeClass defined Overhead`,
    ],
    [
      'another place',
      { runtimeClassName: 'slow', nodeSelector: { runtime: 'fast' } },
      'pods "a" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[runtime] = slow; pod.spec.nodeSelector[runtime] = fast',
    ],
  ])('refuses %s', async (_, spec, message) => {
    const server = await start();
    await server.create(runtimeclasses, runtime);
    expect((await refusalOf(server.create(pods, pod('a', spec)))).message).toBe(message);
  });
});

describe('PodSecurity', () => {
  const labelled = (name: string, labels: Record<string, string>): object => ({
    metadata: {
      name,
      labels: Object.fromEntries(
        Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
      ),
    },
  });
  const rude = { hostNetwork: true };

  test('refuses what a namespace does not allow, and warns of what would be refused', async () => {
    const server = await start();
    await server.create(namespaces, labelled('safe', { enforce: 'baseline' }));
    const within = { namespace: 'safe' };
    expect(await refusalOf(server.create(pods, pod('a', rude), within))).toMatchObject({
      code: 403,
      message: 'pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    });
    await server.create(pods, pod('a'), within);
    await server.create(pods, pod('a', rude));
    const selector = { matchLabels: { app: 'a' } };
    const template = { metadata: { labels: { app: 'a' } }, spec: { ...(pod('x', rude) as { spec: object }).spec } };
    const { warnings } = await server.create(
      deployments,
      { metadata: { name: 'web' }, spec: { selector, template } },
      within,
    );
    expect(warnings).toContain('would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)');
  });

  test('lets those go on that are there, and what changes nothing that counts', async () => {
    const server = await start();
    await server.create(namespaces, labelled('late', {}));
    const within = { namespace: 'late' };
    for (const name of ['a', 'b', 'c']) await server.create(pods, pod(name, rude), within);
    const { warnings } = await server.merge(namespaces, 'late', { body: labelled('late', { enforce: 'baseline' }) });
    expect(warnings).toEqual([
      'existing pods in namespace "late" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 2 other pods): host namespaces',
    ]);
    await server.merge(pods, 'a', { ...within, body: { metadata: { labels: { still: 'here' } } } });
    const image = { spec: { containers: [{ name: 'main', image: 'example.com/app:2' }] } };
    expect((await refusalOf(server.merge(pods, 'a', { ...within, body: image }))).message).toContain(
      'violates PodSecurity',
    );
  });

  test('refuses labels that mean nothing', async () => {
    const server = await start();
    expect((await refusalOf(server.create(namespaces, labelled('x', { enforce: 'high' })))).message).toBe(
      'Namespace "x" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "high": must be one of privileged, baseline, restricted',
    );
  });
});
