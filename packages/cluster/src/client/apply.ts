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
import { ifFound, isStatusError } from '../api/status.ts';
import { equal } from '../base/equal.ts';
import { parseExactJson } from '../base/exact-json.ts';
import type { Client } from './client.ts';
import type { Waiting } from './transport.ts';

export type Applied = 'created' | 'configured' | 'unchanged';

type Tree = Readonly<Record<string, unknown>>;

/**
 * Declares an object the way `kubectl apply` does: creates it, or changes the fields that it names and removes those that
 * the previous declaration named and this one does not. Fields that others set stay. Lists are replaced as a whole.
 */
export async function applyObject(client: Client, object: New<KubeObject>, applying: Applying): Promise<Applied> {
  const declared = withLastApplied(object);
  const { type, signal } = applying;
  const { namespace, name = '' } = declared.metadata;
  const writing = { signal, fieldValidation: 'Strict' } as const;
  for (let tries = 1; ; tries++) {
    const live = await ifFound(client.get(type, { namespace, name, signal }));
    if (live !== undefined) {
      const body = planApply(declared, live);
      if (body === undefined) return 'unchanged';
      const after = await ifFound(client.patch(type, { namespace, name, patchType: 'merge', body, ...writing }));
      if (after !== undefined) return isSameVersion(after, live) ? 'unchanged' : 'configured';
    }
    try {
      await client.create(type, declared, writing);
      return 'created';
    } catch (error) {
      // Somebody else created it meanwhile, as two operators do that install their definitions at once.
      if (!isStatusError(error, 'AlreadyExists') || tries >= triesMax) throw error;
    }
  }
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
