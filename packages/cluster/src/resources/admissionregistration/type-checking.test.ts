import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import type { ValidatingAdmissionPolicySpec } from '../../api/generated/admissionregistration-v1.ts';
import { builtinDefinitions } from '../builtin.ts';
import type { ResourceDefinition } from '../resource.ts';
import { expressionWarnings } from './type-checking.ts';

interface Case {
  readonly name: string;
  readonly spec: ValidatingAdmissionPolicySpec;
  readonly warnings?: readonly Readonly<Record<string, string>>[];
}

const cases = load(readFileSync(new URL('testdata/type-checking.yaml', import.meta.url), 'utf8')) as readonly Case[];

const integer = { type: 'integer' };

function thing(version: string, properties: object): ResourceDefinition {
  const schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  return {
    group: 'tc.example.com',
    version,
    kind: 'Thing',
    resource: 'things',
    schema,
  } as unknown as ResourceDefinition;
}

const served: readonly ResourceDefinition[] = [
  ...(builtinDefinitions as readonly ResourceDefinition[]),
  thing('v1', {
    a: integer,
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    ios: { 'x-kubernetes-int-or-string': true },
    m: { type: 'object', additionalProperties: integer },
    l: { type: 'array', items: { type: 'object', properties: { x: integer } } },
  }),
  thing('v2', { b: integer }),
];

test.each(cases)('$name', ({ spec, warnings = [] }) => {
  const found = expressionWarnings(spec, served);
  expect(found.map(({ fieldRef, warning }) => ({ [fieldRef]: warning }))).toEqual(warnings);
});
