import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import type { Issue } from '../../../api/issue.ts';
import { root } from '../../../api/issue.ts';
import { enforceRules } from './enforce.ts';
import { ruleTreeOf } from './rule-tree.ts';

interface Case {
  readonly name: string;
  readonly spec?: object;
  readonly schema?: object;
  readonly value: unknown;
  readonly old?: unknown;
  readonly ratchets?: true;
  readonly issues: readonly string[];
}

const cases = load(readFileSync(new URL('testdata/enforced.yaml', import.meta.url), 'utf8')) as readonly Case[];

const agent = (spec: unknown): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Agent',
  metadata: { name: 'web', namespace: 'default' },
  spec,
});

function enforced(schema: object, value: unknown, old?: unknown): readonly Issue[] {
  const tree = ruleTreeOf(schema, { isResource: true });
  if (tree === undefined) throw new Error('the schema has rules');
  return enforceRules(tree, { value, old, at: root });
}

test.each(cases)('$name', ({ spec, schema, value, old, ratchets, issues }) => {
  const whole = schema ?? { type: 'object', properties: { spec } };
  const found = enforced(whole, agent(value), old === undefined ? undefined : agent(old));
  const told = found.filter(({ onlyWarns }) => ratchets !== true || onlyWarns !== true);
  expect(told.map(({ field, message }) => `${field}: ${message}`)).toEqual(issues);
});

test('what was let be is told as a warning', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] } },
  };
  expect(enforced(schema, { a: 0, b: 1 }, { a: 0 })).toEqual([
    {
      reason: 'FieldValueInvalid',
      field: 'a',
      message: 'Invalid value: "integer": failed rule: self > 0',
      onlyWarns: true,
    },
  ]);
});

test('a schema without rules has none', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  expect(ruleTreeOf(schema, { isResource: true })).toBeUndefined();
});
