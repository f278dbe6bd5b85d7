import { describe, expect, test } from 'vitest';
import { freeze } from '../../base/freeze.ts';
import { checkSchema, typeErrorStatus } from './check.ts';
import { customResourceSchema, hasDefinition, type SchemaNode, schemaOf } from './node.ts';

const daemonSet = schemaOf('io.k8s.api.apps.v1.DaemonSet');
const prune = { unknownFields: 'prune' } as const;

function messageOf(object: unknown, schema: SchemaNode = daemonSet): string | undefined {
  return checkSchema(object, schema, prune).typeErrors[0]?.message;
}

function template(spec: object): object {
  return { spec: { template: { spec } } };
}

test('an object that is as it should be is returned as it is', () => {
  const object = freeze({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      name: 'a',
      labels: { a: 'b' },
      creationTimestamp: '2024-01-02T03:04:05Z',
      managedFields: [{ fieldsV1: { 'f:x': {} } }],
    },
    spec: {
      template: {
        spec: { containers: [{ name: 'c', ports: [{ containerPort: 80 }], resources: { limits: { cpu: '100m' } } }] },
      },
    },
  });
  const checked = checkSchema(object, daemonSet, prune);
  expect(checked.object).toBe(object);
  expect(checked).toMatchObject({ typeErrors: [], unknown: [] });
});

