import { describe, expect, test } from 'vitest';
import { callerOf, type TrustedProxy, trustedProxyOf } from './trusted-proxy.ts';

const map = (data: Readonly<Record<string, string>>): Parameters<typeof trustedProxyOf>[0] =>
  ({ metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' }, data }) as never;

test('what the API server says of itself', () => {
  expect(
    trustedProxyOf(
      map({
        'requestheader-client-ca-file': 'PEM',
        'requestheader-allowed-names': '["front-proxy-client"]',
        'requestheader-username-headers': '["X-Remote-User"]',
        'requestheader-group-headers': '["X-Remote-Group"]',
      }),
    ),
  ).toEqual({
    clientCa: 'PEM',
    names: ['front-proxy-client'],
    userHeaders: ['x-remote-user'],
    groupHeaders: ['x-remote-group'],
  });
  expect(trustedProxyOf(map({}))).toBeUndefined();
  expect(
    trustedProxyOf(map({ 'requestheader-client-ca-file': 'PEM', 'requestheader-allowed-names': '{' })),
  ).toMatchObject({
    names: [],
  });
});

describe('who asks', () => {
  const proxy: TrustedProxy = {
    clientCa: 'PEM',
    names: ['front-proxy-client'],
    userHeaders: ['x-remote-user'],
    groupHeaders: ['x-remote-group'],
  };
  const headers = { 'x-remote-user': 'jane', 'x-remote-group': 'a, b' };

  test('is in the headers', () => {
    expect(callerOf({ certificateName: 'front-proxy-client', headers }, proxy)).toEqual({
      name: 'jane',
      groups: ['a', 'b'],
    });
  });

  test.each([
    ['without a certificate of the authority', { certificateName: undefined, headers }],
    ['under another name', { certificateName: 'kubelet', headers }],
    ['without a user', { certificateName: 'front-proxy-client', headers: {} }],
  ])('is not believed %s', (_, caller) => {
    expect(callerOf(caller, proxy)).toBeUndefined();
  });
});
