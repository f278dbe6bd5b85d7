import { fieldStep } from '../api/apply/element.ts';
import { type FieldSet, noFields, union } from '../api/apply/field-set.ts';
import { type Owner, type Owners, owner, withoutStripped } from '../api/apply/managers.ts';
import {
  configmaps,
  customresourcedefinitions,
  namespaces,
  priorityclasses,
  secrets,
  serviceaccounts,
  services,
  storageclasses,
} from '../api/generated/kinds.ts';
import { apiVersionOf, isOfKind, type ResourceType } from '../api/gvk.ts';
import { goJson, lastAppliedAnnotation } from '../api/last-applied.ts';
import type { KubeObject, New } from '../api/meta.ts';
import { ifFound } from '../api/status.ts';
import { equal } from '../base/equal.ts';
import { parseExactJson } from '../base/exact-json.ts';
import type { Client } from './client.ts';
import type { Waiting } from './transport.ts';

export type Applied = 'created' | 'configured' | 'unchanged';

type Tree = Readonly<Record<string, unknown>>;

/** By which name what is declared here is owned. */
const manager = 'signalbox';
/** Who set the same fields before, when this and `kubectl apply` compared on the client's side. */
const formerManagers: readonly string[] = [manager, 'kubectl-client-side-apply'];

/**
 * Declares an object: creates it, or sets the fields that it names and removes those that the previous declaration named and this
 * one does not, by server-side apply. What others set of these is overruled; what else they set stays.
 */
export async function applyObject(client: Client, object: New<KubeObject>, applying: Applying): Promise<Applied> {
  const { type, signal } = applying;
  const { namespace, name = '' } = object.metadata;
  for (let tries = 1; ; tries++) {
    const live = await ifFound(client.get(type, { namespace, name, signal }));
    const before = live === undefined ? undefined : await takenOver(client, live, applying);
    const { code, object: after } = await client.transport.perform(
      {
        ...{
          verb: 'patch',
          patchType: 'apply',
          resource: type,
          user: client.user,
          name,
          body: withoutLastApplied(object),
        },
        ...(namespace !== undefined && { namespace }),
        options: { fieldManager: manager, force: true, fieldValidation: 'Strict' },
      },
      { signal },
    );
    if (code === 201) return 'created';
    // Somebody else created it meanwhile, as two operators do that install their definitions at once.
    if (before === undefined && tries < triesMax) continue;
    return before !== undefined && isSameVersion(after as KubeObject, before) ? 'unchanged' : 'configured';
  }
}

/**
 * The object as it is once what was declared before server-side apply is owned as if it had been applied so: else what is no longer
 * declared would stay. `kubectl` does the same when it goes over. A conflict means that somebody else is at it.
 */
async function takenOver(client: Client, live: KubeObject, { type, signal }: Applying): Promise<KubeObject> {
  const managedFields = planTakeover(live);
  if (managedFields === undefined) return live;
  const { namespace, name, resourceVersion } = live.metadata;
  const body = { metadata: { resourceVersion, managedFields } };
  return client.patch(type, { namespace, name, patchType: 'merge', body, fieldManager: manager, signal });
}

/** The owners with what was declared by hand as applied; undefined when nothing was. Pure. */
export function planTakeover(live: KubeObject): Owners | undefined {
  const { metadata } = live;
  if (metadata.annotations?.[lastAppliedAnnotation] === undefined) return undefined;
  const owners = (metadata.managedFields ?? []) as Owners;
  if (owners.length === 0) return [declaredBefore(live)];
  const isFormer = ({ manager: by, operation, subresource }: Owner): boolean =>
    operation === 'Update' && subresource === undefined && formerManagers.includes(by);
  const former = owners.filter(isFormer);
  const [last] = former.slice(-1);
  if (last === undefined) return undefined;
  const isMine = (each: Owner): boolean => each.operation === 'Apply' && each.manager === manager;
  const { apiVersion } = last;
  const fields = [...owners.filter(isMine), ...former.filter((each) => each.apiVersion === apiVersion)]
    .map(({ fieldsV1 }) => fieldsV1)
    .reduce(union, noFields);
  const mine = owner({ manager, operation: 'Apply', apiVersion }, fields, last.time);
  return [...owners.filter((each) => !isFormer(each) && !isMine(each)), mine];
}

