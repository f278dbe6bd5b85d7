import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freeze } from '../../base/freeze.ts';
import { fromOpenApiV3, type SchemaNode, schemaOf } from '../schema/node.ts';
import { compare } from './compare.ts';
import { inOrder } from './field-set.ts';
import { type Shape, shapeOf } from './shape.ts';

const read = (): SchemaNode =>
  fromOpenApiV3({
    type: 'object',
    properties: {
      text: { type: 'string' },
      part: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      addresses: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['ip'],
        items: { type: 'object', required: ['ip'], properties: { ip: { type: 'string' }, a: { type: 'string' } } },
      },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  });

const few = fc.constantFrom('x', 'y', '10.0.0.1');
const optional = { requiredKeys: [] };
const world = fc.record(
  {
    text: fc.option(few),
    part: fc.option(fc.record({ a: fc.option(few), b: fc.integer({ min: 0, max: 1 }) }, optional)),
    labels: fc.dictionary(few, few),
    set: fc.uniqueArray(few),
    addresses: fc.uniqueArray(fc.record({ ip: few, a: few }, { requiredKeys: ['ip'] }), { selector: ({ ip }) => ip }),
    free: fc.dictionary(few, fc.oneof(few, fc.dictionary(few, few))),
    gone: fc.constant(undefined),
  },
  optional,
);

describe('of built-in types', () => {
  const owned = (definition: string, object: object) => compare({}, object, shapeOf(schemaOf(definition))).touched;

  test('what is bytes in Go is owned as one', () => {
    const revision = { revision: 1, data: { spec: { a: [1] }, x: 'y' } };
    expect(owned('io.k8s.api.apps.v1.ControllerRevision', revision)).toEqual({ 'f:data': {}, 'f:revision': {} });
  });

  test('what is referred to by no name has an empty one', () => {
    expect(owned('io.k8s.api.core.v1.PodSpec', { imagePullSecrets: [{}] })).toMatchObject({
      'f:imagePullSecrets': { '.': {}, 'k:{"name":""}': {} },
    });
  });

  test('a template that nobody has made has no time of its making', () => {
    const spec = { template: { metadata: { labels: { a: 'b' } }, spec: { containers: [] } } };
    const found = owned('io.k8s.api.core.v1.ReplicationControllerSpec', spec);
    expect(JSON.stringify(found)).not.toContain('creationTimestamp');
  });
});

describe('what was found before', () => {
  const used = shapeOf(read());
  const isFrozen = fc.boolean();

  test('changes nothing in what is found, its order included', () => {
    fc.assert(
      fc.property(fc.option(world), world, isFrozen, (before, after, frozen) => {
        const fresh: Shape = shapeOf(read());
        if (frozen) freeze(after);
        const found = compare(before ?? {}, after, used);
        expect(JSON.stringify(found)).toBe(JSON.stringify(compare(before ?? {}, after, fresh)));
        expect(JSON.stringify(inOrder({ ...found.touched }))).toBe(JSON.stringify(found.touched));
      }),
    );
  });

  test('is the very same value, but for the ways to what is nowhere else', () => {
    const object = (ip: string) => ({ text: 'x', part: { a: 'x' }, addresses: [{ ip, a: 'x' }] });
    const shape = shapeOf(read());
    const first = compare({}, object('10.0.0.1'), shape).touched;
    expect(compare({}, object('10.0.0.1'), shape).touched).toBe(first);
    const other = compare({}, object('10.0.0.2'), shape).touched;
    expect(other).toEqual({
      'f:addresses': { '.': {}, 'k:{"ip":"10.0.0.2"}': { '.': {}, 'f:a': {}, 'f:ip': {} } },
      'f:part': { '.': {}, 'f:a': {} },
      'f:text': {},
    });
    expect(other['f:part']).toBe(first['f:part']);
  });
});
