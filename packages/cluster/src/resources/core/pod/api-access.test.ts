import { describe, expect, test } from 'vitest';
import type { Pod, PodSpec, ServiceAccount } from '../../../api/generated/core-v1.ts';
import { root } from '../../../api/issue.ts';
import { freeze } from '../../../base/freeze.ts';
import { apiAccessSource, withApiAccess } from './api-access.ts';
import { defaultPod } from './defaults.ts';
import { validatePod } from './validation/spec.ts';

const main = { name: 'main', image: 'x' };
const place = '/var/run/secrets/kubernetes.io/serviceaccount';

function pod(spec: Partial<PodSpec> = {}): Pod {
  const metadata = { name: 'web', namespace: 'default' };
  return freeze({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [main], ...spec } } as unknown as Pod);
}

function given(spec: Partial<PodSpec>, account?: Partial<ServiceAccount>): Pod {
  return withApiAccess(pod(spec), { account: account as ServiceAccount | undefined, suffix: () => 'x7x7x' });
}

/** `main: a at /b`, the volumes last. */
function lines({ spec }: Pod): readonly string[] {
  const mounts = [...(spec.initContainers ?? []), ...spec.containers].map(
    ({ name, volumeMounts = [] }) =>
      `${name}: ${volumeMounts.map((mount) => `${mount.name} at ${mount.mountPath}${mount.readOnly === true ? ', read only' : ''}`).join('; ')}`,
  );
  return [...mounts, `volumes: ${(spec.volumes ?? []).map(({ name }) => name).join(' ')}`];
}

const access = `kube-api-access-x7x7x at ${place}, read only`;

test('a pod mounts token, certificate and namespace', () => {
  expect(given({}).spec).toEqual({
    containers: [{ ...main, volumeMounts: [{ name: 'kube-api-access-x7x7x', readOnly: true, mountPath: place }] }],
    volumes: [
      {
        name: 'kube-api-access-x7x7x',
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
              },
            },
          ],
        },
      },
    ],
  });
});

const own = { name: 'own', image: 'x', volumeMounts: [{ name: 'data', mountPath: place }] };

test.each<[string, Partial<PodSpec>, readonly string[]]>([
  [
    'init containers and what is mounted already count',
    {
      initContainers: [{ name: 'first', image: 'x', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', emptyDir: {} }],
    },
    [`first: data at /data; ${access}`, `main: ${access}`, 'volumes: data kube-api-access-x7x7x'],
  ],
  [
    'a container that mounts something there itself keeps it',
    { containers: [own, main], volumes: [{ name: 'data', emptyDir: {} }] },
    [`own: data at ${place}`, `main: ${access}`, 'volumes: data kube-api-access-x7x7x'],
  ],
  [
    'where all do, nothing is added',
    { containers: [own], volumes: [{ name: 'data', emptyDir: {} }] },
    [`own: data at ${place}`, 'volumes: data'],
  ],
  [
    'a volume of such a name is taken',
    { volumes: [{ name: 'kube-api-access-mine', emptyDir: {} }] },
    [`main: kube-api-access-mine at ${place}, read only`, 'volumes: kube-api-access-mine'],
  ],
])('%s', (_, spec, expected) => expect(lines(given(spec))).toEqual(expected));

describe('who wants none', () => {
  const isGiven = (spec: Partial<PodSpec>, account?: Partial<ServiceAccount>): boolean =>
    given(spec, account).spec.volumes !== undefined;
  test.each<[boolean | undefined, boolean | undefined, boolean]>([
    [undefined, undefined, true],
    [undefined, false, false],
    [undefined, true, true],
    [false, true, false],
    [true, false, true],
  ])('the pod says %s, the account %s', (ofPod, ofAccount, expected) => {
    const spec = ofPod === undefined ? {} : { automountServiceAccountToken: ofPod };
    expect(isGiven(spec, ofAccount === undefined ? {} : { automountServiceAccountToken: ofAccount })).toBe(expected);
  });
});

test('it is complete and valid as it is, and given once', () => {
  const once = given({});
  expect(defaultPod(once).spec.volumes).toBe(once.spec.volumes);
  expect([...validatePod(defaultPod(once), root)]).toEqual([]);
  expect(withApiAccess(once, { account: undefined, suffix: () => 'other' })).toBe(once);
});

test('what is the same for all pods is one object', () => {
  expect(given({}).spec.volumes?.[0]?.projected).toBe(given({}).spec.volumes?.[0]?.projected);
});

test('what pods get is good, though nobody looks at it there', () => {
  const volumes = [{ name: 'given', projected: structuredClone(apiAccessSource) }];
  expect([...validatePod(defaultPod(pod({ volumes })), root)]).toEqual([]);
});
