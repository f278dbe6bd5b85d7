import { expect, test } from 'vitest';
import { worldOfYaml } from '../testing/world.ts';
import { configMapReference, describeMissing, eitherReference, lookup, secretReference } from './references.ts';

const world = worldOfYaml(`
apiVersion: v1
kind: Secret
metadata: { name: s, namespace: n }
data: { encoded: aGk=, both: b2xk, toString: eA== }
stringData: { plain: hello, both: new }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: c, namespace: n }
data: { text: hi }
binaryData: { bytes: AP8= }
`);
const text = (kind: 'Secret' | 'ConfigMap', name: string, key: string): string => {
  const found = lookup(world, { kind, namespace: 'n', name, key, optional: false });
  return found.state === 'found' ? Buffer.from(found.bytes).toString('latin1') : found.state;
};

test.each([
  ['Secret', 's', 'encoded', 'hi'],
  ['Secret', 's', 'plain', 'hello'],
  ['Secret', 's', 'both', 'new'],
  ['Secret', 's', 'absent', 'key missing'],
  ['Secret', 's', 'constructor', 'key missing'],
  ['Secret', 'other', 'x', 'object missing'],
  ['ConfigMap', 'c', 'text', 'hi'],
  ['ConfigMap', 'c', 'bytes', '\u0000\u00ff'],
  ['ConfigMap', 's', 'encoded', 'object missing'],
] as const)('%s %s, key %s: %s', (kind, name, key, expected) => expect(text(kind, name, key)).toBe(expected));

test('a selector without name or key refers to nothing', () => {
  expect(secretReference(undefined, 'n')).toBeUndefined();
  expect(secretReference({ name: '', key: 'k' }, 'n')).toBeUndefined();
  expect(configMapReference({ name: 'c', key: '' }, 'n')).toBeUndefined();
});

test('of a Secret and a ConfigMap at once the Secret wins', () => {
  const both = { secret: { name: 's', key: 'k' }, configMap: { name: 'c', key: 'k' } };
  expect(eitherReference(both, 'n')).toMatchObject({ kind: 'Secret', name: 's' });
});

test('what is missing is named without what it would hold', () => {
  const reference = { kind: 'Secret', namespace: 'n', name: 's', key: 'k', optional: false } as const;
  expect(describeMissing(reference, 'object missing')).toBe('Secret n/s does not exist');
  expect(describeMissing(reference, 'key missing')).toBe('Secret n/s has no key "k"');
});