describe('a value of the wrong type', () => {
  test.each<[object, string]>([
    [
      { spec: { minReadySeconds: 'x' } },
      'json: cannot unmarshal string into Go struct field DaemonSetSpec.spec.minReadySeconds of type int32',
    ],
    [
      { spec: { minReadySeconds: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field DaemonSetSpec.spec.minReadySeconds of type int32',
    ],
    [
      { spec: { minReadySeconds: 2 ** 31 } },
      'json: cannot unmarshal number 2147483648 into Go struct field DaemonSetSpec.spec.minReadySeconds of type int32',
    ],
    [
      { metadata: { labels: { a: 1 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [{ metadata: [] }, 'json: cannot unmarshal array into Go struct field DaemonSet.metadata of type v1.ObjectMeta'],
    [
      template({ hostNetwork: 'yes' }),
      'json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.hostNetwork of type bool',
    ],
    [
      template({ containers: { name: 'a' } }),
      'json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
    ],
    [
      template({ containers: [{ env: [{ value: 1 }] }] }),
      'json: cannot unmarshal number into Go struct field EnvVar.spec.template.spec.containers.env.value of type string',
    ],
    [
      template({ containers: [{ args: [true] }] }),
      'json: cannot unmarshal bool into Go struct field Container.spec.template.spec.containers.args of type string',
    ],
    [
      template({ containers: [{ resources: { limits: { cpu: 'lots' } } }] }),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      template({ containers: [{ resources: { limits: 'all' } }] }),
      'json: cannot unmarshal string into Go struct field ResourceRequirements.spec.template.spec.containers.resources.limits of type v1.ResourceList',
    ],
    [
      { metadata: { creationTimestamp: '2026-1-02T03:04:05Z' } },
      'parsing time "2026-1-02T03:04:05Z" as "2006-01-02T15:04:05Z07:00": cannot parse "1-02T03:04:05Z" as "01"',
    ],
    [
      { metadata: { creationTimestamp: '2026-13-02T03:04:05Z' } },
      'parsing time "2026-13-02T03:04:05Z": month out of range',
    ],
    ...(
      [
        ['2026-02-30T03:04:05Z', 'day'],
        ['2026-04-31T03:04:05.5+01:00', 'day'],
        ['2027-02-29T03:04:05Z', 'day'],
        ['2026-02-03T24:00:00Z', 'hour'],
      ] as const
    ).map(([time, what]): [object, string] => [
      { metadata: { creationTimestamp: time } },
      `parsing time "${time}": ${what} out of range`,
    ]),
    [
      { metadata: { creationTimestamp: 'yesterday' } },
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
  ])('%j', (object, message) => {
    expect(messageOf(object)).toBe(message);
  });

  test('is named with its place, indexes and all', () => {
    const { typeErrors } = checkSchema(template({ containers: [{ name: 'a' }, { image: 7 }] }), daemonSet, prune);
    expect(typeErrors.map(({ field }) => field)).toEqual(['spec.template.spec.containers[1].image']);
  });

  test('makes a 400 that says what could not be read', () => {
    const { typeErrors } = checkSchema({ spec: { minReadySeconds: 'x' } }, daemonSet, prune);
    expect(typeErrorStatus({ group: 'apps', version: 'v1', kind: 'DaemonSet' }, typeErrors)).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message:
        'DaemonSet in version "v1" cannot be handled as a DaemonSet: json: cannot unmarshal string into Go struct field DaemonSetSpec.spec.minReadySeconds of type int32',
    });
  });

  test('of a Secret may be bad base64', () => {
    const secret = schemaOf('io.k8s.api.core.v1.Secret');
    expect(messageOf({ data: { a: 'aGk=', b: 'YQ==\n' } }, secret)).toBeUndefined();
    expect(messageOf({ data: { a: 'hi there' } }, secret)).toBe('illegal base64 data at input byte 2');
    expect(messageOf({ data: { a: 'aGk' } }, secret)).toBe('illegal base64 data at input byte 0');
    expect(messageOf({ data: { a: 'Allow' } }, secret)).toBe('illegal base64 data at input byte 4');
  });
});

describe('unknown fields', () => {
  const object = freeze({
    spec: { foo: 1, template: { spec: { containers: [{ name: 'a', bar: { baz: 1 } }] } } },
    other: true,
  });

  test('are reported with their paths and taken out', () => {
    const checked = checkSchema(object, daemonSet, prune);
    expect(checked.unknown).toEqual(['spec.foo', 'spec.template.spec.containers[0].bar', 'other']);
    expect(checked.object).toEqual({ spec: { template: { spec: { containers: [{ name: 'a' }] } } } });
  });

  test('stay when asked for', () => {
    const checked = checkSchema(object, daemonSet, { unknownFields: 'keep' });
    expect(checked.object).toBe(object);
    expect(checked.unknown).toHaveLength(3);
  });

  test('named like something of a prototype are unknown like any other', () => {
    const hostile = JSON.parse('{"__proto__":{"x":1},"constructor":1,"spec":{"toString":1}}') as object;
    const checked = checkSchema(hostile, daemonSet, prune);
    expect(checked.unknown).toEqual(['__proto__', 'constructor', 'spec.toString']);
    expect(checked.object).toEqual({ spec: { template: { spec: {} } } });
  });

  test('named __proto__ stay data in a free map', () => {
    const object = JSON.parse('{"metadata":{"annotations":{"a":null,"__proto__":"x"}}}') as object;
    const { object: next } = checkSchema(object, daemonSet, prune);
    expect(JSON.stringify(next)).toBe(
      '{"metadata":{"annotations":{"a":"","__proto__":"x"}},"spec":{"template":{"spec":{}}}}',
    );
  });
});

describe('the form that the API shows', () => {
  test('quantities are canonical and texts', () => {
    const { object } = checkSchema(
      template({ containers: [{ name: 'a', resources: { limits: { cpu: 0.1, memory: '1024Mi' } } }] }),
      daemonSet,
      prune,
    );
    expect(object).toEqual(
      template({ containers: [{ name: 'a', resources: { limits: { cpu: '100m', memory: '1Gi' } } }] }),
    );
  });

  test('times are in UTC and whole seconds, or micro seconds where the type says so', () => {
    const checked = checkSchema({ metadata: { creationTimestamp: '2024-01-02T03:04:05.678+02:00' } }, daemonSet, prune);
    expect(checked.object).toMatchObject({ metadata: { creationTimestamp: '2024-01-02T01:04:05Z' } });
    const lease = schemaOf('io.k8s.api.coordination.v1.Lease');
    expect(checkSchema({ spec: { renewTime: '2024-01-02T04:04:05.500000+01:00' } }, lease, prune).object).toEqual({
      spec: { renewTime: '2024-01-02T03:04:05.500000Z' },
    });
  });

  test('null is the absence of a field, and the empty value of an entry', () => {
    const checked = checkSchema(
      {
        metadata: { creationTimestamp: null, labels: { a: null } },
        spec: { template: { spec: { containers: [null], nodeSelector: null } } },
      },
      daemonSet,
      prune,
    );
    expect(checked.object).toEqual({
      metadata: { labels: { a: '' } },
      spec: { template: { spec: { containers: [{ name: '' }] } } },
    });
    expect(checked.unknown).toEqual([]);
  });

  test('a scalar at its zero is nothing where Go leaves it out, and something where it is a pointer or required', () => {
    const deployment = schemaOf('io.k8s.api.apps.v1.Deployment');
    const spec = {
      ...{ paused: false, minReadySeconds: 0, replicas: 0 },
      template: {
        spec: {
          hostNetwork: false,
          automountServiceAccountToken: false,
          containers: [{ name: '', image: '', stdin: false, securityContext: { privileged: false } }],
        },
      },
    };
    expect(checkSchema({ metadata: { name: 'a', generateName: '' }, spec }, deployment, prune).object).toEqual({
      metadata: { name: 'a' },
      spec: {
        replicas: 0,
        template: {
          spec: {
            automountServiceAccountToken: false,
            containers: [{ name: '', securityContext: { privileged: false } }],
          },
        },
      },
    });
    const custom = customResourceSchema({ properties: { paused: { type: 'boolean' } } });
    expect(checkSchema({ paused: false }, custom, prune).object).toEqual({ paused: false });
  });

  test('an int-or-string is either', () => {
    const update = (maxUnavailable: unknown): object => ({
      spec: { updateStrategy: { rollingUpdate: { maxUnavailable } } },
    });
    expect(messageOf(update(1))).toBeUndefined();
    expect(messageOf(update('10%'))).toBeUndefined();
    expect(messageOf(update(1.5))).toContain('number 1.5');
    expect(messageOf(update(true))).toContain('cannot unmarshal bool');
  });

  test('raw content is left alone', () => {
    const revision = freeze({ data: { spec: { anything: [null, 1] } }, revision: 1 });
    expect(checkSchema(revision, schemaOf('io.k8s.api.apps.v1.ControllerRevision'), prune).object).toBe(revision);
  });
});

test('a definition that contains itself is a graph', () => {
  const node = schemaOf('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
  expect(node.properties?.get('not')).toBe(node);
  expect(node.properties?.get('properties')?.additionalProperties).toBe(node);
  expect(schemaOf('io.k8s.api.apps.v1.DeploymentSpec').properties?.get('strategy')).toMatchObject({
    patchStrategy: ['retainKeys'],
    type: 'object',
  });
  expect(hasDefinition('io.k8s.api.apps.v1.Nothing')).toBe(false);
});

describe('a custom resource', () => {
  const schema = customResourceSchema({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          replicas: { type: 'integer', format: 'int32' },
          free: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
            properties: { known: { type: 'object' } },
          },
          map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
          pod: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
        },
      },
    },
  });

  test('is pruned where its schema does not say otherwise', () => {
    const checked = checkSchema(
      {
        apiVersion: 'x/v1',
        kind: 'X',
        metadata: { name: 'a', nope: 1 },
        spec: {
          replicas: 1,
          bad: 1,
          free: { kept: 1, known: { gone: 1 } },
          map: { k: { a: 'x', b: 1 } },
          pod: { kind: 'Pod', x: 1, metadata: { name: 'p' } },
        },
      },
      schema,
      prune,
    );
    expect(checked.object).toEqual({
      apiVersion: 'x/v1',
      kind: 'X',
      metadata: { name: 'a' },
      spec: {
        replicas: 1,
        free: { kept: 1, known: {} },
        map: { k: { a: 'x' } },
        pod: { kind: 'Pod', metadata: { name: 'p' } },
      },
    });
    expect(checked.unknown).toEqual([
      'metadata.nope',
      'spec.bad',
      'spec.free.known.gone',
      'spec.map.k.b',
      'spec.pod.x',
    ]);
  });

  test('of the wrong type says so as upstream does', () => {
    const { typeErrors } = checkSchema({ spec: { replicas: 'x' } }, schema, prune);
    expect(typeErrors).toEqual([
      {
        reason: 'FieldValueTypeInvalid',
        field: 'spec.replicas',
        message: 'Invalid value: "string": spec.replicas in body must be of type integer: "string"',
      },
    ]);
  });

  test('keeps its nulls, on which its schema has the last word', () => {
    const object = freeze({ spec: { replicas: null } });
    expect(checkSchema(object, schema, prune).object).toBe(object);
  });
});
