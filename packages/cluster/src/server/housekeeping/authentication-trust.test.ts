import { expect, test } from 'vitest';
import { usualHeaders } from '../../api/front-proxy.ts';
import type { ConfigMap } from '../../api/generated/core-v1.ts';
import { configmaps } from '../../api/generated/kinds.ts';
import { createTestPlane } from '../../testing/plane.ts';
import { type AuthenticationTrust, keepTrust, trustTexts, writeTrust } from './authentication-trust.ts';

const requestHeader = { ca: 'PROXY', allowedNames: ['front'], ...usualHeaders };
const place = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };

test.each<[string, AuthenticationTrust, object]>([
  ['nobody', { clientCa: '' }, {}],
  ['clients alone', { clientCa: 'CA' }, { 'client-ca-file': 'CA' }],
  [
    'clients and a proxy, with upstream’s keys',
    { clientCa: 'CA', requestHeader },
    {
      'client-ca-file': 'CA',
      'requestheader-allowed-names': '["front"]',
      'requestheader-client-ca-file': 'PROXY',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    },
  ],
])('%s', (_, trust, texts) => {
  expect(trustTexts(trust)).toEqual(texts);
  if (trust.requestHeader !== undefined)
    expect(trustTexts({ ...trust, requestHeader: { ...trust.requestHeader, uidHeaders: [] } })).not.toHaveProperty(
      'requestheader-uid-headers',
    );
});

test('it is written once, follows a renewal, and is put right within a minute', async () => {
  const plane = await createTestPlane();
  const { signal, clock, server } = plane;
  let clientCa = 'CA';
  const trust = (): AuthenticationTrust => ({ clientCa });
  const found = async (): Promise<ConfigMap | undefined> => plane.find(configmaps, place.name, place.namespace);
  await writeTrust(server, { trust: trust(), signal });
  const first = await found();
  expect(first?.data).toEqual({ 'client-ca-file': 'CA' });
  await writeTrust(server, { trust: trust(), signal });
  expect((await found())?.metadata.resourceVersion).toBe(first?.metadata.resourceVersion);
  const kept = keepTrust(server, { trust, clock, signal, report: (message) => expect.fail(message) });
  clientCa = 'CA and its successor';
  await clock.advance(60_000);
  expect((await found())?.data).toEqual({ 'client-ca-file': 'CA and its successor' });
  await plane.client.patch(configmaps, { ...place, signal, patchType: 'merge', body: { data: { forged: 'x' } } });
  await plane.client.delete(configmaps, { ...place, signal });
  await clock.advance(60_000);
  expect((await found())?.data).toEqual({ 'client-ca-file': 'CA and its successor' });
  await plane.close();
  await kept;
});
