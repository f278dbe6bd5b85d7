import { describe, expect, test } from 'vitest';
import { StatusError } from '../../../api/status.ts';
import { decodeProtobufObject } from './decode.ts';
import { bytes, integer, message, text } from './message.ts';

/** Bodies as kubectl 1.32 sends them. */
const sent = {
  deployment:
    'azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50EroBCh8KA3dlYhIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEogBCAMSDAoKCgNhcHASA3dlYhpuChwKABIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEk4SMAoFbmdpbngSB25naW54OjEqADIKCgAQABhQIgAqAEIAagByAIABAIgBAJABAKIBABoAMgBCAEoAUgBYAGAAaACCAQCKAQCaAQDCAQAiAgoAKAA4ABoMCAAQABgAIAAoADgAGgAiAA==',
  secret: 'azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBcxIAGgAiACoAMgA4AEIAEgYKAWESAWIaABoAIgA=',
  disruptionBudget:
    'azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSNgoRCgFwEgAaACIAKgAyADgAQgASFQoJCAEQABoDNTAlEggKBgoBYRIBYhoKCAAYACAAKAAwABoAIgA=',
  quota:
    'azhzAAoTCgJ2MRINUmVzb3VyY2VRdW90YRI0ChEKAXESABoAIgAqADIAOABCABIdCgoKA2NwdRIDCgExCg8KBm1lbW9yeRIFCgMxR2kaABoAIgA=',
  /** As client-go's apiextensions client encodes it. */
  definition:
    'azhzAAozChdhcGlleHRlbnNpb25zLms4cy5pby92MRIYQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uEqwIChYKBncuZS5pbxIAGgAiACoAMgA4AEIAEoUICgRlLmlvGgoKAXcSACIBVyoAIgdDbHVzdGVyOuUHCgJ2MRABGAEi1AcK0QcKABIAIgAqBm9iamVjdDIAOgBQAGAAegCQAQDqAXQKA2FueRJtCgASACIAKgAyADoAUABgAHoAkAEA2gElCgASACIAKgdpbnRlZ2VyMgA6AFAAYAB6AJABAKgCALgCAMACANoBJAoAEgAiACoGc3RyaW5nMgA6AFAAYAB6AJABAKgCALgCAMACAKgCALgCAMACAeoBQwoDYmlnEjwKABIAIgAqB2ludGVnZXIyADoAQhUKEzM1NDYzNDM4MjY3MjQzMDU4MzNQAGAAegCQAQCoAgC4AgDAAgDqATMKBmNsb3NlZBIpCgASACIAKgZvYmplY3QyADoAUABgAHoAkAEA8gECCACoAgC4AgDAAgDqAUUKBWNvdW50EjwKABIAIgAqB2ludGVnZXIyADoAQgMKATBJnqbldZKbyENQAFkAAAAAAAD4v2AAegCQAQCoAgC4AgDAAgDqAWUKA2RlcBJeCgASACIAKgZvYmplY3QyADoAUABgAHoAkAEAggILCgFhEgYSAWISAWOCAikKAWQSJAoiCgASACIAKgAyADoAUABgAHoAkAEAugEBZagCALgCAMACAKgCALgCAMACAOoBJwoFZW1wdHkSHgoAEgAiACoAMgA6AFAAYAB6AJABAKgCALgCAMACAOoBWQoEZmxhZxJRCgASACIAKgdib29sZWFuMgA6AEIHCgVmYWxzZVAAYAB6AJABAKIBBwoFZmFsc2WiAQCiAQUKAyJhIqIBCwoJeyJ4IjpbMV19qAIAuAIAwAIA6gE0CgRmcmVlEiwKABIAIgAqBm9iamVjdDIAOgBQAGAAegCQAQDyAQIIAagCALACAbgCAMACAOoBYQoEbGlzdBJZCgASACIAKgVhcnJheTIAOgBQAGAAegCIAQCQAQDCASYKJAoAEgAiACoGb2JqZWN0MgA6AFAAYAB6AJABAKgCALgCAMACAKgCALgCAMACAMoCAWvSAgNtYXDqAVYKA21hcBJPCgASACIAKgZvYmplY3QyADoAUABgAHoAkAEA8gEoCAESJAoAEgAiACoGc3RyaW5nMgA6AFAAYAB6AJABAKgCALgCAMACAKgCALgCAMACAOoBfAoFdHVwbGUScwoAEgAiACoFYXJyYXkyADoAUABgAHoAkAEAwgFNEiQKABIAIgAqBnN0cmluZzIAOgBQAGAAegCQAQCoAgC4AgDAAgASJQoAEgAiACoHaW50ZWdlcjIAOgBQAGAAegCQAQCoAgC4AgDAAgCoAgC4AgDAAgCoAgC4AgDAAgDiAg4KBHRydWUSABoAKgAwACoCCgA4AFAAGgoSCAoAEgAiACoAGgAiAA==',
  tokenRequest:
    'azhzAAooChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESDFRva2VuUmVxdWVzdBIdChAKABIAGgAiACoAMgA4AEIAEgMgkBwaBAoAEgAaACIA',
};