/** Of an object from before owners were noted. A list counts as one: what its elements are known by stands in no declaration. */
function declaredBefore(live: KubeObject): Owner {
  const fields = withoutStripped(roughFieldsOf(parseLastApplied(live)));
  return owner({ manager, operation: 'Apply', apiVersion: live.apiVersion }, fields, undefined);
}

function roughFieldsOf(value: unknown): FieldSet {
  if (!isTree(value)) return noFields;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [fieldStep(name), roughFieldsOf(inner)]));
}

const triesMax = 3;

export type Applying = Waiting & { readonly type: ResourceType };

function isSameVersion(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion;
}

/** The merge patch that turns `live` into what `declared` says; undefined when it says so already. Pure. */
export function planApply(declared: New<KubeObject>, live: KubeObject): Tree | undefined {
  const before = parseLastApplied(live);
  const patch = difference({ before, declared: declared as unknown as Tree, live: live as unknown as Tree });
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** The declaration with itself in kubectl's annotation, in kubectl's very letters. Pure. */
export function withLastApplied(object: New<KubeObject>): New<KubeObject> {
  const { [lastAppliedAnnotation]: _, ...annotations } = object.metadata.annotations ?? {};
  const bare = { ...object, metadata: { ...object.metadata, annotations } };
  const text = goJson(bare);
  return { ...bare, metadata: { ...bare.metadata, annotations: { ...annotations, [lastAppliedAnnotation]: text } } };
}

function withoutLastApplied(object: New<KubeObject>): New<KubeObject> {
  const { [lastAppliedAnnotation]: given, ...annotations } = object.metadata.annotations ?? {};
  return given === undefined ? object : { ...object, metadata: { ...object.metadata, annotations } };
}

function parseLastApplied(live: KubeObject): Tree {
  try {
    return parseExactJson(live.metadata.annotations?.[lastAppliedAnnotation] ?? '{}') as Tree;
  } catch {
    // Someone edited the annotation by hand. Then nothing is known to be ours to remove.
    return {};
  }
}

interface Sides {
  readonly before: Tree;
  readonly declared: Tree;
  readonly live: Tree;
}

function difference({ before, declared, live }: Sides): Tree {
  const removed = Object.keys(before).filter((key) => !(key in declared) && key in live);
  const patch: Record<string, unknown> = Object.fromEntries(removed.map((key) => [key, null]));
  for (const [key, value] of Object.entries(declared)) {
    const current = live[key];
    if (isTree(value) && isTree(current)) {
      const inner = difference({ before: treeAt(before, key), declared: value, live: current });
      if (Object.keys(inner).length > 0) patch[key] = inner;
    } else if (!equal(value, current)) patch[key] = value;
  }
  return patch;
}

function treeAt(tree: Tree, key: string): Tree {
  const value = tree[key];
  return isTree(value) ? value : {};
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What others need comes first, as `helm install` orders it; the rest keeps its order. */
const firstTypes: readonly ResourceType[] = [
  namespaces,
  customresourcedefinitions,
  priorityclasses,
  storageclasses,
  serviceaccounts,
  secrets,
  configmaps,
  services,
] as readonly ResourceType[];

export function inInstallOrder<T extends { readonly apiVersion: string; readonly kind: string }>(
  objects: readonly T[],
): readonly T[] {
  const rank = (object: T): number => {
    const index = firstTypes.findIndex((type) => isOfKind(object, type));
    return index < 0 ? firstTypes.length : index;
  };
  return [...objects].sort((a, b) => rank(a) - rank(b));
}

/** Finds the resource of an object among those that an API serves. */
export function typeOfObject(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  served: readonly ResourceType[],
): ResourceType | undefined {
  return served.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);
}
