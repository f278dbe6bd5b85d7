/** What a definition makes of an object, as lines to compare. For tests. */
import { apiVersionOf } from '../../api/gvk.ts';
import { type Issue, root } from '../../api/issue.ts';
import type { KubeObject, ObjectMeta } from '../../api/meta.ts';
import { freeze } from '../../base/freeze.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { validateMetadata, validateMetadataUpdate } from '../../resources/validation/metadata.ts';

export type Body = Readonly<Record<string, unknown>> & { readonly metadata?: ObjectMeta };

/** An object of the definition's kind as the server hands it on: complete metadata, nothing defaulted. */
export function made<T extends KubeObject>(definition: ResourceDefinition<T>, body: Body): T {
  return freeze({
    apiVersion: apiVersionOf(definition),
    kind: definition.kind,
    ...body,
    metadata: {
      name: 'web',
      ...(definition.namespaced && { namespace: 'default' }),
      uid: 'u1',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...body.metadata,
    },
  }) as unknown as T;
}

/** The object as a create would store it. */
export function created<T extends KubeObject>(definition: ResourceDefinition<T>, body: Body): T {
  const object = made(definition, body);
  const defaulted = definition.defaults?.(object) ?? object;
  return freeze(definition.prepareForCreate?.(defaulted, { nowMs: 0 }) ?? defaulted);
}

/** The object as an update of `current` would store it. */
export function updated<T extends KubeObject>(definition: ResourceDefinition<T>, current: T, body: Body): T {
  const object = made(definition, { status: (current as { status?: unknown }).status, ...body });
  const defaulted = definition.defaults?.(object) ?? object;
  return freeze(definition.prepareForUpdate?.(defaulted, current) ?? defaulted);
}

/** Issues of a create, as `field: message`. */
export function createIssues<T extends KubeObject>(definition: ResourceDefinition<T>, body: Body): readonly string[] {
  const object = created(definition, body);
  const rules = { namespaced: definition.namespaced, validateName: definition.validateName };
  return lines([
    ...validateMetadata(object.metadata, root('metadata'), rules),
    ...(definition.validate?.(object, root) ?? []),
    ...(definition.validateCreate?.(object, root) ?? []),
  ]);
}

/** Issues of an update of what `before` was stored as. */
export function updateIssues<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  { before, after, status }: { readonly before: Body; readonly after: Body; readonly status?: unknown },
): readonly string[] {
  const stored = created(definition, before);
  const current = status === undefined ? stored : freeze({ ...stored, status });
  const next = updated(definition, current, after);
  return lines([
    ...validateMetadataUpdate(next.metadata, current.metadata, root('metadata'), { namespaced: definition.namespaced }),
    ...(definition.validate?.(next, root) ?? []),
    ...(definition.validateUpdate?.(next, current, root) ?? []),
  ]);
}

/** The cells of `kubectl get`, wide ones included, by column name. */
export function row<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  body: Body,
  nowMs: number = Date.UTC(2026, 0, 1, 0, 5),
): Readonly<Record<string, string | number | bigint | boolean>> {
  const object = made(definition, body);
  return Object.fromEntries(definition.columns.map(({ name, of }) => [name, of(object, nowMs)]));
}

export function lines(issues: Iterable<Issue>): readonly string[] {
  return [...issues].map(({ field, message }) => `${field}: ${message}`);
}
