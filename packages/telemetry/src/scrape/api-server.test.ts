import { expect, test } from 'vitest';
import { apiServerAddress } from './api-server.ts';
import { createLeaf } from './leaf.ts';

function addressOf(text: string): { readonly address: string | undefined; readonly problems: readonly string[] } {
  const metadata = { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
  const leaf = createLeaf(
    { apiVersion: 'v1', kind: 'X', metadata },
    { lookup: () => ({ state: 'object missing' }), pathOf: () => '' },
    { missingFile: 'reject', expansion: 'any' },
  );
  const address = apiServerAddress(text, { leaf, at: 'host' });
  return { address, problems: leaf.findings.map(({ message }) => message) };
}

test.each([
  ['https://10.0.0.1:6443', undefined],
  ['https://api.example.com', undefined],
  ['api.example.com', undefined],
  ['kubernetes.default.svc:443', undefined],
  ['localhost:8080', undefined],
  ['10.0.0.1', undefined],
  ['10.0.0.1:6443', 'https://10.0.0.1:6443'],
  ['[fd00::1]:6443', 'https://[fd00::1]:6443'],
  ['fd00::1', 'https://[fd00::1]'],
  [`$\{API_HOST}`, undefined],
  ['$(API_HOST):443', undefined],
])('%s is where the API server may be', (text, expected = text) => {
  expect(addressOf(text)).toEqual({ address: expected, problems: [] });
});

test.each([
  'a b',
  'a_b',
  '-a',
  'host:',
  'host:http',
  'host:70000',
  '[10.0.0.1]:1',
  'host/path',
  'https://a{b}',
  '::1:x',
])('%s is none', (text) => {
  expect(addressOf(text).problems).toHaveLength(1);
});
