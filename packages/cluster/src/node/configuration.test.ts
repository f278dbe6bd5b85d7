import { expect, test } from 'vitest';
import type { ConfigMap, Container, Secret, Volume } from '../api/generated/core-v1.ts';
import { makePod } from '../testing/makers.ts';
import { meta } from '../testing/plan-world.ts';
import {
  type Configuration,
  lackingEnvironments,
  missingPullSecrets,
  missingVolumes,
  mountsConfiguration,
} from './configuration.ts';

const configMap: ConfigMap = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('c') },
  data: { k: 'v' },
  binaryData: { b: 'AA==' },
};
const secret: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: meta('s'), data: { k: 'dg==' } };
const found: Configuration = {
  configMap: (name) => (name === 'c' ? configMap : undefined),
  secret: (name) => (name === 's' ? secret : undefined),
};
const items = (key: string) => [{ key, path: 'file' }];
const token = { serviceAccountToken: { path: 'token' } };

test.each<[string, Omit<Volume, 'name'>, string | undefined]>([
  ['a folder of its own', { emptyDir: {} }, undefined],
  ['a ConfigMap', { configMap: { name: 'c' } }, undefined],
  ['no ConfigMap', { configMap: { name: 'x' } }, 'configmap "x" not found'],
  ['no ConfigMap, and it need not be there', { configMap: { name: 'x', optional: true } }, undefined],
  ['a key of a ConfigMap', { configMap: { name: 'c', items: items('k') } }, undefined],
  ['bytes of a ConfigMap', { configMap: { name: 'c', items: items('b') } }, undefined],
  [
    'no such key of it',
    { configMap: { name: 'c', items: items('z') } },
    'configmap references non-existent config key: z',
  ],
  ['which need not be there', { configMap: { name: 'c', items: items('z'), optional: true } }, undefined],
  ['a Secret', { secret: { secretName: 's', items: items('k') } }, undefined],
  ['no Secret', { secret: { secretName: 'x' } }, 'secret "x" not found'],
  ['no Secret, and it need not be there', { secret: { secretName: 'x', optional: true } }, undefined],
  ['no such key of it', { secret: { secretName: 's', items: items('z') } }, 'references non-existent secret key: z'],
  ['all of what is projected', { projected: { sources: [token, { configMap: { name: 'c' } }] } }, undefined],
  [
    'one of what is projected',
    { projected: { sources: [token, { configMap: { name: 'x' } }, { secret: { name: 'y', optional: true } }] } },
    'configmap "x" not found',
  ],
  [
    'several of what is projected, each told once',
    { projected: { sources: [{ configMap: { name: 'x' } }, { secret: { name: 'y' } }, { configMap: { name: 'x' } }] } },
    '[configmap "x" not found, secret "y" not found]',
  ],
])('a volume of %s', (_what, volume, why) => {
  const pod = makePod('p', { spec: { volumes: [{ name: 'v', ...volume }] } });
  expect(missingVolumes(pod, found)).toEqual(why === undefined ? [] : [{ name: 'v', why }]);
  expect(mountsConfiguration(pod)).toBe(volume.emptyDir === undefined);
});

const from = (valueFrom: object): Partial<Container> => ({ env: [{ name: 'A', valueFrom }] });

test.each<[string, Partial<Container>, string | undefined]>([
  ['nothing', {}, undefined],
  ['a text', { env: [{ name: 'A', value: 'v' }] }, undefined],
  ['a field', from({ fieldRef: { fieldPath: 'metadata.name' } }), undefined],
  ['a key of a ConfigMap', from({ configMapKeyRef: { name: 'c', key: 'k' } }), undefined],
  ['no ConfigMap', from({ configMapKeyRef: { name: 'x', key: 'k' } }), 'configmap "x" not found'],
  [
    'no ConfigMap, and it need not be there',
    from({ configMapKeyRef: { name: 'x', key: 'k', optional: true } }),
    undefined,
  ],
  [
    'no such key of it',
    from({ configMapKeyRef: { name: 'c', key: 'z' } }),
    "couldn't find key z in ConfigMap default/c",
  ],
  ['its bytes', from({ configMapKeyRef: { name: 'c', key: 'b' } }), "couldn't find key b in ConfigMap default/c"],
  ['a key that need not be there', from({ secretKeyRef: { name: 's', key: 'z', optional: true } }), undefined],
  ['no Secret', from({ secretKeyRef: { name: 'x', key: 'k' } }), 'secret "x" not found'],
  ['no such key of it', from({ secretKeyRef: { name: 's', key: 'z' } }), "couldn't find key z in Secret default/s"],
  ['all of a ConfigMap', { envFrom: [{ configMapRef: { name: 'c' } }] }, undefined],
  ['all of no ConfigMap', { envFrom: [{ configMapRef: { name: 'x' } }] }, 'configmap "x" not found'],
  ['all of no Secret', { envFrom: [{ secretRef: { name: 'x' } }] }, 'secret "x" not found'],
  ['all of one that need not be there', { envFrom: [{ secretRef: { name: 'x', optional: true } }] }, undefined],
  [
    'two that are not there, of which the whole one counts',
    { ...from({ configMapKeyRef: { name: 'x', key: 'k' } }), envFrom: [{ secretRef: { name: 'y' } }] },
    'secret "y" not found',
  ],
])('an environment of %s', (_what, parts, why) => {
  const named = { name: 'a', ...parts };
  const expected = why === undefined ? undefined : new Map([['a', why]]);
  const plain = { name: 'b' };
  for (const spec of [
    { containers: [named, plain] },
    { containers: [plain], initContainers: [named] },
    { containers: [plain], ephemeralContainers: [named] },
  ])
    expect(lackingEnvironments(makePod('p', { spec }), found)).toEqual(expected);
});

test('secrets for pulling images are named where they are missing', () => {
  expect(missingPullSecrets(makePod('p'), found)).toEqual([]);
  const imagePullSecrets = [{ name: 's' }, { name: 'x' }, {}, { name: 'y' }];
  expect(missingPullSecrets(makePod('p', { spec: { imagePullSecrets } }), found)).toEqual(['x', 'y']);
});
