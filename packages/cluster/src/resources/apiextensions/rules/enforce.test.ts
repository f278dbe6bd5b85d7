import { expect, test } from 'vitest';
import { enforceRules } from './enforce.ts';
import { ruleTreeOf } from './rule-tree.ts';

/* What Kubernetes 1.34 says of an object, recorded from it. Where it compares with what was before, `ratchets` is set. */
interface Case {
  readonly name: string;
  readonly schema: object;
  readonly value: unknown;
  readonly old?: unknown;
  readonly ratchets?: true;
  readonly issues: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'holds',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a > 0' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 1 },
    },
    issues: [],
  },
  {
    name: 'fails',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a > 0' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    issues: ['spec: Invalid value: "object": failed rule: self.a > 0'],
  },
  {
    name: 'with a message',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a > 0', message: ' a must be positive ' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    issues: ['spec: Invalid value: "object": a must be positive'],
  },
  {
    name: 'with a messageExpression',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a > 0', messageExpression: "'got ' + string(self.a)" }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    issues: ['spec: Invalid value: "object": got 0'],
  },
  {
    name: 'with a messageExpression that fails',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a > 0', message: 'plain', messageExpression: "'got ' + self.s" }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    issues: ['spec: Invalid value: "object": plain'],
  },
  {
    name: 'with a blank messageExpression result',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a > 0', messageExpression: "' '" }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    issues: ['spec: Invalid value: "object": failed rule: self.a > 0'],
  },
  {
    name: 'with a path',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a > 0', fieldPath: '.a' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    issues: ['spec.a: Invalid value: "object": failed rule: self.a > 0'],
  },
  {
    name: 'forbidden',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [
            { rule: 'self.a > 0', reason: 'FieldValueForbidden', fieldPath: '.a', message: 'no' },
          ],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    issues: ['spec.a: Forbidden: no'],
  },
  {
    name: 'required',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [
            { rule: 'has(self.b)', reason: 'FieldValueRequired', fieldPath: '.b', message: 'b is needed' },
          ],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    issues: ['spec.b: Required value: b is needed'],
  },
  {
    name: 'duplicate',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a != self.b', reason: 'FieldValueDuplicate' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0, b: 0 },
    },
    issues: ['spec: Duplicate value: "object"'],
  },
  {
    name: 'a missing field',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.b > 0' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    issues: ['spec: Invalid value: "object": no such key: b evaluating rule: self.b > 0'],
  },
  {
    name: 'a division by zero',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: '1 / self.a > 0' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    issues: ['spec: Invalid value: "object": division by zero evaluating rule: 1 / self.a > 0'],
  },
  {
    name: 'a wrong call at run time',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { v: { 'x-kubernetes-int-or-string': true } },
          'x-kubernetes-validations': [{ rule: 'self.v.contains("x")' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { v: 1 },
    },
    issues: [
      'spec: Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self.v.contains("x")',
    ],
  },
  {
    name: 'items',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'array',
          items: {
            type: 'object',
            properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
            'x-kubernetes-validations': [{ rule: 'self.a > 0' }],
          },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: [{ a: 1 }, { a: 0 }, { a: -1 }],
    },
    issues: [
      'spec[1]: Invalid value: "object": failed rule: self.a > 0',
      'spec[2]: Invalid value: "object": failed rule: self.a > 0',
    ],
  },
  {
    name: 'entries',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          additionalProperties: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { x: 1, 'y.z': 0 },
    },
    issues: ['spec[y.z]: Invalid value: "integer": failed rule: self > 0'],
  },
  {
    name: 'an odd name',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { 'a-b': { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] } },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { 'a-b': 0 },
    },
    issues: ['spec.a-b: Invalid value: "integer": failed rule: self > 0'],
  },
  {
    name: 'at the root',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } } },
      },
      'x-kubernetes-validations': [{ rule: "self.metadata.name == 'db' && self.kind == 'Agent'" }],
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 1 },
    },
    issues: ["<nil>: Invalid value: \"object\": failed rule: self.metadata.name == 'db' && self.kind == 'Agent'"],
  },
  {
    name: 'at the root with a path',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } } },
      },
      'x-kubernetes-validations': [{ rule: 'self.spec.a > 1', fieldPath: '.spec.a' }],
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 1 },
    },
    issues: ['spec.a: Invalid value: "object": failed rule: self.spec.a > 1'],
  },
  {
    name: 'generated names',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } } },
      },
      'x-kubernetes-validations': [{ rule: 'has(self.metadata.generateName)' }],
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 1 },
    },
    issues: ['<nil>: Invalid value: "object": failed rule: has(self.metadata.generateName)'],
  },
  {
    name: 'null is passed over',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { n: { type: 'integer', nullable: true, 'x-kubernetes-validations': [{ rule: 'self > 0' }] } },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { n: null },
    },
    issues: [],
  },
  {
    name: 'transition at creation',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a >= oldSelf.a' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 1 },
    },
    issues: [],
  },
  {
    name: 'transition',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a >= oldSelf.a' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 1 },
    },
    old: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 2 },
    },
    issues: ['spec: Invalid value: "object": failed rule: self.a >= oldSelf.a'],
  },
  {
    name: 'optional transition at creation',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'oldSelf.hasValue() || self.a == 0', optionalOldSelf: true }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 1 },
    },
    issues: ['spec: Invalid value: "object": failed rule: oldSelf.hasValue() || self.a == 0'],
  },
  {
    name: 'optional transition',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a >= oldSelf.value().a', optionalOldSelf: true }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 1 },
    },
    old: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 2 },
    },
    issues: ['spec: Invalid value: "object": failed rule: self.a >= oldSelf.value().a'],
  },
  {
    name: 'transition of a new part',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            p: {
              type: 'object',
              properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
              'x-kubernetes-validations': [{ rule: 'self.a >= oldSelf.a' }],
            },
          },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { p: { a: 1 } },
    },
    old: { apiVersion: 'example.com/v1', kind: 'Agent', metadata: { name: 'web', namespace: 'default' }, spec: {} },
    issues: [],
  },
  {
    name: 'transition in a list with keys',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: {
            type: 'object',
            required: ['k'],
            properties: { k: { type: 'string' }, v: { type: 'integer' } },
            'x-kubernetes-validations': [{ rule: 'self.v >= oldSelf.v' }],
          },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: [
        { k: 'b', v: 1 },
        { k: 'a', v: 1 },
      ],
    },
    old: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: [
        { k: 'a', v: 2 },
        { k: 'b', v: 1 },
      ],
    },
    issues: ['spec[1]: Invalid value: "object": failed rule: self.v >= oldSelf.v'],
  },
  {
    name: 'what stays is only warned about',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a > 0' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    old: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    ratchets: true,
    issues: [],
  },
  {
    name: 'what changes is refused',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a > 0' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0, b: 1 },
    },
    old: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    ratchets: true,
    issues: ['spec: Invalid value: "object": failed rule: self.a > 0'],
  },
  {
    name: 'an unchanged part of a changed whole',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            p: {
              type: 'object',
              properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
              'x-kubernetes-validations': [{ rule: 'self.a > 0' }],
            },
            q: { type: 'integer' },
          },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { p: { a: 0 }, q: 1 },
    },
    old: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { p: { a: 0 }, q: 2 },
    },
    ratchets: true,
    issues: [],
  },
  {
    name: 'an unchanged item of an atomic list',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'array', items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] } },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: [0, 1],
    },
    old: { apiVersion: 'example.com/v1', kind: 'Agent', metadata: { name: 'web', namespace: 'default' }, spec: [0] },
    ratchets: true,
    issues: ['spec[0]: Invalid value: "integer": failed rule: self > 0'],
  },
  {
    name: 'an unchanged atomic list',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            l: { type: 'array', items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] } },
            q: { type: 'integer' },
          },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { l: [0], q: 1 },
    },
    old: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { l: [0] },
    },
    ratchets: true,
    issues: [],
  },
  {
    name: 'an unchanged item of a list with keys',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: {
            type: 'object',
            required: ['k'],
            properties: { k: { type: 'string' }, v: { type: 'integer' } },
            'x-kubernetes-validations': [{ rule: 'self.v > 0' }],
          },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: [
        { k: 'b', v: 0 },
        { k: 'a', v: 0 },
      ],
    },
    old: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: [
        { k: 'a', v: 0 },
        { k: 'b', v: 1 },
      ],
    },
    ratchets: true,
    issues: ['spec[0]: Invalid value: "object": failed rule: self.v > 0'],
  },
  {
    name: 'transition rules are not let be',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a > oldSelf.a' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    old: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0 },
    },
    ratchets: true,
    issues: ['spec: Invalid value: "object": failed rule: self.a > oldSelf.a'],
  },
  {
    name: 'in allOf',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'true' }],
          allOf: [
            {
              properties: { a: { 'x-kubernetes-validations': [{ rule: 'self > 0' }] } },
              'x-kubernetes-validations': [{ rule: 'self.b > 0' }],
            },
          ],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0, b: 0 },
    },
    issues: [
      'spec: Invalid value: "object": failed rule: self.b > 0',
      'spec.a: Invalid value: "integer": failed rule: self > 0',
    ],
  },
  {
    name: 'an embedded resource',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            e: {
              type: 'object',
              'x-kubernetes-embedded-resource': true,
              'x-kubernetes-preserve-unknown-fields': true,
              'x-kubernetes-validations': [{ rule: "self.kind == 'Pod' && self.metadata.name.startsWith('x')" }],
            },
          },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { e: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'y' } } },
    },
    issues: [
      "spec.e: Invalid value: \"object\": failed rule: self.kind == 'Pod' && self.metadata.name.startsWith('x')",
    ],
  },
  {
    name: 'a call that costs too much',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            l: {
              type: 'array',
              items: { type: 'integer' },
              'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, self.all(z, x + y + z >= 0)))' }],
            },
          },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        l: [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79,
        ],
      },
    },
    issues: [
      'spec.l: Invalid value: "array": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be run due to call cost exceeds limit for rule: self.all(x, self.all(y, self.all(z, x + y + z >= 0)))',
    ],
  },
  {
    name: 'rules that cost too much together',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'array',
          items: {
            type: 'array',
            items: { type: 'integer' },
            'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x + y >= 0))' }],
          },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: [
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
        [
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
          57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
          84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
          109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130,
          131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152,
          153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174,
          175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
          197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
          219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240,
          241, 242, 243, 244, 245, 246, 247, 248, 249,
        ],
      ],
    },
    issues: [
      'spec[22]: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ],
  },
  {
    name: 'two rules of one value',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, s: { type: 'string' } },
          'x-kubernetes-validations': [{ rule: 'self.a > 0' }, { rule: 'self.b > 0', message: 'b' }],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { a: 0, b: 0 },
    },
    issues: ['spec: Invalid value: "object": failed rule: self.a > 0', 'spec: Invalid value: "object": b'],
  },
  {
    name: 'sets have no order',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            s: {
              type: 'array',
              'x-kubernetes-list-type': 'set',
              items: { type: 'string' },
              'x-kubernetes-validations': [{ rule: 'self == oldSelf' }],
            },
          },
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { s: ['a', 'b'] },
    },
    old: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { s: ['b', 'a'] },
    },
    issues: [],
  },
  {
    name: 'formats',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            d: { type: 'string', format: 'duration' },
            t: { type: 'string', format: 'date-time' },
            b: { type: 'string', format: 'byte' },
          },
          'x-kubernetes-validations': [
            { rule: "self.d < duration('1h') && self.t < timestamp('2020-01-01T00:00:00Z') && self.b == b'hi'" },
          ],
        },
      },
    },
    value: {
      apiVersion: 'example.com/v1',
      kind: 'Agent',
      metadata: { name: 'web', namespace: 'default' },
      spec: { d: '2h', t: '2019-01-01T00:00:00Z', b: 'aGk=' },
    },
    issues: [
      "spec: Invalid value: \"object\": failed rule: self.d < duration('1h') && self.t < timestamp('2020-01-01T00:00:00Z') && self.b == b'hi'",
    ],
  },
];

test.each(cases)('$name', ({ schema, value, old, ratchets, issues }) => {
  const tree = ruleTreeOf(schema);
  if (tree === undefined) throw new Error('the schema has rules');
  const found = enforceRules(tree, value, old).filter(({ onlyWarns }) => ratchets !== true || onlyWarns !== true);
  expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual(issues);
});

test('what was let be is told as a warning', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] } },
  };
  const tree = ruleTreeOf(schema);
  if (tree === undefined) throw new Error('the schema has rules');
  expect(enforceRules(tree, { a: 0, b: 1 }, { a: 0 })).toEqual([
    {
      reason: 'FieldValueInvalid',
      field: 'a',
      message: 'Invalid value: "integer": failed rule: self > 0',
      onlyWarns: true,
    },
  ]);
});

test('a schema without rules has none', () => {
  expect(ruleTreeOf({ type: 'object', properties: { a: { type: 'string' } } })).toBeUndefined();
});
