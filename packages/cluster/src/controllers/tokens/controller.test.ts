import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Secret, ServiceAccount } from '../../api/generated/core-v1.ts';
import { secrets, serviceaccounts } from '../../api/generated/kinds.ts';
import type { KubeObject, New } from '../../api/meta.ts';
import { createTestPlane, type TestPlane } from '../../testing/plane.ts';
import { createSecretTokens } from './controller.ts';

let plane: TestPlane;
let pem: string;
let signed: number;
const wakes = new Set<() => void>();
const authority = {
  pem: () => pem,
  onChange(wake: () => void) {
    wakes.add(wake);
    return () => wakes.delete(wake);
  },
};

beforeEach(async () => {
  pem = 'CA';
  signed = 0;
  plane = await createTestPlane();
  const sign = async (account: ServiceAccount, secret: Secret): Promise<string> =>
    `token ${++signed} of ${account.metadata.name} in ${secret.metadata.name}`;
  plane.start(createSecretTokens(plane.platform, { sign, authority }));
  await plane.clock.settle();
});

afterEach(async () => {
  expect(plane.problems).toEqual([]);
  await plane.close();
  expect(wakes.size).toBe(0);
});

const place = { namespace: 'default' };

async function make(type: typeof secrets | typeof serviceaccounts, object: object): Promise<void> {
  await plane.client.create<KubeObject>(type, object as New<KubeObject>, { ...place, signal: plane.signal });
  await plane.clock.settle();
}

function account(name: string): Promise<void> {
  return make(serviceaccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, ...place } });
}

function secret(name: string, of: string, more: object = {}): Promise<void> {
  const metadata = { name, ...place, annotations: { 'kubernetes.io/service-account.name': of } };
  const type = 'kubernetes.io/service-account-token';
  return make(secrets, { apiVersion: 'v1', kind: 'Secret', type, metadata, ...more });
}

async function dataOf(name: string): Promise<Readonly<Record<string, string>> | undefined> {
  const found = await plane.find(secrets, name, 'default');
  return (
    found &&
    Object.fromEntries(
      Object.entries(found.data ?? {}).map(([key, value]) => [key, String(Buffer.from(value, 'base64'))]),
    )
  );
}

test('a Secret for an account is filled, and only such', async () => {
  await account('robot');
  await secret('s', 'robot', { data: { more: 'eA==' } });
  await make(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'plain', ...place } });
  expect(await dataOf('s')).toEqual({
    'ca.crt': 'CA',
    more: 'x',
    namespace: 'default',
    token: 'token 1 of robot in s',
  });
  expect(await dataOf('plain')).toEqual({});
  const [made, filled] = await Promise.all([
    plane.find(serviceaccounts, 'robot', 'default'),
    plane.find(secrets, 's', 'default'),
  ]);
  expect(filled?.metadata.annotations?.['kubernetes.io/service-account.uid']).toBe(made?.metadata.uid);
});

test('what was filled stays; what is taken out comes back', async () => {
  await account('robot');
  await secret('s', 'robot');
  const merge = async (body: object): Promise<void> => {
    await plane.client.patch(secrets, { ...place, name: 's', patchType: 'merge', body, signal: plane.signal });
    await plane.clock.settle();
  };
  await merge({ data: { more: 'eA==' } });
  expect(await dataOf('s')).toMatchObject({ more: 'x', token: 'token 1 of robot in s' });
  await merge({ data: { token: null, 'ca.crt': null } });
  expect(await dataOf('s')).toMatchObject({ 'ca.crt': 'CA', token: 'token 2 of robot in s' });
});

test('a renewed authority reaches every such Secret, and leaves the token', async () => {
  await account('robot');
  await secret('s', 'robot');
  pem = 'CA and its successor';
  for (const wake of wakes) wake();
  await plane.clock.settle();
  expect(await dataOf('s')).toMatchObject({ 'ca.crt': 'CA and its successor', token: 'token 1 of robot in s' });
});

test('a Secret goes with its account', async () => {
  await account('robot');
  await secret('s', 'robot');
  await plane.client.delete(serviceaccounts, { ...place, name: 'robot', signal: plane.signal });
  await plane.clock.settle();
  expect(await dataOf('s')).toBeUndefined();
});

test('a Secret for nobody, or for an account before this one, goes', async () => {
  await secret('early', 'nobody');
  expect(await dataOf('early')).toBeUndefined();
  await account('robot');
  const annotations = {
    'kubernetes.io/service-account.name': 'robot',
    'kubernetes.io/service-account.uid': 'of-another',
  };
  await secret('stale', 'robot', { metadata: { name: 'stale', ...place, annotations } });
  expect(await dataOf('stale')).toBeUndefined();
});

test('an account lists no Secret that has ended', async () => {
  const listed = { secrets: [{ name: 's' }, { name: 'other' }], imagePullSecrets: [{ name: 's' }] };
  const metadata = { name: 'robot', ...place };
  await make(serviceaccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata, ...listed });
  for (const name of ['s', 'unlisted']) await secret(name, 'robot');
  for (const name of ['s', 'unlisted']) await plane.client.delete(secrets, { ...place, name, signal: plane.signal });
  await plane.clock.settle();
  expect(await plane.find(serviceaccounts, 'robot', 'default')).toMatchObject({
    ...listed,
    secrets: [{ name: 'other' }],
  });
});

test('nor does one that was made anew since lose what it lists', async () => {
  await account('robot');
  await secret('s', 'robot');
  await plane.client.delete(serviceaccounts, { ...place, name: 'robot', signal: plane.signal });
  const metadata = { name: 'robot', ...place };
  await make(serviceaccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata, secrets: [{ name: 's' }] });
  expect(await plane.find(secrets, 's', 'default')).toBeUndefined();
  expect(await plane.find(serviceaccounts, 'robot', 'default')).toMatchObject({ secrets: [{ name: 's' }] });
});
