/** Metadata as it stands on the wire. Times are RFC 3339 strings in UTC. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
  readonly selfLink?: string;
}

/** Metadata of an object that the API server has taken in: these fields are always set. */
export interface StoredMeta extends ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
}

export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly selfLink?: string;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`; validated at the door. */
  readonly operator: string;
  readonly values?: readonly string[];
}

/** What every stored object has. Objects in store, caches and plans are frozen and shared by reference. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
}

/** An object on its way in: the server fills in what {@link StoredMeta} promises. */
export type New<T extends KubeObject> = Omit<T, 'metadata' | 'status'> & {
  readonly metadata: ObjectMeta;
  readonly status?: Readonly<Record<string, unknown>>;
};

export interface KubeList<T extends KubeObject = KubeObject> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}

/** The owner that manages the object, if any. */
export function controllerOf({ metadata }: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** `namespace/name`, or `name` for cluster-scoped objects: the key of queues and caches. */
export type Key = string;

export function keyOf({ metadata }: { readonly metadata: ObjectMeta }): Key {
  return metadata.namespace === undefined ? (metadata.name ?? '') : `${metadata.namespace}/${metadata.name}`;
}

export function splitKey(key: Key): { readonly namespace: string | undefined; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0
    ? { namespace: undefined, name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
