import { describe, expect, test } from 'vitest';
import { resourceId, resourceName } from '../api/gvk.ts';
import { root } from '../api/issue.ts';
import { descriptionOf } from '../api/schema/descriptions.ts';
import { hasDefinition, schemaOf } from '../api/schema/node.ts';
import { made } from '../testing/resources/judge.ts';
import { builtinDefinitions } from './builtin.ts';

describe.each(builtinDefinitions.map((definition) => [resourceName(definition), definition] as const))(
  '%s',
  (_, definition) => {
    test('has a schema among the generated facts, for its own kind', () => {
      const { schema, group, version, kind } = definition;
      // The document that they come from is one of the API server alone, which does not describe the aggregation.
      if (group === 'apiregistration.k8s.io') return expect(typeof schema).toBe('object');
      expect(typeof schema === 'string' && hasDefinition(schema)).toBe(true);
      const kinds = schemaOf(schema as string).groupVersionKinds ?? [];
      if (kinds.length > 0) expect(kinds).toContainEqual({ group, version, kind });
    });

    test('is explained', () => {
      const { schema } = definition;
      expect(typeof schema === 'string' ? descriptionOf(schema) : schema['description']).toMatch(/\w\.$/);
    });

    test('survives an object of which nothing but the metadata is there', () => {
      // The schema has the last word on what is required; the definition may complain, not crash.
      const body = {
        spec: {},
        roleRef: {},
        involvedObject: {},
        regarding: {},
        provisioner: 'a/b',
        template: { spec: {} },
      };
      const object = made(definition, body);
      const defaulted = definition.defaults?.(object) ?? object;
      expect(() => [...(definition.validate?.(defaulted, root) ?? [])]).not.toThrow();
    });

    test('selectable fields give text for an empty object', () => {
      const object = made(definition, { spec: {}, roleRef: {} });
      for (const { of } of definition.selectableFields) expect(typeof of(object)).toBe('string');
    });

    test('a complete table starts with the name, or says where it stands', () => {
      if (definition.columnsComplete !== true) {
        expect(definition.columns.map(({ name }) => name)).not.toContain('Name');
        expect(definition.columns.map(({ name }) => name)).not.toContain('Age');
      } else expect(definition.columns.map(({ name }) => name)).toContain('Name');
    });
  },
);

test('every resource is there once', () => {
  const ids = builtinDefinitions.map(resourceId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('no two resources answer to one short name, but for the faces of one', () => {
  const names = builtinDefinitions
    .filter(({ storedAs }) => storedAs === undefined)
    .flatMap(({ shortNames, singular, resource }) => [...new Set([...shortNames, singular, resource])]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
