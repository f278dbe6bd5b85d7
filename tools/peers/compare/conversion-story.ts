import { applyType, mergeType, type Step, type Story } from './apply-stories.ts';

/* Owners who named their fields in different versions of a resource, between which a webhook converts. */

const group = 'converted.example.com';
const anyInteger = { type: 'integer' };

interface Converted {
  readonly apiVersion: string;
  readonly spec?: { readonly ones?: number; readonly dozens?: number };
}

/** What the webhook answers: the first version counts in ones, the second in dozens. */
export function conversionReply(body: string): string {
  const { request } = JSON.parse(body) as {
    readonly request: {
      readonly uid: string;
      readonly desiredAPIVersion: string;
      readonly objects: readonly Converted[];
    };
  };
  const { uid, desiredAPIVersion } = request;
  const convertedObjects = request.objects.map((object) => {
    if (object.apiVersion === desiredAPIVersion || object.spec === undefined)
      return { ...object, apiVersion: desiredAPIVersion };
    const { ones, dozens, ...more } = object.spec;
    const all = ones ?? (dozens === undefined ? undefined : dozens * 12);
    const counted = all === undefined ? {} : desiredAPIVersion.endsWith('v2') ? { dozens: all / 12 } : { ones: all };
    return { ...object, apiVersion: desiredAPIVersion, spec: { ...more, ...counted } };
  });
  return JSON.stringify({
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' },
    response: { uid, result: { status: 'Success' }, convertedObjects },
  });
}

const version = (name: string, field: string, more: object): object => ({
  ...{ name, served: true, ...more },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            [field]: anyInteger,
            note: { type: 'string' },
            parts: { type: 'object', additionalProperties: { type: 'string' } },
          },
        },
      },
    },
  },
});

export interface Webhook {
  readonly url: string;
  readonly caBundle: string;
}

export function conversionStory({ url, caBundle }: Webhook): Story {
  const at = (name: string): string => `/apis/${group}/${name}/namespaces/default/counts/it`;
  const apply = (what: string, manager: string, [name, spec]: readonly [version: string, spec: object]): Step => ({
    ...{ what: `shown: ${what}`, method: 'PATCH', type: applyType, path: `${at(name)}?fieldManager=${manager}` },
    body: { apiVersion: `${group}/${name}`, kind: 'Count', metadata: { name: 'it' }, spec },
  });
  const byForce = (step: Step): Step => ({ ...step, what: `${step.what}, by force`, path: `${step.path}&force=true` });
  const merge = (manager: string, [name, body]: readonly [version: string, body: object]): Step => ({
    ...{ what: `shown: edited by ${manager}`, method: 'PATCH', type: mergeType },
    ...{ path: `${at(name)}?fieldManager=${manager}`, body },
  });
  return {
    name: 'owners of versions between which a webhook converts',
    steps: [
      {
        ...{ what: 'defined', method: 'POST', path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions' },
        ...{ pauseMs: 1_500, isSetting: true },
        body: {
          ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
          metadata: { name: `counts.${group}` },
          spec: {
            ...{ group, scope: 'Namespaced', names: { plural: 'counts', kind: 'Count' } },
            versions: [version('v1', 'ones', { storage: true }), version('v2', 'dozens', { storage: false })],
            conversion: {
              strategy: 'Webhook',
              webhook: { clientConfig: { url, caBundle }, conversionReviewVersions: ['v1'] },
            },
          },
        },
      },
      apply('applied', 'me', ['v2', { dozens: 1, note: 'x', parts: { a: '1' } }]),
      apply('the same in the other version', 'you', ['v1', { ones: 12 }]),
      apply('something else', 'you', ['v1', { ones: 24 }]),
      byForce(apply('something else', 'you', ['v1', { ones: 24, parts: { b: '2' } }])),
      merge('editor', ['v2', { spec: { dozens: 3 } }]),
      merge('third', ['v1', { spec: { note: 'z', parts: { a: null } } }]),
      apply('less in the other version', 'me', ['v1', { parts: { c: '3' } }]),
      apply('nothing', 'you', ['v2', {}]),
      apply('back', 'me', ['v2', { dozens: 3 }]),
      apply('by another as well', 'fourth', ['v1', { ones: 36 }]),
      apply('not any more', 'me', ['v1', { note: 'z' }]),
      merge('third', ['v2', { spec: { dozens: null } }]),
    ],
  };
}
