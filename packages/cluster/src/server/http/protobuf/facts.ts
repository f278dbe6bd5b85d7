/** What is known of the messages of Kubernetes' protobuf form: the generated table, and what its types mean. */
import { protobufMessagesJson } from './generated/protobuf-messages.ts';

/** The first four bytes of an object. */
export const magic: Buffer = Buffer.from('k8s\0');
export const schemaMessage = 'apiextensions/v1.JSONSchemaProps';

/** Number, JSON name, type, flags: r repeated, m map, n inline, z keeps its zero value. */
export type FieldFact = readonly [number: number, name: string, type: string, flags: string];
type Facts = ReadonlyMap<string, ReadonlyMap<number, FieldFact>>;

let loaded: Facts | undefined;

/** Parsed on first use: most servers never see protobuf. */
function facts(): Facts {
  loaded ??= new Map(
    Object.entries(JSON.parse(protobufMessagesJson) as Readonly<Record<string, readonly FieldFact[]>>).map(
      ([name, fields]) => [name, new Map(fields.map((field) => [field[0], field]))],
    ),
  );
  return loaded;
}

export function fieldsOfMessage(message: string): ReadonlyMap<number, FieldFact> | undefined {
  return facts().get(message);
}

/** Its package is called `core`. */
const coreGroup = '';

/** The groups of Kubernetes itself: a custom resource may have a group that only begins as one of them. */
const groups: ReadonlySet<string> = new Set([
  ...[coreGroup, 'apps', 'autoscaling', 'batch', 'policy', 'admissionregistration.k8s.io', 'apiextensions.k8s.io'],
  ...['apiregistration.k8s.io', 'authentication.k8s.io', 'authorization.k8s.io', 'certificates.k8s.io'],
  ...['coordination.k8s.io', 'discovery.k8s.io', 'events.k8s.io', 'flowcontrol.apiserver.k8s.io', 'metrics.k8s.io'],
  ...['networking.k8s.io', 'node.k8s.io', 'rbac.authorization.k8s.io', 'resource.k8s.io', 'scheduling.k8s.io'],
  'storage.k8s.io',
]);

/** What every group has besides its own kinds, and what has a group of its own that is no group of the API. */
const everywhere: ReadonlySet<string> = new Set(
  ['DeleteOptions', 'Status', 'APIVersions', 'APIGroup', 'APIGroupList'].concat([
    'APIResourceList',
    'PartialObjectMetadata',
  ]),
);

const known = new Map<string, string | undefined>();

/** `rbac.authorization.k8s.io/v1 Role` is described in the package `rbac/v1`; options of requests in `meta/v1`. */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  const id = `${apiVersion} ${kind}`;
  if (known.has(id)) return known.get(id);
  const message = findMessage(apiVersion, kind);
  // What clients make up is not remembered.
  if (message !== undefined) known.set(id, message);
  return message;
}

function findMessage(apiVersion: string, kind: string): string | undefined {
  if (everywhere.has(kind)) return `meta/v1.${kind}`;
  const parts = apiVersion.split('/');
  const [group, version] = parts.length === 1 ? [coreGroup, apiVersion] : [parts[0] ?? '', parts[1] ?? ''];
  if (!groups.has(group)) return undefined;
  const message = `${group === coreGroup ? 'core' : group.split('.', 1)[0]}/${version}.${kind}`;
  return facts().has(message) ? message : undefined;
}
