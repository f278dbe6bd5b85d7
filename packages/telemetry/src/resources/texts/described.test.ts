import { descriptionOf } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { bareDefinitions } from '../bare-crds.ts';
import { customResourceDefinitions } from '../crds.ts';
import { describing } from './described.ts';
import { type FieldSpot, fieldsOf } from './fields.ts';
import { allTexts, groupWith, tellerOf } from './lookup.ts';

const definitions = customResourceDefinitions();
const told = ({ path, members, field }: FieldSpot): string | undefined => describing(path, members)(field);
const fields = bareDefinitions().flatMap((definition) => [...fieldsOf(definition)]);

test('every field of every kind that is served has a text: one that a younger definition brings fails here', () => {
  const without = fields.filter((spot) => told(spot) === undefined);
  expect(without.map(({ path, field }) => [...path, field].join('.'))).toEqual([]);
});

test('every kind has a text', () => {
  for (const { spec } of definitions)
    for (const { schema } of spec.versions) expect(schema?.openAPIV3Schema).toHaveProperty('description');
});

test('no text is for a field that does not exist, or that another text is nearer to', () => {
  const used = new Set(
    fields.flatMap(({ path, field, members }) => {
      const found = groupWith(field, tellerOf(path, members).groups);
      return found === undefined ? [] : [`${found.key} ${field}`];
    }),
  );
  for (const { spec } of definitions) used.add(`${spec.names.kind} `);
  const written = allTexts.flatMap((texts) =>
    Object.entries(texts).flatMap(([groups, texted]) =>
      groups.split(', ').flatMap((group) => Object.keys(texted).map((field) => `${group} ${field}`)),
    ),
  );
  expect(written.filter((each) => !used.has(each))).toEqual([]);
  expect(written.filter((each, index) => written.indexOf(each) !== index)).toEqual([]);
});

test('texts are short', () => {
  const all = fields.map((spot) => told(spot) ?? '');
  expect(all.filter((text) => text.length > 300 || text.trim() !== text || text === '')).toEqual([]);
});

test('nothing but texts is added', () => {
  const withoutTexts = JSON.stringify(definitions, (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  );
  expect(JSON.parse(withoutTexts)).toEqual(bareDefinitions());
});

test('a field is told by the nearest text, and what nothing comes of says so', () => {
  const saidOf = (path: string, field: string): string | undefined => describing(path.split('.'), [])(field);
  expect(saidOf('Prometheus.spec', 'shards')).toMatch(/^How many StatefulSets share the targets\./);
  expect(saidOf('GrafanaAgent.spec.storage', 'disableMountSubPath')).toMatch(/^Has no effect/);
  expect(saidOf('Prometheus.spec', 'thanos')).toBe('A sidecar of Thanos. Has no effect.');
  expect(saidOf('Prometheus.spec.thanos', 'image')).toBe('Part of thanos: no effect.');
  expect(saidOf('PodMonitor.spec', 'scrapeClass')).toMatch(/Has no effect with a GrafanaAgent\.$/);
  expect(saidOf('Probe.spec', 'keepDroppedTargets')).toMatch(/with a GrafanaAgent\. Needs Prometheus 2\.47\.$/);
  expect(saidOf('ServiceMonitor.spec', 'serviceDiscoveryRole')).toMatch(
    /With a GrafanaAgent, only Endpoints has an effect/,
  );
  expect(saidOf('Prometheus.spec.containers', 'image')).toBe(descriptionOf('core.v1.Container', 'image'));
  expect(saidOf('Prometheus.spec.containers.lifecycle', 'preStop')).toBe('As in a pod.');
  expect(saidOf('Prometheus.spec', 'unheardOf')).toBeUndefined();
});

test('each definition can be applied by kubectl, which repeats it in an annotation of 256 KiB at most', () => {
  const sizes = definitions.map((each) => [each.metadata.name, Buffer.byteLength(JSON.stringify(each))] as const);
  expect(sizes.filter(([, bytes]) => bytes > 245_000)).toEqual([]);
});
