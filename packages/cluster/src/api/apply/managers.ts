import { difference, type FieldSet, inOrder, isEmpty, union } from './field-set.ts';

/** Who acts on an object: what tells the entries of `metadata.managedFields` apart. */
export interface Actor {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** The version that its fields are named in. */
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
}

/** One entry of `metadata.managedFields` that is known to be well formed. */
export interface Owner extends Actor {
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldSet;
  /** RFC 3339 with seconds. */
  readonly time?: string;
}

export type Owners = readonly Owner[];

/** Whose fields they are that were there before anybody noted owners, and those of updates too old to tell apart. */
export const beforeFirstApply = 'before-first-apply';
const ancientChanges = 'ancient-changes';
const updatersMax = 10;

/** Whoever applies stays the same one when the version changes; whoever updates does not. */
export function isSameActor(a: Actor, b: Actor): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    (a.subresource ?? '') === (b.subresource ?? '') &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  );
}

export function ownerOf(owners: Owners, actor: Actor): Owner | undefined {
  return owners.find((owner) => isSameActor(owner, actor));
}

/** The entry in the form and order in which it is shown. */
export function owner(actor: Actor, fields: FieldSet, time: string | undefined): Owner {
  const { manager, operation, apiVersion, subresource = '' } = actor;
  return {
    manager,
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: inOrder(fields),
    ...(subresource !== '' && { subresource }),
  };
}

/** The owners with other fields of each; whoever has none left goes. The same array when nothing changes. */
export function withFields(owners: Owners, change: (owner: Owner) => FieldSet | undefined): Owners {
  let next: Owner[] | undefined;
  for (let index = 0; index < owners.length; index++) {
    const each = owners[index] as Owner;
    const fields = change(each);
    if (fields === each.fieldsV1) {
      next?.push(each);
      continue;
    }
    next ??= Array.from({ length: index }, (_, before) => owners[before] as Owner);
    if (fields !== undefined && !isEmpty(fields)) next.push({ ...each, fieldsV1: inOrder(fields) });
  }
  return next ?? owners;
}

/** The owners with this one in the place of who it was before. */
export function withOwner(owners: Owners, next: Owner): Owners {
  const index = owners.findIndex((each) => isSameActor(each, next));
  const changed = [...owners];
  changed[index < 0 ? owners.length : index] = next;
  return changed;
}

/** As they are shown: those who apply first, then by time and name. */
export function sorted(owners: Owners): Owners {
  for (let index = 1; index < owners.length; index++)
    if (byTime(owners[index - 1] as Owner, owners[index] as Owner) > 0) return [...owners].sort(byTime);
  return owners;
}

function byTime(a: Owner, b: Owner): number {
  return (
    compareTexts(a.operation, b.operation) ||
    compareTexts(a.time ?? '', b.time ?? '') ||
    compareTexts(a.manager, b.manager) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource ?? '', b.subresource ?? '')
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Of more than ten that update, the oldest become one for each version: nobody waits for them any more. */
export function capped(owners: Owners): Owners {
  if (owners.length <= updatersMax) return owners;
  const updaters = owners.filter(({ operation }) => operation === 'Update').sort(byTime);
  if (updaters.length <= updatersMax) return owners;
  const kept = new Set(owners);
  const first = new Map<string, Owner>();
  const buckets = new Map<string, Owner>();
  let left = updaters.length;
  for (const updater of updaters) {
    if (left <= updatersMax) break;
    const { apiVersion } = updater;
    const before = buckets.get(apiVersion) ?? first.get(apiVersion);
    if (before === undefined) {
      first.set(apiVersion, updater);
      continue;
    }
    kept.delete(before);
    kept.delete(updater);
    const fields = union(updater.fieldsV1, before.fieldsV1);
    const bucket = owner({ manager: ancientChanges, operation: 'Update', apiVersion }, fields, updater.time);
    buckets.set(apiVersion, bucket);
    kept.add(bucket);
    left -= 1;
  }
  return [...kept];
}

/** What nobody owns: what every object has, and what the server alone says. */
const stripped: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    ...Object.fromEntries(
      [
        'name',
        'namespace',
        'creationTimestamp',
        'selfLink',
        'uid',
        'clusterName',
        'generation',
        'managedFields',
        'resourceVersion',
      ].map((field) => [`f:${field}`, {}]),
    ),
  },
};

export function withoutStripped(fields: FieldSet): FieldSet {
  return difference(fields, stripped);
}
