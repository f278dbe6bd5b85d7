/** What of a body may stand in an audit log: nothing that is secret, whatever the level. Pure. */
import { certificatesigningrequests, secrets, serviceaccounts, tokenreviews } from '../../api/generated/kinds.ts';
import { isSameResource } from '../../api/gvk.ts';
import { holdsPrivateKey } from '../../api/private-key.ts';
import { isObject, type JsonObject, own, put } from '../../api/record.ts';
import type { Status } from '../../api/status.ts';

/**
 * Which of the bodies that hold secrets by their nature a request is about; `mistake`: that hold none, but for private keys that
 * somebody took for the request of a certificate.
 */
export type Secrecy = 'secret' | 'token' | 'mistake';

const hidden = '***';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

export function secrecyOf({ group, resource }: Asked): Secrecy | undefined {
  if (isSameResource({ group, resource }, secrets)) return 'secret';
  if (isSameResource({ group, resource }, tokenreviews)) return 'token';
  if (isSameResource({ group, resource: resource.replace(/\/.*/, '') }, certificatesigningrequests)) return 'mistake';
  return isSameResource({ group, resource }, accountTokens) ? 'token' : undefined;
}

interface Asked {
  readonly group: string;
  /** With its subresource. */
  readonly resource: string;
}

const accountTokens: Asked = { ...serviceaccounts, resource: `${serviceaccounts.resource}/token` };

/** Whatever group a body says that they are of. */
const kinds: ReadonlyMap<unknown, Secrecy> = new Map([
  ['Secret', 'secret'],
  ['TokenRequest', 'token'],
  ['TokenReview', 'token'],
  ['CertificateSigningRequest', 'mistake'],
]);

/** A body, sent or answered. What its kind says counts as well: it may have come to a wrong place. */
export function withoutSecrets(body: unknown, secrecy: Secrecy | undefined): unknown {
  if (secrecy === 'mistake') return withoutKeys(body);
  if (Array.isArray(body)) return secrecy === undefined ? body : body.map(hideOperation);
  if (!isObject(body)) return secrecy === undefined ? body : hide(body);
  const kind = own(body, 'kind');
  if (kind === 'Status') return body;
  const items = own(body, 'items');
  if (Array.isArray(items)) return { ...body, items: items.map((item) => withoutSecrets(item, secrecy)) };
  const said = secrecy ?? kinds.get(kind);
  if (said === 'secret') return hideBut(body, ['type', 'immutable']);
  if (said === 'mistake') return withoutKeys(body);
  return said === 'token' ? hideToken(body) : body;
}

/** Every text in it, also what kubectl remembers of an apply. */
function withoutKeys(value: unknown): unknown {
  if (typeof value === 'string') return holdsPrivateKey(value) ? hidden : value;
  if (Array.isArray(value)) return value.map(withoutKeys);
  if (!isObject(value)) return value;
  const open: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) put(open, key, withoutKeys(part));
  return open;
}

/** An operation of a JSON patch. */
function hideOperation(operation: unknown): unknown {
  if (!isObject(operation) || !Object.hasOwn(operation, 'value')) return operation;
  return { ...operation, value: hidden };
}

/** Fields that nobody knows are hidden as well: a mistyped `data` holds what was meant to be hidden. */
function hideBut(object: JsonObject, shown: readonly string[]): JsonObject {
  const open: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) {
    if (key === 'metadata') put(open, key, isObject(value) ? hideApplied(value) : hide(value));
    else put(open, key, key === 'kind' || key === 'apiVersion' || shown.includes(key) ? value : hide(value));
  }
  return open;
}

/** The annotation repeats the whole object. */
function hideApplied(metadata: JsonObject): JsonObject {
  const { annotations } = metadata;
  if (!isObject(annotations) || !Object.hasOwn(annotations, lastApplied)) return metadata;
  return { ...metadata, annotations: { ...annotations, [lastApplied]: hidden } };
}

function hideToken(object: JsonObject): JsonObject {
  const { spec, status } = object;
  const shown = hideBut(object, ['spec', 'status']);
  return {
    ...shown,
    ...(isObject(spec) && { spec: hideKey(spec, 'token') }),
    ...(isObject(status) && { status: hideKey(status, 'token') }),
  };
}

function hideKey(object: JsonObject, key: string): JsonObject {
  return Object.hasOwn(object, key) ? { ...object, [key]: hidden } : object;
}

/** The names of what there is stay, the values go. */
function hide(value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (!isObject(value)) return hidden;
  const open: Record<string, unknown> = {};
  for (const key of Object.keys(value)) put(open, key, hidden);
  return open;
}

/** What is known of a request that was refused. */
export interface Refused {
  readonly secrecy: Secrecy | undefined;
  readonly verb: string;
  /** By the roles: then nothing has looked at what was sent. */
  readonly isForbidden: boolean;
}

const writing: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/**
 * Refusals of what was sent may quote it; and whoever is asked about a write, a webhook or a policy, refuses with whatever
 * code and in whatever words they like.
 */
export function openStatus(status: Status, { secrecy, verb, isForbidden }: Refused): Status {
  const mayQuote = quoting.has(status.code) || writing.has(verb);
  if (secrecy === undefined || isForbidden || !mayQuote || status.code < 400) return status;
  if (secrecy === 'mistake' && !holdsPrivateKey(JSON.stringify(status))) return status;
  const { causes, ...details } = status.details ?? {};
  return {
    ...status,
    message: 'withheld: it may quote what is secret',
    ...(status.details !== undefined && {
      details: {
        ...details,
        ...(causes && {
          causes: causes.map(({ reason, field }) => ({
            ...(reason && { reason }),
            ...(field && { field: openField(field) }),
          })),
        }),
      },
    }),
  };
}

/** A key that was refused may be what was pasted in the wrong place. */
function openField(field: string): string {
  return field.replace(/\[.*$/s, `[${hidden}]`);
}

const quoting: ReadonlySet<number> = new Set([400, 415, 422, 500]);

type Annotations = Readonly<Record<string, string>>;

/** What the server itself notes; everything else may have been worked out of what is secret. */
const ownAnnotations = [
  'authorization.k8s.io/',
  'audit.k8s.io/',
  'pod-security.kubernetes.io/',
  'k8s.io/deprecated',
  'authentication.kubernetes.io/issued-credential-id',
];

/** Notes on a request about something secret: of webhooks and policies only that there are some. */
export function openAnnotations(annotations: Annotations, secrecy: Secrecy | undefined): Annotations {
  if (secrecy === undefined) return annotations;
  const isOpen = (key: string, value: string): boolean =>
    ownAnnotations.some((prefix) => key.startsWith(prefix)) || (secrecy === 'mistake' && !holdsPrivateKey(value));
  return Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [key, isOpen(key, value) ? value : hidden]),
  );
}
