import { createHash } from 'node:crypto';
import { formatExactJson } from '../../base/exact-json.ts';
import { apiVersionOf, type GroupVersionKind } from '../gvk.ts';
import type { JsonObject } from '../record.ts';
import { componentsFor, schemaName } from './components.ts';
import { type PathItem, pathsOf } from './paths.ts';
import { toVersion2 } from './v2.ts';

/** A resource as the OpenAPI documents present it. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  /** The plural, e.g. `daemonsets`. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verbs: readonly string[];
  readonly subresources: readonly ServedSubresource[];
  /** Name of a built-in definition, or the schema of a custom resource. */
  readonly schema: string | JsonObject;
  /** What a field selector may name of a custom resource, as paths without the leading dot. */
  readonly selectableFields?: readonly string[];
}

export interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** What goes over the wire. */
  readonly kind: GroupVersionKind;
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** `GET /openapi/v3`: where the document of each group and version is. The hash changes when the document would. */
export function openApiV3Index(resources: readonly ServedResource[], serverVersion: string): JsonObject {
  const paths: Record<string, { readonly serverRelativeURL: string }> = {};
  for (const [path, served] of byPath(resources)) {
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(served, serverVersion)}` };
  }
  return { paths };
}

/**
 * `GET /openapi/v3/<path>`, the path as the index names it, e.g. `apis/apps/v1`: undefined when nothing of that group and
 * version is served.
 */
export function openApiV3(
  resources: readonly ServedResource[],
  { path, serverVersion }: { readonly path: string; readonly serverVersion: string },
): JsonObject | undefined {
  const served = byPath(resources).get(path);
  if (served === undefined) return undefined;
  return {
    openapi: '3.0.0',
    info: infoOf(serverVersion),
    paths: pathsIn(served),
    components: {
      schemas: componentsFor(served),
      securitySchemes: { BearerToken: { type: 'apiKey', in: 'header', name: 'authorization' } },
    },
  };
}

/** `GET /openapi/v2`: one document for everything, in the older dialect. */
export function openApiV2(resources: readonly ServedResource[], serverVersion: string): JsonObject {
  return toVersion2({ info: infoOf(serverVersion), paths: pathsIn(resources), schemas: componentsFor(resources) });
}

function infoOf(version: string): JsonObject {
  return { title: 'Kubernetes', version };
}

/** `api/v1` or `apis/apps/v1`: how the index names a document. */
function openApiPath(at: GroupVersion): string {
  return `${at.group === '' ? 'api' : 'apis'}/${apiVersionOf(at)}`;
}

function byPath(resources: readonly ServedResource[]): ReadonlyMap<string, readonly ServedResource[]> {
  const grouped = new Map<string, ServedResource[]>();
  for (const resource of [...resources].sort(byName)) {
    const path = openApiPath(resource);
    const known = grouped.get(path);
    if (known === undefined) grouped.set(path, [resource]);
    else known.push(resource);
  }
  return grouped;
}

function byName(a: ServedResource, b: ServedResource): number {
  const [left, right] = [`${openApiPath(a)}/${a.resource}`, `${openApiPath(b)}/${b.resource}`];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Built-in definitions never change while the process runs, so the list of resources stands for the document. */
function hashOf(served: readonly ServedResource[], serverVersion: string): string {
  return createHash('sha256')
    .update(formatExactJson([serverVersion, served]))
    .digest('hex')
    .slice(0, 32)
    .toUpperCase();
}

function pathsIn(resources: readonly ServedResource[]): Readonly<Record<string, PathItem>> {
  return Object.assign({}, ...resources.map((resource) => pathsOf(resource, schemaName(resource)))) as Readonly<
    Record<string, PathItem>
  >;
}
