import type { Volume } from '@signalbox/cluster';
import { describe, expect, test } from 'vitest';
import { around, configMap, podWith, secret } from '../testing/pods.ts';
import { type PodAround, referencesOf } from './around.ts';
import { volumeContents } from './volumes.ts';

const objects = [
  configMap('c', { data: { a: 'A', b: 'B' }, binaryData: { raw: '/wA=' } }),
  secret('s', { password: 'hush' }),
];
const claims = new Map([
  ['data', { folder: 'pv-1', isBeingDeleted: false, ownerUid: undefined }],
  ['pending', { folder: undefined, isBeingDeleted: false, ownerUid: undefined }],
  ['leaving', { folder: 'pv-2', isBeingDeleted: true, ownerUid: undefined }],
  ['web-0-own', { folder: 'pv-3', isBeingDeleted: false, ownerUid: 'uid-web-0' }],
  ['web-0-theirs', { folder: 'pv-4', isBeingDeleted: false, ownerUid: 'uid-other' }],
]);
const world = around({ objects, claims, tokens: new Map([['v/token', 'eyJ']]) });

function contents(
  volume: Omit<Volume, 'name'>,
  { spec = {}, known = world }: { spec?: object; known?: PodAround } = {},
) {
  const pod = podWith({ volumes: [{ name: 'v', ...volume }], ...spec }, { labels: { app: 'web' } });
  return volumeContents(pod, known);
}

function files(volume: Omit<Volume, 'name'>, spec: object = {}): unknown {
  const made = contents(volume, { spec });
  if (!made.ok) return made.missing;
  return made.volumes.flatMap((each) =>
    each.is === 'files'
      ? each.files.map(({ path, base64, mode, owner }) => {
          const text = `${path} ${mode.toString(8)} ${Buffer.from(base64, 'base64').toString()}`;
          return owner === undefined ? text : `${text} of ${owner}`;
        })
      : [],
  );
}

const failed = (text: string) => [`MountVolume.SetUp failed for volume "v" : ${text}`];
const source = (each: object): Omit<Volume, 'name'> => ({ projected: { sources: [each] } });

describe('files', () => {
  test.each<[string, Omit<Volume, 'name'>, readonly string[]]>([
    [
      'all keys',
      { configMap: { name: 'c', items: [] } },
      ['a 644 A', 'b 644 B', `raw 644 ${Buffer.from([255, 0]).toString()}`],
    ],
    [
      'some keys at other places',
      {
        configMap: {
          name: 'c',
          defaultMode: 0o600,
          items: [
            { key: 'b', path: 'x/y' },
            { key: 'a', path: 'z', mode: 0o755 },
          ],
        },
      },
      ['x/y 600 B', 'z 755 A'],
    ],
    [
      'no such key',
      { configMap: { name: 'c', items: [{ key: 'z', path: 'z' }] } },
      failed('configmap references non-existent config key: z'),
    ],
    [
      'no such key, which is allowed',
      { configMap: { name: 'c', optional: true, items: [{ key: 'z', path: 'z' }] } },
      [],
    ],
    ['no ConfigMap', { configMap: { name: 'x' } }, failed('configmap "x" not found')],
    ['no ConfigMap, which is allowed', { configMap: { name: 'x', optional: true } }, []],
    ['a Secret', { secret: { secretName: 's', defaultMode: 0o400 } }, ['password 400 hush']],
    ['no Secret', { secret: { secretName: 'x' } }, failed('secret "x" not found')],
    [
      'no key of a Secret',
      { secret: { secretName: 's', items: [{ key: 'z', path: 'z' }] } },
      failed('references non-existent secret key: z'),
    ],
    [
      'fields',
      {
        downwardAPI: {
          items: [
            { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' }, mode: 0o600 },
            { path: 'memory', resourceFieldRef: { containerName: 'app', resource: 'limits.memory', divisor: '1Gi' } },
          ],
        },
      },
      ['labels 600 app="web"', 'memory 644 4'],
    ],
    [
      'a field that files cannot have',
      { downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'status.podIP' } }] } },
      failed('unsupported fieldPath: status.podIP'),
    ],
    [
      'of several sources the last one counts',
      {
        projected: {
          defaultMode: 0o440,
          sources: [
            { configMap: { name: 'c', items: [{ key: 'a', path: 'one' }] } },
            { secret: { name: 's', items: [{ key: 'password', path: 'one' }] } },
            { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
          ],
        },
      },
      ['one 440 hush', 'name 440 web-0'],
    ],
    ['a token', source({ serviceAccountToken: { path: 'token' } }), ['token 644 eyJ']],
    [
      'no token yet',
      source({ serviceAccountToken: { path: 'later' } }),
      failed('failed to fetch token: no token for later yet'),
    ],
    [
      'trust bundles',
      source({ clusterTrustBundle: { path: 'x' } }),
      failed('projected sources of type clusterTrustBundle are not offered by this node'),
    ],
  ])('%s', (_, volume, expected) => {
    expect(files(volume)).toEqual(expected);
  });

  test('a token is for the user that the containers have in common', () => {
    const token = source({ serviceAccountToken: { path: 'token' } });
    expect(files(token, { securityContext: { runAsUser: 1000 } })).toEqual(['token 400 eyJ of 1000']);
    expect(files(token, { securityContext: { fsGroup: 7 } })).toEqual(['token 400 eyJ']);
    const containers = [
      { name: 'a', securityContext: { runAsUser: 1 } },
      { name: 'b', securityContext: { runAsUser: 2 } },
    ];
    expect(files(token, { containers })).toEqual(['token 644 eyJ']);
  });

  test('secrets and tokens are told from what is none; the group of the pod is that of its volumes', () => {
    const isSecret = (volume: Omit<Volume, 'name'>): unknown =>
      contents(volume, { spec: { securityContext: { fsGroup: 5 } } });
    expect(isSecret({ secret: { secretName: 's' } })).toMatchObject({ volumes: [{ isSecret: true, group: 5 }] });
    expect(isSecret({ configMap: { name: 'c' } })).toMatchObject({ volumes: [{ isSecret: false, group: 5 }] });
    expect(isSecret(source({ serviceAccountToken: { path: 'token' } }))).toMatchObject({
      volumes: [{ isSecret: true }],
    });
    expect(isSecret(source({ configMap: { name: 'c' } }))).toMatchObject({ volumes: [{ isSecret: false }] });
  });
});

