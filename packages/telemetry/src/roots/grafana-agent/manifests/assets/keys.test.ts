import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type KeyReference, referenceId } from '../../../../world/references.ts';
import { assetKeys } from './keys.ts';

const secret = (namespace: string, name: string, key: string): KeyReference => ({
  kind: 'Secret',
  namespace,
  name,
  key,
  optional: false,
});

test('keys are upstream’s as long as nobody else has them', () => {
  const keys = assetKeys([secret('apps', 'remote-write', 'ca.crt'), { ...secret('a', 'b', 'c'), kind: 'ConfigMap' }]);
  expect([...keys.values()]).toEqual(['_configMaps_a_b_c', '_secrets_apps_remote_write_ca_crt']);
});

test('two tenants never share a key, and neither keeps the one they would have shared', () => {
  const keys = [...assetKeys([secret('a-b', 'c', 'k'), secret('a', 'b-c', 'k')]).values()];
  expect(new Set(keys).size).toBe(2);
  for (const key of keys) expect(key).toMatch(/^_secrets_a_b_c_k\.[0-9a-f]{32}$/);
});

test('nobody can name a Secret such that it gets the key of another tenant', () => {
  const pair = [secret('a-b', 'c', 'k'), secret('a', 'b-c', 'k')];
  const taken = assetKeys(pair).get('/secrets/a/b-c/k') ?? '';
  const forged = secret('a-b', 'c', taken.replace('_secrets_a_b_c_', ''));
  const keys = [...assetKeys([...pair, forged]).values()];
  expect(new Set(keys).size).toBe(3);
});

test('the same reference twice is no collision', () => {
  expect([...assetKeys([secret('a', 'b', 'c'), secret('a', 'b', 'c')]).values()]).toEqual(['_secrets_a_b_c']);
});

test('whatever is referred to, keys are valid, unique, and independent of the order', () => {
  const part = fc.stringMatching(/^[a-c](?:[-.a-c]{0,6}[a-c])?$/);
  const references = fc.uniqueArray(
    fc.record({ namespace: part, name: part, key: fc.oneof(part, fc.constant('k'.repeat(253))) }),
    { maxLength: 30, selector: (it) => JSON.stringify(it) },
  );
  fc.assert(
    fc.property(references, (all) => {
      const wanted = all.map(({ namespace, name, key }) => secret(namespace, name, key));
      const keys = assetKeys(wanted);
      expect(new Set(keys.values()).size).toBe(new Set(wanted.map(referenceId)).size);
      for (const key of keys.values()) expect(key).toMatch(/^[-._a-zA-Z0-9]{1,253}$/);
      expect(assetKeys([...wanted].reverse())).toEqual(keys);
    }),
  );
});
