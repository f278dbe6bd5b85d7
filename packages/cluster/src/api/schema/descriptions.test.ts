import { expect, test } from 'vitest';
import { definition } from './definitions.ts';
import { describedDefinitions, descriptionOf } from './descriptions.ts';

const packages = ['io.k8s.api.', 'io.k8s.apimachinery.pkg.apis.', 'io.k8s.apiextensions-apiserver.pkg.apis.'] as const;

test('every description is of a definition and a field that exist', () => {
  const wrong = describedDefinitions().flatMap(({ name, fields }) => {
    const facts = packages.map((prefix) => definition(prefix + name)).find((found) => found !== undefined);
    if (facts === undefined) return [name];
    const properties = Object.keys((facts['properties'] ?? {}) as object);
    return fields.filter((field) => field !== '' && !properties.includes(field)).map((field) => `${name}.${field}`);
  });
  expect(wrong).toEqual([]);
});

test('what all objects have is described once', () => {
  expect(descriptionOf('io.k8s.api.batch.v1.Job', 'spec')).toBe('What is wanted.');
  expect(descriptionOf('io.k8s.api.batch.v1.Job', 'none')).toBeUndefined();
  expect(descriptionOf('io.k8s.api.apps.v1.DaemonSet')).toContain('DaemonSet');
});
