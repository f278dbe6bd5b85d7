import { defaulted, equal, type KubeObject } from '@signalbox/cluster';
import type { ObjectRef } from '../explain/explanation.ts';
import { refOf } from '../explain/selectors.ts';
import { hashAnnotation } from '../operator/merge-live.ts';
import { compare } from '../world/world.ts';
import { type Difference, differences } from './differences.ts';
import { placeOf, type Recreated } from './imagined-server.ts';

/** What becomes of one object. */
export interface ObjectChange {
  readonly object: ObjectRef;
  readonly change: 'changed' | 'created' | 'deleted' | 'recreated';
  /** What differs, of a Secret without its values. Empty for what comes or goes. */
  readonly fields: readonly FieldChange[];
}

export interface FieldChange {
  readonly path: string;
  /** A plain value as text; undefined: it is none, or not there, or not to be shown. */
  readonly before?: string;
  readonly after?: string;
}

/** An object before and after; one of them may be missing. */
export interface Pair {
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/** Every object that is not the same on both sides, by its place. */
export function pairs(before: readonly KubeObject[], after: readonly KubeObject[]): ReadonlyMap<string, Pair> {
  const [left, right] = [new Set(before), new Set(after)];
  const found = new Map<string, Pair>(
    before
      .filter((object) => !right.has(object))
      .map((object) => [placeOf(object), { before: object, after: undefined }]),
  );
  for (const object of after) {
    if (left.has(object)) continue;
    const place = placeOf(object);
    found.set(place, { before: found.get(place)?.before, after: object });
  }
  return found;
}

/** What differs between two states, sorted by kind and place. What servers and controllers write does not count. */
export function objectChanges(
  compared: ReadonlyMap<string, Pair>,
  recreated: ReadonlyMap<string, Recreated> = new Map(),
): readonly ObjectChange[] {
  return [...compared]
    .sort(([a], [b]) => compare(a, b))
    .flatMap(([place, pair]) => changeOf(pair, recreated.has(place)) ?? []);
}

function changeOf({ before, after }: Pair, isRecreated: boolean): ObjectChange | undefined {
  if (before === undefined && after === undefined) return undefined;
  if (before === undefined) return after && { object: refOf(after), change: 'created', fields: [] };
  if (after === undefined) return { object: refOf(before), change: 'deleted', fields: [] };
  if (before === after) return undefined;
  if (!isRecreated && equal(comparable(before), comparable(after))) return undefined;
  const [left, right] = [comparable(withoutHash(before)), comparable(withoutHash(after))];
  const fields = differences(left, right).map((each) => shown(each, before.kind));
  return { object: refOf(after), change: isRecreated ? 'recreated' : 'changed', fields };
}

/** The paths of what differs between two versions of an object. */
export function changedFields(before: KubeObject, after: KubeObject): readonly string[] {
  return changeOf({ before, after }, false)?.fields.map(({ path }) => path) ?? [];
}

/** It changes with everything, and tells nobody anything. */
function withoutHash(object: KubeObject): KubeObject {
  const { [hashAnnotation]: hash, ...annotations } = object.metadata.annotations ?? {};
  return hash === undefined ? object : { ...object, metadata: { ...object.metadata, annotations } };
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** With what a server would fill in, and without what servers, controllers and kubectl keep for themselves. */
export function comparable(object: KubeObject): unknown {
  const { status: _status, metadata, ...rest } = defaulted(object) as KubeObject & { readonly status?: unknown };
  const { namespace, name, labels, annotations = {}, ownerReferences, finalizers } = metadata;
  const { [lastApplied]: _applied, ...own } = annotations;
  return {
    ...rest,
    metadata: {
      namespace,
      name,
      // No labels are the same as none given.
      labels: labels ?? {},
      annotations: own,
      ...(ownerReferences !== undefined && { ownerReferences }),
      ...(finalizers !== undefined && { finalizers }),
    },
  };
}

const shownMax = 80;

/** Values of Secrets are nobody's business, and long ones nobody's reading. */
function shown({ path, before, after }: Difference, kind: string): FieldChange {
  if (kind === 'Secret') return { path };
  return { path, ...textAs('before', before), ...textAs('after', after) };
}

function textAs(name: 'after' | 'before', value: unknown): Partial<FieldChange> {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return {};
  const text = String(value);
  return text.length > shownMax ? {} : { [name]: text };
}
