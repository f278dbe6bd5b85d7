import type { APIGroup, APIGroupList, APIResource, APIResourceList, APIVersions } from '../../api/generated/meta-v1.ts';
import { apiVersionOf } from '../../api/gvk.ts';
import type { Subresource } from '../../resources/resource.ts';
import type { ApiPlace, OtherApi } from '../context/other-apis.ts';
import type { Served } from '../context/registry.ts';
import { otherAggregated, otherAt, otherResourceList, withOthers } from './others.ts';
import { storageVersionHash } from './storage-version.ts';

/** What discovery speaks of: what is served here, and what is answered elsewhere. */
export interface Catalogue {
  readonly served: readonly Served[];
  readonly others: readonly OtherApi[];
}

/** Discovery documents, made from what there is. Pure. */
export function coreVersions(serverAddress: string): APIVersions {
  return {
    kind: 'APIVersions',
    apiVersion: 'v1',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

export function groupList(catalogue: Catalogue): APIGroupList {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groupsOf(catalogue).map(({ group, versions }) => groupFacts(group, versions)),
  };
}

export function groupDocument(catalogue: Catalogue, group: string): APIGroup | undefined {
  const found = groupsOf(catalogue).find((each) => each.group === group);
  return found === undefined ? undefined : groupFacts(found.group, found.versions);
}

function groupFacts(name: string, versions: readonly string[]): APIGroup {
  const all = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  const [preferredVersion] = all;
  return {
    kind: 'APIGroup',
    apiVersion: 'v1',
    name,
    versions: all,
    ...(preferredVersion !== undefined && { preferredVersion }),
  };
}

export interface Group {
  readonly group: string;
  /** The preferred one first. */
  readonly versions: readonly string[];
}

/** The named groups in the order of their first resource. */
export function groupsOf({ served, others }: Catalogue): readonly Group[] {
  const versions = new Map<string, Set<string>>();
  for (const { definition } of served) {
    if (definition.group === '') continue;
    const known = versions.get(definition.group) ?? new Set();
    versions.set(definition.group, known.add(definition.version));
  }
  const own = [...versions].map(([group, known]) => ({ group, versions: [...known].sort(byMaturity) }));
  return withOthers(own, others);
}

/** What `kubectl get --raw /` lists of the API; what else is served adds itself. */
export function rootPaths(catalogue: Catalogue): { readonly paths: readonly string[] } {
  const groups = groupsOf(catalogue).flatMap(({ group, versions }) => [
    `/apis/${group}`,
    ...versions.map((version) => `/apis/${group}/${version}`),
  ]);
  const fixed = ['/api', '/api/v1', '/apis', '/openapi/v2', '/openapi/v3', '/version'];
  return { paths: [...fixed, ...groups].sort() };
}

/** `v2` before `v1` before `v1beta2` before `v1alpha1` before anything else. */
export function byMaturity(a: string, b: string): number {
  const [left, right] = [maturity(a), maturity(b)];
  for (const [index, value] of left.entries()) {
    const difference = (right[index] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function maturity(version: string): readonly number[] {
  const parts = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (parts === null) return [0, 0, 0];
  const [, major, stage, minor] = parts;
  return [stage === undefined ? 3 : stage === 'beta' ? 2 : 1, Number(major), Number(minor ?? 0)];
}

export function resourceList(
  { served, others }: Catalogue,
  { group, version }: { readonly group: string; readonly version: string },
): APIResourceList | undefined {
  const other = otherAt(others, { group, version });
  if (other !== undefined) return otherResourceList(other);
  const inVersion = served.filter(({ definition }) => definition.group === group && definition.version === version);
  if (inVersion.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf({ group, version }),
    resources: inVersion.flatMap(resourcesOf),
  };
}

function resourcesOf(served: Served): readonly APIResource[] {
  const { definition, traits } = served;
  const { resource, singular, namespaced, kind, shortNames, categories } = definition;
  const hash = storageVersionHash(served);
  return [
    {
      name: resource,
      singularName: singular,
      namespaced,
      kind,
      verbs: traits.verbs,
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
      ...(hash !== undefined && { storageVersionHash: hash }),
    },
    ...doorsOf(served).map(({ name, kind: shown, verbs }) => ({
      name: `${resource}/${name}`,
      singularName: '',
      namespaced,
      ...((shown.group !== definition.group || shown.version !== definition.version) && {
        group: shown.group,
        version: shown.version,
      }),
      kind: shown.kind,
      verbs,
    })),
  ];
}

/** Sorted, and so are their verbs, as upstream lists them. */
function doorsOf({ subresources }: Served): readonly Pick<Subresource, 'name' | 'kind' | 'verbs'>[] {
  return [...subresources.values()]
    .map(({ name, kind, verbs }) => ({ name, kind, verbs: [...verbs].sort() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Everything in one answer: `/api` for the core group, `/apis` for the others. */
export function aggregated(
  catalogue: Catalogue,
  { root, version }: { readonly root: 'api' | 'apis'; readonly version: 'v2' | 'v2beta1' },
): object {
  const groups = root === 'api' ? [{ group: '', versions: ['v1'] }] : groupsOf(catalogue);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: { ...(group !== '' && { name: group }), creationTimestamp: null },
      versions: versions.map((each) => ({
        version: each,
        resources: aggregatedResources(catalogue, { group, version: each }),
        freshness: freshnessOf(catalogue, { group, version: each }),
      })),
    })),
  };
}

function aggregatedResources(
  { served, others }: Catalogue,
  { group, version }: { readonly group: string; readonly version: string },
): readonly object[] {
  const other = otherAt(others, { group, version });
  if (other !== undefined) return otherAggregated(other);
  return served
    .filter(({ definition }) => definition.group === group && definition.version === version)
    .map(aggregatedResource);
}

/** Whoever cannot be asked may have changed. */
function freshnessOf({ others }: Catalogue, at: ApiPlace): 'Current' | 'Stale' {
  const other = otherAt(others, at);
  return other !== undefined && other.resources() === undefined ? 'Stale' : 'Current';
}

function aggregatedResource(served: Served): object {
  const { definition, traits } = served;
  const { group, version, kind, resource, singular, namespaced, shortNames, categories } = definition;
  const doors = doorsOf(served);
  return {
    resource,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: traits.verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(doors.length > 0 && {
      subresources: doors.map(({ name, kind: shown, verbs }) => ({
        subresource: name,
        responseKind: { group: shown.group, version: shown.version, kind: shown.kind },
        verbs,
      })),
    }),
  };
}
