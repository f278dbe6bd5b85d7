import type { SchemaNode } from '../api/schema/node.ts';
import { present } from '../base/assert.ts';
import { type Environment, extend, kubernetes } from './environment.ts';
import {
  authorizations,
  authorizerType,
  decisionType,
  groupCheckType,
  pathCheckType,
  resourceCheckType,
} from './library/authorizations.ts';
import { anything, type Declared, declare, declareRecord } from './types/declared.ts';
import { dyn } from './types/type.ts';

const text: SchemaNode = { type: 'string' };
const texts: SchemaNode = { type: 'array', items: text };

function object(properties: Readonly<Record<string, SchemaNode>>): SchemaNode {
  return { type: 'object', properties: new Map(Object.entries(properties)) };
}

function declared(schema: SchemaNode, name: string): Declared {
  return present(declare(schema, { isResource: false, name }), `a declaration of ${name}`);
}

const kind = declared(object({ group: text, version: text, kind: text }), 'kubernetes.GroupVersionKind');
const resource = declared(object({ group: text, version: text, resource: text }), 'kubernetes.GroupVersionResource');
const word = declared(text, 'string');

/** What is known of a request beside its objects. */
export const admissionRequest: Declared = declareRecord('kubernetes.AdmissionRequest', {
  ...{ kind, resource, requestKind: kind, requestResource: resource, subResource: word, requestSubResource: word },
  ...{ name: word, namespace: word, operation: word, dryRun: declared({ type: 'boolean' }, 'bool') },
  userInfo: declared(
    object({
      ...{ username: text, uid: text, groups: texts },
      extra: { type: 'object', additionalProperties: texts },
    }),
    'kubernetes.UserInfo',
  ),
  // Of another kind for every operation.
  options: anything,
});

/** What expressions see of a request to change something. Objects may be anything: their fields are looked up when it runs. */
export const admission: Environment = extend(kubernetesWithAccess(), {
  variables: new Map([
    ['object', { type: dyn }],
    ['oldObject', { type: dyn }],
    ['request', { type: admissionRequest.type, declared: admissionRequest }],
    ['authorizer', { type: authorizerType }],
    ['authorizer.requestResource', { type: resourceCheckType }],
  ]),
});

function kubernetesWithAccess(): Environment {
  const types = [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType];
  return extend(kubernetes, { functions: authorizations, types });
}

const moment: SchemaNode = { type: 'string', format: 'date-time' };
const labels: SchemaNode = { type: 'object', additionalProperties: text };
const whole: SchemaNode = { type: 'integer' };

/** The namespace of a request, as policies see it. */
export const admissionNamespace: Declared = declared(
  object({
    metadata: object({
      ...{ name: text, generateName: text, namespace: text, UID: text, resourceVersion: text, finalizers: texts },
      ...{ labels, annotations: labels, creationTimestamp: moment, deletionTimestamp: moment },
      ...{ deletionGracePeriodSeconds: whole, generation: whole },
    }),
    spec: object({ finalizers: texts }),
    status: object({
      phase: text,
      conditions: {
        type: 'array',
        items: object({ status: text, type: text, lastTransitionTime: moment, message: text, reason: text }),
      },
    }),
  }),
  'kubernetes.Namespace',
);
