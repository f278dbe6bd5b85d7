import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apiVersionOf } from '../../../api/gvk.ts';
import { builtinDefinitions } from '../../../resources/builtin.ts';
import { answeredDefinitions } from '../../describing/answered-definitions.ts';
import { decodeProtobufObject } from './decode.ts';
import { encodeMessage, envelopeHead, frameHead, hasProtobufForm, itemHead, type Kind, listHead } from './encode.ts';
import { type FieldFact, fieldsOfMessage, messageOf as messageFor } from './facts.ts';
import { fieldsOf, lengthDelimited } from './wire.ts';

function encoded(object: Kind & object): Buffer {
  const { apiVersion, kind, ...rest } = object;
  const message = encodeMessage(rest, { apiVersion, kind });
  return Buffer.concat([envelopeHead({ apiVersion, kind }, message.length), message]);
}

describe('what is written is read again', () => {
  test.each<[string, object]>([
    [
      'a pod',
      pod({
        containers: [
          { name: 'a', resources: { limits: { cpu: '1', memory: '64Mi' } }, env: [{ name: 'X', value: 'ü😀' }] },
        ],
      }),
    ],
    [
      'inline parts',
      pod({
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 's', secret: { secretName: 'x', defaultMode: 420 } },
        ],
      }),
    ],
    ['pointers to zero', pod({ automountServiceAccountToken: false, terminationGracePeriodSeconds: 0, priority: -5 })],
    [
      'numbers or text',
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'p' },
        spec: { minAvailable: '50%', maxUnavailable: 0 },
      },
    ],
    ['bytes', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'Yg==', empty: '' } }],
    [
      'fractions of seconds',
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'l', creationTimestamp: '2026-01-02T03:04:05Z' },
        spec: { renewTime: '2026-01-02T03:04:05.000006Z', leaseDurationSeconds: 15 },
      },
    ],
    [
      'times before 1970',
      { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { creationTimestamp: '1969-12-31T23:59:59Z' } },
    ],
    [
      'JSON of any form',
      {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: {},
        data: { spec: [1, 'x', null] },
        revision: 9_007_199_254_740_993n,
      },
    ],
    [
      'lists of texts in a map',
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        metadata: {},
        spec: {},
        status: { user: { extra: { a: ['b', 'c'] } } },
      },
    ],
    [
      'a definition',
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'w.e.io' },
        spec: {
          group: 'e.io',
          names: { plural: 'w', kind: 'W' },
          scope: 'Cluster',
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    any: { 'x-kubernetes-int-or-string': true, enum: [null, 'a', 1], default: { a: [] } },
                    map: { additionalProperties: { type: 'string' } },
                    closed: { additionalProperties: false },
                    open: { additionalProperties: true },
                    list: { items: { type: 'number', minimum: -1.5 } },
                    rule: { 'x-kubernetes-validations': [{ rule: 'true', message: 'no' }] },
                  },
                },
              },
            },
          ],
        },
      },
    ],
    [
      'a refusal',
      {
        apiVersion: 'v1',
        kind: 'Status',
        metadata: {},
        status: 'Failure',
        code: 409,
        details: { name: 'x', retryAfterSeconds: 1, causes: [{ field: 'a' }] },
      },
    ],
    [
      'an object of which only the metadata is shown',
      { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: { name: 'a' } },
    ],
  ])('%s', (_, object) => {
    expect(decodeProtobufObject(encoded(object as Kind))).toEqual(object);
  });

  test('a field that is not there, or is null, is not written', () => {
    const object = pod({ nodeName: undefined, containers: null, hostname: 'x' });
    expect(decodeProtobufObject(encoded(object))).toEqual(pod({ hostname: 'x' }));
  });

  test('texts of any length, and more of them than there is room at first', () => {
    const data = Object.fromEntries(Array.from({ length: 300 }, (_, size) => [`k${size}`, 'xyü'.repeat(size * 3)]));
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data };
    expect(decodeProtobufObject(encoded(object))).toEqual(object);
  });

  test('after something that could not be written', () => {
    const broken = {
      get spec(): object {
        throw new Error('no');
      },
      apiVersion: 'v1',
      kind: 'Pod',
    };
    expect(() => encodeMessage(broken, broken)).toThrow('no');
    expect(decodeProtobufObject(encoded(pod({})))).toEqual(pod({}));
  });
});

function pod(spec: object): Kind & Readonly<Record<string, unknown>> {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', labels: { app: 'web' } }, spec };
}

