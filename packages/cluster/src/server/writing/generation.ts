import type { KubeObject } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import type { Served } from '../context/registry.ts';

/** `metadata.generation` of the object after a change: one more when what the user wants has changed. */
export function generationAfter(served: Served, next: KubeObject, current: KubeObject): number | undefined {
  const { generation } = current.metadata;
  if (!served.traits.counted || served.traits.countedOnce) return generation;
  return desiredChanged(served, next, current) ? (generation ?? 0) + 1 : generation;
}

function desiredChanged({ definition, traits }: Served, next: KubeObject, current: KubeObject): boolean {
  if (traits.countsAnnotations && !equal(next.metadata.annotations ?? {}, current.metadata.annotations ?? {}))
    return true;
  if (traits.countsLabels && !equal(next.metadata.labels ?? {}, current.metadata.labels ?? {})) return true;
  const before = current as unknown as Readonly<Record<string, unknown>>;
  const after = next as unknown as Readonly<Record<string, unknown>>;
  const ignored = (field: string): boolean =>
    field === 'metadata' || field === 'apiVersion' || field === 'kind' || (field === 'status' && definition.hasStatus);
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (!ignored(field) && !equal(before[field], after[field]) && !areNothing(before[field], after[field])) return true;
  return false;
}

/** No list, and one with nothing in it. */
function areNothing(some: unknown, other: unknown): boolean {
  return [some, other].every((value) => value === undefined || (Array.isArray(value) && value.length === 0));
}

export function withGeneration<T extends KubeObject>(object: T, generation: number | undefined): T {
  if (object.metadata.generation === generation) return object;
  const { generation: _old, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(generation !== undefined && { generation }) } };
}