describe('what kubectl sends becomes what it would have sent as JSON', () => {
  test.each<[keyof typeof sent, object]>([
    [
      'deployment',
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', labels: { app: 'web' } },
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'nginx', image: 'nginx:1', ports: [{ containerPort: 80 }], resources: {} }] },
          },
          strategy: {},
        },
        status: {},
      },
    ],
    ['secret', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'Yg==' } }],
    [
      'disruptionBudget',
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'p' },
        spec: { minAvailable: '50%', selector: { matchLabels: { a: 'b' } } },
        status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
      },
    ],
    [
      'definition',
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
                    any: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
                    big: { type: 'integer', default: 3546343826724305833n },
                    closed: { type: 'object', additionalProperties: false },
                    count: { type: 'integer', default: 0, maximum: 3.546343826724306e18, minimum: -1.5 },
                    dep: { type: 'object', dependencies: { a: ['b', 'c'], d: { required: ['e'] } } },
                    empty: {},
                    flag: { type: 'boolean', default: false, enum: [false, null, 'a', { x: [1] }] },
                    free: {
                      type: 'object',
                      additionalProperties: true,
                      'x-kubernetes-preserve-unknown-fields': true,
                    },
                    list: {
                      type: 'array',
                      minItems: 0,
                      items: { type: 'object' },
                      'x-kubernetes-list-map-keys': ['k'],
                      'x-kubernetes-list-type': 'map',
                    },
                    map: { type: 'object', additionalProperties: { type: 'string' } },
                    tuple: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] },
                  },
                  'x-kubernetes-validations': [{ rule: 'true', optionalOldSelf: false }],
                },
              },
              subresources: { status: {} },
            },
          ],
        },
        status: { acceptedNames: { plural: '', kind: '' } },
      },
    ],
    [
      'quota',
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q' },
        spec: { hard: { cpu: '1', memory: '1Gi' } },
        status: {},
      },
    ],
    [
      'tokenRequest',
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: {},
        spec: { audiences: undefined, expirationSeconds: 3600 },
        status: { token: '' },
      },
    ],
  ])('%s', (name, expected) => expect(decodeProtobufObject(Buffer.from(sent[name], 'base64'))).toEqual(expected));
});

const envelope = (apiVersion: string, kind: string, object: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    message(bytes(1, message(text(1, apiVersion), text(2, kind))), bytes(2, object)),
  ]);

const zero = Buffer.from([0x08, 0x00]);

test('a pointer to zero stays, a zero that is left out in JSON goes', () => {
  // DeploymentSpec: replicas (1) is a pointer, minReadySeconds (5) is none.
  const spec = Buffer.concat([zero, Buffer.from([0x28, 0x00])]);
  const decoded = decodeProtobufObject(envelope('apps/v1', 'Deployment', message(bytes(2, spec))));
  expect(decoded).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 0 } });
});

test('inline messages lie flat, as in JSON', () => {
  const volume = message(text(1, 'data'), bytes(2, message(bytes(2, message(text(1, 'Memory'))))));
  const pod = message(bytes(2, message(bytes(1, volume))));
  expect(decodeProtobufObject(envelope('v1', 'Pod', pod))).toMatchObject({
    spec: { volumes: [{ name: 'data', emptyDir: { medium: 'Memory' } }] },
  });
});

