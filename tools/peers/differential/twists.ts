/** What is sometimes wrong, or merely unusual, about a whole request. Pure: made to the same request it makes the same one. */
import type { JsonObject } from '@signalbox/cluster';
import type { Asking } from './steps.ts';

export interface Twist {
  readonly name: string;
  readonly made: (asking: Asking) => Asking;
}

function without(body: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !fields.includes(name)));
}

const withBody = (change: (body: JsonObject) => JsonObject) => (asking: Asking) => ({
  ...asking,
  body: JSON.stringify(change(JSON.parse(asking.body ?? '{}') as JsonObject)),
});
const withText = (change: (text: string) => string) => (asking: Asking) => ({
  ...asking,
  body: change(asking.body ?? ''),
});
const withHeader = (name: string, value: string) => (asking: Asking) => ({
  ...asking,
  headers: { ...asking.headers, [name]: value },
});
const withMetadata = (more: JsonObject): Twist['made'] =>
  withBody((body) => ({ ...body, metadata: { ...(body['metadata'] as JsonObject | undefined), ...more } }));

/** Of requests that bring an object. */
export const bodyTwists: readonly Twist[] = [
  { name: 'as YAML', made: withHeader('content-type', 'application/yaml') },
  { name: 'as text', made: withHeader('content-type', 'text/plain') },
  { name: 'cut', made: withText((text) => text.slice(0, -1)) },
  { name: 'empty', made: withText(() => '') },
  { name: 'null', made: withText(() => 'null') },
  { name: 'a list', made: withText((text) => `[${text}]`) },
  { name: 'a field twice', made: withText((text) => text.replace('{', '{"kind":"Twice",')) },
  { name: 'another kind', made: withBody((body) => ({ ...body, kind: 'Other' })) },
  { name: 'another version', made: withBody((body) => ({ ...body, apiVersion: 'v9' })) },
  { name: 'another group', made: withBody((body) => ({ ...body, apiVersion: 'other.example.com/v1' })) },
  { name: 'no kind', made: withBody((body) => without(body, ['kind', 'apiVersion'])) },
  { name: 'another name', made: withMetadata({ name: 'other' }) },
  { name: 'another namespace', made: withMetadata({ namespace: 'other' }) },
  { name: 'no name', made: withMetadata({ name: '' }) },
  { name: 'a bad name', made: withMetadata({ name: 'Not Valid!' }) },
  { name: 'another uid', made: withMetadata({ uid: 'other' }) },
  { name: 'an old version', made: withMetadata({ resourceVersion: '1' }) },
  { name: 'no such version', made: withMetadata({ resourceVersion: 'x' }) },
  { name: 'another age', made: withMetadata({ creationTimestamp: '2026-01-01T00:00:00Z' }) },
  { name: 'a generation', made: withMetadata({ generation: 7 }) },
  {
    name: 'managed fields',
    made: withMetadata({ managedFields: [{ manager: 'a', operation: 'Update', fieldsType: 'FieldsV1' }] }),
  },
  {
    name: 'an owner',
    made: withMetadata({ ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'b' }] }),
  },
  { name: 'a finalizer', made: withMetadata({ finalizers: ['example.com/a'] }) },
  { name: 'going', made: withMetadata({ deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 3 }) },
  { name: 'a table wanted', made: withHeader('accept', 'application/json;as=Table;v=v1;g=meta.k8s.io') },
  {
    name: 'metadata wanted',
    made: withHeader('accept', 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'),
  },
  { name: 'HTML wanted', made: withHeader('accept', 'text/html') },
];

/** Of creations: the name is the server's choice, so nothing is to be kept. */
export const generated: Twist = {
  name: 'a name to be chosen',
  made: (asking) =>
    withBody((body) => ({
      ...body,
      metadata: { ...(body['metadata'] as JsonObject), name: undefined, generateName: 'chosen-' },
    }))({
      ...asking,
      path: `${asking.path.replace(/[?&]dryRun=All/, '')}${asking.path.includes('?') ? '&' : '?'}dryRun=All`.replace(
        /^([^?]*)&/,
        '$1?',
      ),
    }),
};

/** How objects and lists are asked for. */
export const readingForms: readonly string[] = [
  ...['application/json', 'application/json', 'application/json', 'application/json;as=Table;v=v1;g=meta.k8s.io'],
  ...[
    'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
    'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  ],
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  ...[
    'application/json;as=Other;v=v1;g=meta.k8s.io',
    'text/html',
    '*/*',
    'text/html, application/json;q=0.5',
    'application/*',
  ],
];
