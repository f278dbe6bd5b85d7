import type { Secret } from '../../api/generated/core-v1.ts';
import { secrets } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { column, countColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { dataKey } from '../validation/names.ts';
import { immutableDataIssues } from './configmap.ts';

const bytesMax = 1024 * 1024;
/** No issue ever shows a secret's value. */
const redacted = '<secret contents redacted>';

export const secretDefinition: ResourceDefinition<Secret> = defineResource(secrets, {
  schema: 'io.k8s.api.core.v1.Secret',
  columns: [
    column('Type', ({ type }) => type ?? ''),
    countColumn('Data', ({ data }) => Object.keys(data ?? {}).length),
  ],
  selectableFields: [{ path: 'type', of: ({ type }) => type ?? '' }],
  defaults(secret) {
    const { stringData, ...kept } = secret;
    const type = secret.type === undefined || secret.type === '' ? 'Opaque' : secret.type;
    if (stringData === undefined) return type === secret.type ? secret : { ...kept, type };
    const folded = Object.entries(stringData).map(
      ([key, text]) => [key, Buffer.from(text).toString('base64')] as const,
    );
    return { ...kept, type, data: { ...secret.data, ...Object.fromEntries(folded) } };
  },
  *validate(secret, at) {
    let bytes = 0;
    for (const [key, value] of Object.entries(secret.data ?? {})) {
      yield* dataKey(key, at('data').key(key));
      bytes += Buffer.byteLength(value, 'base64');
    }
    if (bytes > bytesMax) yield at('data').tooLong('', bytesMax);
    yield* contentIssues(secret, at);
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.type, current.type, at('type'));
    yield* immutableDataIssues(next, current, { at, fields: ['data'] });
  },
});

const requiredKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['kubernetes.io/ssh-auth', ['ssh-privatekey']],
  ['kubernetes.io/tls', ['tls.crt', 'tls.key']],
  ['kubernetes.io/dockercfg', ['.dockercfg']],
  ['kubernetes.io/dockerconfigjson', ['.dockerconfigjson']],
]);

/** What each well-known type must hold. */
function* contentIssues(secret: Secret, at: FieldPath): Iterable<Issue> {
  const data = secret.data ?? {};
  for (const key of requiredKeys.get(secret.type ?? '') ?? []) {
    const place = at('data').key(key);
    const value = Object.hasOwn(data, key) ? data[key] : undefined;
    if (value === undefined) yield place.required();
    else if (key.startsWith('.docker') && !isJson(value)) yield place.invalid(redacted, 'must be valid json');
  }
  switch (secret.type) {
    case 'kubernetes.io/service-account-token': {
      const annotation = 'kubernetes.io/service-account.name';
      if ((secret.metadata.annotations?.[annotation] ?? '') === '')
        yield at('metadata', 'annotations').key(annotation).required();
      return;
    }
    case 'kubernetes.io/basic-auth':
      if (!Object.hasOwn(data, 'username') && !Object.hasOwn(data, 'password')) {
        yield at('data').key('username').required();
        yield at('data').key('password').required();
      }
      return;
    default:
  }
}

function isJson(base64: string): boolean {
  try {
    JSON.parse(Buffer.from(base64, 'base64').toString());
    return true;
  } catch {
    return false;
  }
}