describe('folders', () => {
  const limited = { containers: [{ name: 'app', resources: { limits: { memory: '64Mi' } } }] };
  test.each<[string, Omit<Volume, 'name'>, object, unknown]>([
    ['on disk', { emptyDir: {} }, {}, { is: 'empty', medium: 'disk' }],
    ['without a word', {}, {}, { is: 'empty', medium: 'disk' }],
    [
      'on disk with a limit',
      { emptyDir: { sizeLimit: '1Mi' } },
      limited,
      { is: 'empty', medium: 'disk', limitBytes: 1_048_576 },
    ],
    ['in memory', { emptyDir: { medium: 'Memory' } }, {}, { is: 'empty', medium: 'memory' }],
    [
      'in memory as much as the pod may use',
      { emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
      limited,
      { is: 'empty', medium: 'memory', limitBytes: 67_108_864 },
    ],
    ['a claim', { persistentVolumeClaim: { claimName: 'data' } }, {}, { is: 'claim', folder: 'pv-1' }],
  ])('%s', (_, volume, spec, expected) => {
    expect(contents(volume, { spec })).toEqual({ ok: true, volumes: [{ name: 'v', ...(expected as object) }] });
  });

  test.each<[Omit<Volume, 'name'>, string]>([
    [
      { persistentVolumeClaim: { claimName: 'x' } },
      'error processing PVC shop/x: failed to fetch PVC from API server: persistentvolumeclaims "x" not found',
    ],
    [{ persistentVolumeClaim: { claimName: 'pending' } }, 'error processing PVC shop/pending: PVC is not bound'],
    [
      { persistentVolumeClaim: { claimName: 'leaving' } },
      "error processing PVC shop/leaving: can't start pod because PVC is being deleted",
    ],
    [{ emptyDir: { medium: 'HugePages' } }, 'medium HugePages is not offered by this node; use Memory or none'],
    [
      { nfs: { path: '/x', server: 'y' } },
      'volumes of type nfs are not offered by this node; use a PersistentVolumeClaim, emptyDir or hostPath',
    ],
  ])('%j is refused', (volume, text) => {
    expect(contents(volume)).toEqual({ ok: false, missing: failed(text) });
  });

  test('an ephemeral one has a claim of its own, and no other', () => {
    const spec = (name: string) => ({ volumes: [{ name, ephemeral: {} }] });
    expect(volumeContents(podWith(spec('own')), world)).toMatchObject({ volumes: [{ folder: 'pv-3' }] });
    expect(volumeContents(podWith(spec('theirs')), world)).toMatchObject({
      missing: [expect.stringContaining('PVC shop/web-0-theirs was not created for pod shop/web-0 (pod is not owner)')],
    });
  });

  test('paths of the node are no volumes, but have to be what they are said to be', () => {
    expect(contents({ hostPath: { path: '/var/log' } })).toEqual({ ok: true, volumes: [] });
    expect(contents({ hostPath: { path: '/var/log', type: '' } })).toEqual({ ok: true, volumes: [] });
    expect(contents({ hostPath: { path: '/var/log', type: 'Directory' } })).toMatchObject({
      volumes: [{ is: 'host', path: '/var/log', type: 'Directory' }],
    });
  });
});

test('a pod needs what it names, each once', () => {
  const pod = podWith({
    volumes: [
      { name: 'c', configMap: { name: 'c' } },
      { name: 's', secret: { secretName: 's' } },
      { name: 'own', ephemeral: {} },
      { name: 'p', persistentVolumeClaim: { claimName: 'data' } },
      {
        name: 'api',
        projected: {
          sources: [
            { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
            { serviceAccountToken: { path: 'vault', audience: 'vault' } },
            { configMap: { name: 'kube-root-ca.crt' } },
            { secret: { name: 's' } },
          ],
        },
      },
    ],
    initContainers: [{ name: 'first', envFrom: [{ configMapRef: { name: 'first' } }, { secretRef: { name: 'z' } }] }],
    container: {
      env: [
        { name: 'A', valueFrom: { configMapKeyRef: { name: 'c', key: 'a' } } },
        { name: 'B', valueFrom: { secretKeyRef: { name: 'b', key: 'a' } } },
      ],
    },
  });
  expect(referencesOf(pod)).toEqual({
    configMaps: ['c', 'first', 'kube-root-ca.crt'],
    secrets: ['b', 's', 'z'],
    claims: ['data', 'web-0-own'],
    tokens: [
      { key: 'api/token', audience: undefined, expirationSeconds: 3607 },
      { key: 'api/vault', audience: 'vault', expirationSeconds: 3600 },
    ],
  });
});