test('times, negative numbers and unknown fields', () => {
  const metadata = message(
    text(1, 'p'),
    bytes(8, message(integer(1, 1_767_225_600))),
    Buffer.concat([Buffer.from([10 * 8]), Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01])]),
    bytes(999, Buffer.from('from the future')),
  );
  expect(decodeProtobufObject(envelope('v1', 'ConfigMap', message(bytes(1, metadata))))).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: -1 },
  });
});

test('micro times keep their six decimals', () => {
  const spec = message(text(1, 'me'), bytes(4, message(integer(1, 1_767_225_600), integer(2, 123_456_000))));
  expect(decodeProtobufObject(envelope('coordination.k8s.io/v1', 'Lease', message(bytes(2, spec))))).toMatchObject({
    spec: { holderIdentity: 'me', renewTime: '2026-01-01T00:00:00.123456Z' },
  });
});

test('options of requests are known in every group', () => {
  const decoded = decodeProtobufObject(envelope('policy/v1', 'DeleteOptions', message(text(4, 'Background'))));
  expect(decoded).toEqual({ apiVersion: 'policy/v1', kind: 'DeleteOptions', propagationPolicy: 'Background' });
});

test('a key of a map cannot reach the prototype', () => {
  const entry = message(text(1, '__proto__'), text(2, 'x'));
  const decoded = decodeProtobufObject(envelope('v1', 'ConfigMap', message(bytes(2, entry)))) as { data: object };
  expect(Object.hasOwn(decoded.data, '__proto__')).toBe(true);
});

test.each<[string, Buffer, number]>([
  ['no magic', Buffer.from('{"kind":"Pod"}'), 400],
  ['an unknown kind', envelope('v1', 'Teapot', Buffer.alloc(0)), 415],
  ['a kind without version', envelope('', 'Pod', Buffer.alloc(0)), 415],
  ['a custom resource', envelope('monitoring.coreos.com/v1', 'Prometheus', Buffer.alloc(0)), 415],
  ['an end in mid-field', envelope('v1', 'Pod', Buffer.from([0x0a, 0x7f, 0x01])), 400],
  ['an endless number', envelope('v1', 'Pod', Buffer.alloc(12, 0xff)), 400],
  ['a group, which nobody sends any more', envelope('v1', 'Pod', Buffer.from([0x0b])), 400],
  ['a string that is no UTF-8', envelope('v1', 'Secret', message(bytes(3, Buffer.from([0xff])))), 400],
  ['a text where a number belongs', envelope('apps/v1', 'Deployment', message(bytes(2, message(text(1, 'x'))))), 400],
])('%s is refused', (_, body, code) => {
  try {
    decodeProtobufObject(body);
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError);
    expect((error as StatusError).code).toBe(code);
    return;
  }
  throw new Error('was not refused');
});

test('every cut of a valid body is refused or read, never a crash', () => {
  const whole = Buffer.from(sent.deployment, 'base64');
  for (let length = 0; length < whole.length; length++) {
    try {
      decodeProtobufObject(whole.subarray(0, length));
    } catch (error) {
      expect(error).toBeInstanceOf(StatusError);
    }
  }
});

test('an object of too many values is refused before all of them are read', () => {
  const bodyOf = (count: number): Buffer => {
    const entries = Array.from({ length: count }, (_, index) => bytes(2, message(text(1, `k${index}`), text(2, 'v'))));
    const configMap = message(bytes(1, message(text(1, 'a'))), ...entries);
    const type = message(text(1, 'v1'), text(2, 'ConfigMap'));
    return Buffer.concat([Buffer.from('k8s\0'), bytes(1, type), bytes(2, configMap)]);
  };
  expect(decodeProtobufObject(bodyOf(20), { valuesMax: 100 })).toMatchObject({ data: { k19: 'v' } });
  expect(() => decodeProtobufObject(bodyOf(30), { valuesMax: 100 })).toThrow(
    'Request entity too large: limit is 100 values',
  );
});
