import { expect, test } from 'vitest';
import { isKubeletLabel, labellingHelps, labelMend } from './node-labels.ts';

const hostname = 'kubernetes.io/hostname';
const node = { labels: { [hostname]: 'a', 'kubernetes.io/os': 'linux' }, fields: { 'metadata.name': 'a' } };
const wants = (key: string, value: string): object => ({ key, operator: 'In', values: [value] });

test.each([
  [hostname, true],
  ['kubernetes.io/os', true],
  ['beta.kubernetes.io/arch', true],
  ['topology.kubernetes.io/zone', false],
  ['disk', false],
])('a kubelet owns %s: %s', (key, owned) => {
  expect(isKubeletLabel(key)).toBe(owned);
});

test('nobody is told to set what a kubelet sets back', () => {
  expect(labelMend({ key: 'disk', value: 'ssd' }, 'change it')).toBe(
    'label nodes (kubectl label nodes NODE disk=ssd), or change it',
  );
  expect(labelMend({ key: 'disk', value: 'ssd', has: 'hdd' }, 'change it')).toContain('NODE disk=ssd --overwrite)');
  expect(labelMend({ key: 'disk' }, 'change it')).toContain('NODE disk=VALUE');
  expect(labelMend({ key: hostname, value: 'b' }, 'change it')).toBe('change it');
});

test.each<[string, readonly object[], boolean]>([
  ['a label that is missing', [{ matchExpressions: [wants('disk', 'ssd')] }], true],
  ['another name', [{ matchExpressions: [wants(hostname, 'b')] }], false],
  ['another name as a field', [{ matchFields: [wants('metadata.name', 'b')] }], false],
  ['its own name and a label', [{ matchExpressions: [wants(hostname, 'a'), wants('disk', 'ssd')] }], true],
  ['another system and a label', [{ matchExpressions: [wants('disk', 'ssd'), wants('kubernetes.io/os', 'x')] }], false],
  [
    'another name, or a label',
    [{ matchExpressions: [wants(hostname, 'b')] }, { matchExpressions: [wants('disk', 'ssd')] }],
    true,
  ],
  ['no condition at all', [{}], false],
])('labels help where %s is wanted: %s', (_, terms, helps) => {
  expect(labellingHelps({ terms }, node)).toBe(helps);
});

test('what is selected counts besides', () => {
  expect(labellingHelps({ nodeSelector: { disk: 'ssd' } }, node)).toBe(true);
  expect(labellingHelps({ nodeSelector: { disk: 'ssd', [hostname]: 'b' } }, node)).toBe(false);
  expect(labellingHelps({ nodeSelector: { disk: 'ssd', [hostname]: 'a' }, terms: [{}] }, node)).toBe(false);
});
