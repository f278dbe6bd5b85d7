import {
  type ConfigMap,
  type ConfigMapKeySelector,
  configmaps,
  type Secret,
  type SecretKeySelector,
  secrets,
} from '@signalbox/cluster';
import type { SecretOrConfigMap } from '../resources/fields.ts';
import type { Reference } from './findings.ts';
import { compare, type World } from './world.ts';

/** A key of a Secret or ConfigMap, as a value. */
export interface KeyReference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
  /** Nobody minds when it is missing. */
  readonly optional: boolean;
}

/** What a key holds: text as it is meant, or why there is none. */
export type Lookup =
  | { readonly state: 'found'; readonly bytes: Uint8Array }
  | { readonly state: 'object missing' | 'key missing' };

/** Undefined when the selector names nothing: upstream ignores one without name or key. */
export function secretReference(selector: SecretKeySelector | undefined, namespace: string): KeyReference | undefined {
  return keyReference('Secret', selector, namespace);
}

export function configMapReference(
  selector: ConfigMapKeySelector | undefined,
  namespace: string,
): KeyReference | undefined {
  return keyReference('ConfigMap', selector, namespace);
}

/** The Secret wins when both are given. */
export function eitherReference(either: SecretOrConfigMap | undefined, namespace: string): KeyReference | undefined {
  return secretReference(either?.secret, namespace) ?? configMapReference(either?.configMap, namespace);
}

export function lookup(world: World, { kind, namespace, name, key }: KeyReference): Lookup {
  const object =
    kind === 'Secret' ? world.get(secrets, `${namespace}/${name}`) : world.get(configmaps, `${namespace}/${name}`);
  if (object === undefined) return { state: 'object missing' };
  const bytes = object.kind === 'Secret' ? secretBytes(object, key) : configMapBytes(object, key);
  return bytes === undefined ? { state: 'key missing' } : { state: 'found', bytes };
}

/** `Secret apps/remote has no key "token"`: what is missing, in words. */
export function describeMissing({ kind, namespace, name, key }: KeyReference, state: Reference['state']): string {
  return state === 'key missing'
    ? `${kind} ${namespace}/${name} has no key "${key}"`
    : `${kind} ${namespace}/${name} does not exist`;
}

/** One string per reference: `/secrets/<namespace>/<name>/<key>`. */
export function referenceId({ kind, namespace, name, key }: Omit<KeyReference, 'optional'>): string {
  return `/${kind === 'Secret' ? 'secrets' : 'configMaps'}/${namespace}/${name}/${key}`;
}

export function byReferenceId(a: Omit<KeyReference, 'optional'>, b: Omit<KeyReference, 'optional'>): number {
  return compare(referenceId(a), referenceId(b));
}

function keyReference(
  kind: KeyReference['kind'],
  selector: SecretKeySelector | ConfigMapKeySelector | undefined,
  namespace: string,
): KeyReference | undefined {
  if (selector?.name === undefined || selector.name === '' || selector.key === '') return undefined;
  return { kind, namespace, name: selector.name, key: selector.key, optional: selector.optional ?? false };
}

/** `stringData` only occurs in manifests that no server has taken in yet; there it wins over `data`. */
function secretBytes(secret: Secret, key: string): Uint8Array | undefined {
  const text = own(secret.stringData, key);
  if (text !== undefined) return Buffer.from(text, 'utf8');
  const encoded = own(secret.data, key);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
}

function configMapBytes(map: ConfigMap, key: string): Uint8Array | undefined {
  const text = own(map.data, key);
  if (text !== undefined) return Buffer.from(text, 'utf8');
  const encoded = own(map.binaryData, key);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
