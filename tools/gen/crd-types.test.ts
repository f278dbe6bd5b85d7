import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { definitionsJson } from '../../packages/cluster/src/api/generated/schema.ts';
import { bareDefinitions } from '../../packages/telemetry/src/resources/bare-crds.ts';
import { crdTypeNames } from './crd-names.ts';
import { type CrdDocument, type CrdTypeOptions, crdTypesModule } from './crd-types.ts';

const kubernetes = JSON.parse(definitionsJson) as CrdTypeOptions['kubernetes'];
const text = { type: 'string' };
const key = { type: 'object', required: ['key'], properties: { key: text, name: text, optional: { type: 'boolean' } } };
const login = { type: 'object', properties: { token: key } };

function typesOf(properties: Readonly<Record<string, object>>, names: Readonly<Record<string, string>> = {}): string {
  const document: CrdDocument = {
    spec: {
      group: 'example.dev',
      names: { kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              required: ['spec'],
              properties: { spec: { type: 'object', required: ['a'], properties } },
            },
          },
        },
      ],
    },
  };
  const module = crdTypesModule({ documents: [document], kubernetes, names });
  return module.slice(module.indexOf('export interface ThingSpec'));
}

test.each<[string, object, string]>([
  ['a text', text, 'string'],
  ['a number', { type: 'integer', format: 'int64' }, 'number'],
  ['a number or a text', { 'x-kubernetes-int-or-string': true }, 'number | string'],
  [
    'numbers or texts',
    { type: 'array', items: { 'x-kubernetes-int-or-string': true } },
    'readonly (number | string)[]',
  ],
  [
    'a map of lists',
    { type: 'object', additionalProperties: { type: 'array', items: text } },
    'Readonly<Record<string, readonly string[]>>',
  ],
  ['anything', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, 'unknown'],
  ['a key of a Secret', key, 'SecretKeySelector'],
])('%s', (_, schema, type) => {
  expect(typesOf({ a: schema, b: schema })).toContain(`  readonly a: ${type};\n  readonly b?: ${type};\n`);
});

test('what is Kubernetes’ own is taken from there, with what a definition adds to it', () => {
  const constraint = { maxSkew: { type: 'integer' }, topologyKey: text, whenUnsatisfiable: text };
  const lists = (properties: object): object => ({ type: 'array', items: { type: 'object', properties } });
  expect(typesOf({ topologySpreadConstraints: lists(constraint) })).toContain(
    '?: readonly TopologySpreadConstraint[];',
  );
  expect(typesOf({ topologySpreadConstraints: lists({ ...constraint, more: text }) })).toContain(
    '?: readonly (TopologySpreadConstraint & { readonly more?: string; })[];',
  );
  expect(typesOf({ resources: { type: 'object', properties: { other: text } } })).toContain('readonly other?: string;');
});

test('one shape has one name wherever it stands, and a second name is that of the first', () => {
  const types = typesOf(
    { mine: login, yours: { type: 'array', items: login }, other: text },
    {
      'Thing.spec.mine': 'Login',
      'Thing.spec.yours': 'Other',
    },
  );
  expect(types).toContain('readonly mine?: Login;');
  expect(types).toContain('readonly yours?: readonly Login[];');
  expect(types).toContain('export interface Login {\n  readonly token?: SecretKeySelector;\n}\n');
  expect(types).toContain('export type Other = Login;');
  expect(() => typesOf({}, { 'Thing.spec.gone': 'Gone' })).toThrow('no definition has Thing.spec.gone');
});

test('the committed types are those of the committed definitions', () => {
  const documents = bareDefinitions() as readonly CrdDocument[];
  const committed = readFileSync('packages/telemetry/src/resources/generated/types.ts', 'utf8');
  expect(committed).toBe(crdTypesModule({ documents, kubernetes, names: crdTypeNames }));
});