describe('every message', () => {
  const depthMax = 4;
  const text = fc.string({ unit: 'grapheme', maxLength: 80 });
  const seconds = fc.integer({ min: -1_000_000_000, max: 4_000_000_000 });
  const timestamp = seconds.map((second) => new Date(second * 1000).toISOString().replace('.000Z', 'Z'));
  const json = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string()), fc.constant({}));
  const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    string: text,
    int: fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constant(2n ** 62n)),
    bool: fc.boolean(),
    double: fc.double({ noNaN: true }),
    bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    time: timestamp,
    microtime: fc
      .tuple(timestamp, fc.nat({ max: 999_999 }))
      .map(([at, micros]) => at.replace('Z', `.${String(micros).padStart(6, '0')}Z`)),
    duration: fc.constantFrom('15s', '500ms', '2m'),
    quantity: fc.constantFrom('1', '100m', '64Mi', '0'),
    intorstring: fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), text),
    raw: json,
    fields: fc.constant({ 'f:spec': {} }),
  };

  function valueFor(type: string, depth: number): fc.Arbitrary<unknown> {
    const scalar = scalars[type];
    if (scalar !== undefined) return scalar;
    if (type === 'schemaOrArray') return messageOf('apiextensions/v1.JSONSchemaProps', depth + 1);
    if (type === 'schemaOrBool')
      return fc.oneof(fc.boolean(), messageOf('apiextensions/v1.JSONSchemaProps', depth + 1));
    if (type === 'schemaOrStrings') return fc.array(text, { minLength: 1 });
    if (type.startsWith('items:')) return fc.array(valueFor(type.slice('items:'.length), depth), { maxLength: 3 });
    return messageOf(type, depth + 1);
  }

  function fieldOf([, , type, flags]: FieldFact, depth: number): fc.Arbitrary<unknown> {
    const value = valueFor(type, depth);
    const isZero = (found: unknown): boolean => found === '' || found === 0 || found === false;
    if (flags.includes('r')) return fc.array(value, { minLength: 1, maxLength: 3 });
    if (flags.includes('m'))
      return fc.dictionary(fc.stringMatching(/^[a-z]{0,20}$/), value, { minKeys: 1, maxKeys: 3 });
    return flags.includes('z') ? value : value.filter((found) => !isZero(found));
  }

  function messageOf(name: string, depth: number): fc.Arbitrary<object> {
    const fields = [...(fieldsOfMessage(name)?.values() ?? [])];
    if (depth > depthMax) return fc.constant({});
    const own = fields.filter(([, , , flags]) => !flags.includes('n'));
    const parts = fields.filter(([, , , flags]) => flags.includes('n'));
    // A few of them each time: whole objects of all fields would be endless.
    const some = fc
      .subarray(own, { maxLength: Math.min(6, own.length) })
      .chain((chosen) => fc.record(Object.fromEntries(chosen.map((field) => [field[1], fieldOf(field, depth)]))));
    return fc
      .tuple(some, ...parts.map(([, , type]) => messageOf(type, depth + 1)))
      .map((objects) => Object.assign({}, ...objects) as object);
  }

  const kinds = builtinDefinitions
    .concat(answeredDefinitions)
    .map((definition) => ({ apiVersion: apiVersionOf(definition), kind: definition.kind }));

  test('is there for all that is served', () => {
    expect(kinds.filter((kind) => !hasProtobufForm(kind))).toEqual([]);
  });

  test('is none for what only sounds alike', () => {
    expect(hasProtobufForm({ apiVersion: 'apps.example.com/v1', kind: 'Deployment' })).toBe(false);
    expect(hasProtobufForm({ apiVersion: 'core/v1', kind: 'Pod' })).toBe(false);
    expect(hasProtobufForm({ apiVersion: 'v1', kind: 'List' })).toBe(false);
  });

  test('comes back as it went, whatever is in it', () => {
    const any = fc
      .constantFrom(...kinds)
      .chain((kind) =>
        messageOf(messageFor(kind.apiVersion, kind.kind) ?? '', 0).map((object) => ({ ...object, ...kind })),
      );
    fc.assert(
      fc.property(any, (object) => {
        expect(decodeProtobufObject(encoded(object))).toEqual(object);
      }),
      { numRuns: 200 },
    );
  });
});

test('a list is its head and its items, each a message', () => {
  const items = [pod({ hostname: 'a' }), pod({ hostname: 'b' })].map((item) => encodeMessage(item, item));
  const parts = [listHead({ resourceVersion: '7' }), ...items.flatMap((item) => [itemHead(item.length), item])];
  const fields = [...fieldsOf(Buffer.concat(parts))];
  expect(fields.map(({ number }) => number)).toEqual([1, 2, 2]);
  expect(fields.slice(1).map(({ value }) => lengthDelimited(value))).toEqual(items);
});

test('a frame of a watch says its length, what happened and to what', () => {
  const object = encoded(pod({}));
  const frame = Buffer.concat([frameHead('ADDED', object.length), object]);
  expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  const [type, raw] = [...fieldsOf(frame.subarray(4))].map(({ value }) => lengthDelimited(value));
  expect(type?.toString()).toBe('ADDED');
  const [inner] = [...fieldsOf(raw ?? Buffer.alloc(0))];
  expect(decodeProtobufObject(lengthDelimited(inner?.value ?? 0n))).toEqual(pod({}));
});
