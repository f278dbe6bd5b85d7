import { openApiV2, openApiV3, openApiV3Index, type ServedResource } from '../../api/openapi/documents.ts';
import type { OtherApis } from '../context/other-apis.ts';
import type { Registry, Served } from '../context/registry.ts';
import type { DocumentRequest } from '../context/served-api.ts';
import { aggregated, coreVersions, groupDocument, groupList, resourceList, rootPaths } from './discovery.ts';
import { otherDocument, withOtherDocuments } from './other-documents.ts';

/** What `/version` says about the API that is spoken here. */
export interface VersionFacts {
  readonly gitVersion: string;
  readonly platform: string;
}

export interface DocumentsOptions {
  readonly registry: Registry;
  readonly others: OtherApis;
  readonly version: VersionFacts;
  /** Where clients are told to find the server. */
  readonly serverAddress: () => string;
}

/** Documents about the API. The same object comes back until what is served changes. */
export function createDocuments({
  registry,
  others,
  version,
  serverAddress,
}: DocumentsOptions): (request: DocumentRequest) => object | undefined {
  let edition: string | undefined;
  let listed: readonly unknown[] = [];
  const made = new Map<string, object | undefined>();
  return (request) => {
    const now = `${registry.edition()}|${serverAddress()}`;
    const elsewhere = editionOf(others);
    if (now !== edition || !isSame(elsewhere, listed)) made.clear();
    [edition, listed] = [now, elsewhere];
    const id = JSON.stringify(request);
    if (!made.has(id)) {
      const document = documentOf(request, { registry, others, version, address: serverAddress() });
      // What was asked for and does not exist is not worth remembering, and could be anything.
      if (document === undefined) return undefined;
      made.set(id, document);
    }
    return made.get(id);
  };
}

/** What is answered elsewhere changes when another array comes back. */
function editionOf(others: OtherApis): readonly unknown[] {
  const all = others.all();
  return [all, ...all.flatMap((other) => [other.resources(), other.openApi?.()])];
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((each, index) => each === others[index]);
}

interface Facts {
  readonly registry: Registry;
  readonly others: OtherApis;
  readonly version: VersionFacts;
  readonly address: string;
}

function documentOf(request: DocumentRequest, { registry, others, version, address }: Facts): object | undefined {
  const served = registry.all().filter(({ definition }) => others.find(definition) === undefined);
  const catalogue = { served, others: others.all() };
  switch (request.what) {
    case 'version':
      return versionDocument(version);
    case 'paths':
      return rootPaths(catalogue);
    case 'coreVersions':
      return coreVersions(address);
    case 'groups':
      return groupList(catalogue);
    case 'group':
      return groupDocument(catalogue, request.group);
    case 'resources':
      return resourceList(catalogue, request);
    case 'aggregated':
      return aggregated(catalogue, request);
    case 'openapi2':
      return openApiV2(served.map(presented), version.gitVersion);
    case 'openapi3Index':
      return withOtherDocuments(openApiV3Index(served.map(presented), version.gitVersion), catalogue.others);
    case 'openapi3':
      return (
        otherDocument(catalogue.others, request.path) ??
        openApiV3(served.map(presented), { path: request.path, serverVersion: version.gitVersion })
      );
    default:
      return request satisfies never;
  }
}

function presented({ definition, traits, subresources }: Served): ServedResource {
  const { group, version, resource, kind, namespaced, schema } = definition;
  const own = { group, version, kind };
  // A log is text: the documents here describe objects.
  const doors = [...subresources.values()].filter(({ does }) => does !== 'log');
  // Upstream's documents name those of custom resources alone.
  const selectableFields = typeof schema === 'string' ? [] : definition.selectableFields.map(({ path }) => path);
  return { ...own, resource, namespaced, schema, selectableFields, verbs: traits.verbs, subresources: doors };
}

function versionDocument({ gitVersion, platform }: VersionFacts): object {
  const [major = '1', minor = '34'] = gitVersion.replace(/^v/, '').split('.');
  return {
    major,
    minor,
    // Nothing older is stood in for, and what the release before wrote is read.
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: `${Number(minor) - 1}`,
    gitVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'none',
    compiler: 'none',
    platform,
  };
}
