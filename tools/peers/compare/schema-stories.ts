import { applyType, mergeType, type Step, type Story } from './apply-stories.ts';

/* Definitions that change how lists and maps of their resource are owned, while somebody owns them. */

const group = 'changes.example.com';
const text = { type: 'string' };
const struct = { type: 'object', properties: { a: text, b: text, deep: { type: 'object', properties: { c: text } } } };
const labels = { type: 'object', additionalProperties: text };
const element = { type: 'object', required: ['k'], properties: { k: text, v: text } };
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const atomicMap = { 'x-kubernetes-map-type': 'atomic' };
const atomicList = { 'x-kubernetes-list-type': 'atomic' };

const granular = {
  struct,
  labels,
  map: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: element },
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
  free: anything,
  known: struct,
  nested: { type: 'object', properties: { inner: struct } },
};

const atomic = {
  struct: { ...struct, ...atomicMap },
  labels: { ...labels, ...atomicMap },
  map: { type: 'array', ...atomicList, items: element },
  set: { type: 'array', ...atomicList, items: text },
  free: { ...anything, ...atomicMap },
  known: anything,
  nested: { ...granular.nested, ...atomicMap },
};

const whole = {
  struct: { a: '1', b: '2', deep: { c: '1' } },
  labels: { x: 'y' },
  map: [{ k: 'a', v: '1' }, { k: 'b' }],
  set: ['p', 'q'],
  free: { x: { y: 1 } },
  known: { a: '1', deep: { c: '1' } },
  nested: { inner: { a: '1' } },
};
const other = {
  struct: { a: '1', deep: {} },
  labels: { x: 'y', z: 'w' },
  map: [{ k: 'a' }],
  set: ['q', 'r'],
  nested: { inner: { b: '3' } },
};
const edited = { struct: { deep: { c: '9' } }, labels: { e: 'd' }, free: { e: 1 }, known: { b: '3' } };

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function story(name: string, plural: string, forms: { readonly first: object; readonly next: object }): Story {
  const kind = plural.toUpperCase();
  const at = `/apis/${group}/v1/namespaces/default/${plural}/it`;
  const apply = (what: string, manager: string, spec: object): Step => ({
    ...{ what: `shown: ${what}`, method: 'PATCH', type: applyType, path: `${at}?fieldManager=${manager}` },
    body: { apiVersion: `${group}/v1`, kind, metadata: { name: 'it' }, spec },
  });
  const byForce = (step: Step): Step => ({ ...step, path: `${step.path}&force=true` });
  const merge = (what: string, path: string, body: object): Step => ({
    ...{ what: `shown: ${what}`, method: 'PATCH', type: mergeType, path: `${at}${path}`, body },
  });
  return {
    name,
    steps: [
      {
        ...{ what: 'defined', method: 'POST', path: definitions, pauseMs: 1_500, isSetting: true },
        body: {
          ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
          metadata: { name: `${plural}.${group}` },
          spec: {
            ...{ group, scope: 'Namespaced', names: { plural, kind } },
            versions: [
              {
                ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
                schema: {
                  openAPIV3Schema: {
                    type: 'object',
                    properties: { spec: { type: 'object', properties: forms.first }, status: anything },
                  },
                },
              },
            ],
          },
        },
      },
      apply('applied', 'me', whole),
      byForce(apply('applied by another', 'you', other)),
      merge('edited', '?fieldManager=editor', { spec: edited }),
      {
        ...{ what: 'defined anew', method: 'PATCH', path: `${definitions}/${plural}.${group}` },
        ...{ type: 'application/json-patch+json', pauseMs: 2_500, isSetting: true },
        body: [
          {
            op: 'replace',
            path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties',
            value: forms.next,
          },
        ],
      },
      merge('written by somebody who touches nothing of it', '?fieldManager=labels', {
        metadata: { labels: { n: 'm' } },
      }),
      merge('a status', '/status?fieldManager=status', { status: { a: 1 } }),
      apply('a change', 'me', { ...whole, struct: { a: '5' } }),
      apply('the same again', 'me', whole),
      byForce(apply('the same by force', 'me', whole)),
      apply('nothing any more', 'you', {}),
      byForce(apply('less', 'me', { struct: { a: '1' }, labels: {} })),
      apply('by a third', 'third', { struct: { b: '1' }, map: [{ k: 'c' }], set: ['z'] }),
    ],
  };
}

export const schemaStories: readonly Story[] = [
  story('lists and maps become atomic', 'hardened', { first: granular, next: atomic }),
  story('lists and maps become granular', 'softened', { first: atomic, next: granular }),
];
