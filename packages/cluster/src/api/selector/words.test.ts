import { expect, test } from 'vitest';
import { describeRequirement, describeUnmetTerms } from './words.ts';

test.each<[string, readonly string[] | undefined, string]>([
  ['In', ['ssd'], 'disk=ssd'],
  ['In', ['ssd', 'nvme'], 'disk in (ssd, nvme)'],
  ['NotIn', ['ssd'], 'disk other than ssd'],
  ['NotIn', ['ssd', 'nvme'], 'disk not in (ssd, nvme)'],
  ['Exists', undefined, 'a label disk'],
  ['DoesNotExist', undefined, 'no label disk'],
  ['Gt', ['3'], 'disk > 3'],
  ['Lt', ['3'], 'disk < 3'],
])('%s %j is said as "%s"', (operator, values, words) => {
  expect(describeRequirement({ key: 'disk', operator, ...(values !== undefined && { values }) })).toBe(words);
});

test('of every alternative the first that is missed is named', () => {
  const node = { labels: { zone: 'a' }, fields: { 'metadata.name': 'node-1' } };
  const wants = (key: string, value: string): object => ({
    matchExpressions: [{ key, operator: 'In', values: [value] }],
  });
  expect(describeUnmetTerms([wants('zone', 'b'), wants('disk', 'ssd')], node)).toBe('zone=b, or disk=ssd');
  expect(describeUnmetTerms([wants('zone', 'b'), wants('zone', 'a')], node)).toBeUndefined();
  expect(
    describeUnmetTerms([{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-2'] }] }], node),
  ).toBe('metadata.name=node-2');
  expect(describeUnmetTerms([{}], node)).toBe('a term with conditions');
});
