import type { KubeObject } from './meta.ts';

/** Names one served collection: what stands in a request's path. */
export interface GroupVersionResource {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, e.g. `daemonsets`. */
  readonly resource: string;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource as clients know it; `T` is the type of its objects. */
export interface ResourceType<T extends KubeObject = KubeObject> extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never set: carries `T` for the compiler. */
  readonly objectType?: T;
}

/**
 * Names a resource for clients, caches and controllers. For kinds of one's own:
 *
 *     interface Widget extends KubeObject { readonly spec: { readonly size: number } }
 *     const widgets = resourceType<Widget>({
 *       group: 'example.com', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true,
 *     });
 */
export function resourceType<T extends KubeObject>(
  names: GroupVersionResource & { readonly kind: string; readonly namespaced: boolean },
): ResourceType<T> {
  const { group, version, resource, kind, namespaced } = names;
  return Object.freeze({ group, version, resource, kind, namespaced });
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The inverse of {@link apiVersionOf}. `v1` belongs to the core group. */
export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `daemonsets.apps`, or `pods` for the core group: how people and messages name a resource. */
export function resourceName({ group, resource }: { readonly group: string; readonly resource: string }): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** Whether two names mean one resource, in whichever version. The resource alone says nothing: groups share names. */
export function isSameResource(
  a: { readonly group: string; readonly resource: string },
  b: { readonly group: string; readonly resource: string },
): boolean {
  return a.resource === b.resource && a.group === b.group;
}

/** Whether an object, or a reference to one, is of this resource's kind, in whichever version. */
export function isOfKind(
  { apiVersion = '', kind }: { readonly apiVersion?: string | undefined; readonly kind?: string | undefined },
  type: { readonly group: string; readonly kind: string },
): boolean {
  return kind === type.kind && parseApiVersion(apiVersion).group === type.group;
}

/** One string per collection and version, for maps. */
export function resourceId({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}/${resource}`;
}
