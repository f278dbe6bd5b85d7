import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { customResourceSchema } from '../../api/schema/node.ts';
import { defaultValue, pruneValue } from '../../api/schema/structural.ts';
import { customValidation } from './custom-validation.ts';
import { ruleLanguage } from './rules/language.ts';

interface Change {
  readonly name: string;
  readonly spec: object;
  readonly old: unknown;
  readonly value: unknown;
  readonly issues?: readonly string[];
  readonly warns?: readonly string[];
}

const changes = load(readFileSync(new URL('testdata/changes.yaml', import.meta.url), 'utf8')) as readonly Change[];

beforeAll(() => ruleLanguage.load());

test.each(changes)('$name', ({ spec, old, value, issues = [], warns = [] }) => {
  const schema = { type: 'object', properties: { spec } };
  const node = customResourceSchema(schema);
  const object = (of: unknown): KubeObject => {
    const whole = { apiVersion: 'example.com/v1', kind: 'Agent', metadata: { name: 'web' }, spec: of };
    return pruneValue(defaultValue(whole, node), node) as KubeObject;
  };
  const found = [...customValidation(schema, () => node).update(object(value), object(old), root)];
  const told = (only: boolean): readonly string[] =>
    found
      .filter(({ onlyWarns = false }) => onlyWarns === only)
      .map(({ field, message }) => `${field}: ${message}`)
      .sort();
  // Upstream goes over the fields of an object in no order.
  expect(told(false)).toEqual([...issues].sort());
  expect(told(true)).toEqual([...warns].sort());
});
