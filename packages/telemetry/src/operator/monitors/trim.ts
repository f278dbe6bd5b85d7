import {
  type Container,
  type CustomResourceDefinition,
  configmaps,
  customresourcedefinitions,
  type EndpointSlice,
  endpointslices,
  type InformerScope,
  ingresses,
  type KubeObject,
  namespaces,
  type Pod,
  pods,
  type ResourceType,
  resourceId,
  secrets,
  statefulsets,
} from '@signalbox/cluster';
import { podlogs } from '../../resources/pod-logs.ts';
import { podmonitors } from '../../resources/pod-monitor.ts';
import { probes } from '../../resources/probe.ts';
import { scrapeconfigs } from '../../resources/scrape-config.ts';
import { servicemonitors } from '../../resources/service-monitor.ts';

/**
 * What an operator keeps of objects, of which a cluster has very many: not who wrote which field of them, and of those of which it
 * needs little no more than that. For a process whose caches nobody else reads.
 */
export function operatorTrim(type: ResourceType): (object: KubeObject) => KubeObject {
  return trims.get(resourceId(type)) ?? withoutManagers;
}

/** What an operator asks for at all: Helm's records of releases are up to a megabyte each, and no resource can mean them. */
export function operatorScope(type: ResourceType): InformerScope | undefined {
  return resourceId(type) === resourceId(secrets) ? { fieldSelector: 'type!=helm.sh/release.v1' } : undefined;
}

/** What is only read, or of which only the status is written, does not need the text with which it was applied. */
const readOnly = [configmaps, ingresses, namespaces, podlogs, podmonitors, probes, scrapeconfigs, servicemonitors];

const trims: ReadonlyMap<string, (object: KubeObject) => KubeObject> = new Map([
  ...readOnly.map((type) => [resourceId(type), withoutOrigin] as const),
  // When a field of it was written is the server's clock, which kept shards go by (`shards/retention.ts`).
  [resourceId(statefulsets), whole],
  [resourceId(pods), (object) => trimmedPod(object as Pod)],
  [resourceId(endpointslices), (object) => trimmedSlice(object as EndpointSlice)],
  [resourceId(customresourcedefinitions), (object) => trimmedDefinition(object as CustomResourceDefinition)],
]);

function whole(object: KubeObject): KubeObject {
  return object;
}

/** Servers take their absence in an update for what they know. */
function withoutManagers(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  return managedFields === undefined ? object : Object.freeze({ ...object, metadata: Object.freeze(metadata) });
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

function withoutOrigin(given: KubeObject): KubeObject {
  const object = withoutManagers(given);
  const { annotations, ...metadata } = object.metadata;
  if (annotations?.[lastApplied] === undefined) return object;
  const { [lastApplied]: _text, ...others } = annotations;
  return Object.freeze({ ...object, metadata: Object.freeze({ ...metadata, annotations: Object.freeze(others) }) });
}

type Metadata = KubeObject['metadata'];

/** Who it is, and what it is called. */
function identity({ metadata }: KubeObject): Metadata {
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels, deletionTimestamp } = metadata;
  return Object.freeze({
    name,
    ...(namespace !== undefined && { namespace }),
    uid,
    resourceVersion,
    creationTimestamp,
    ...(labels !== undefined && { labels }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  });
}

/** The labels, ports and address. */
function trimmedPod(pod: Pod): Pod {
  const { apiVersion, kind, spec, status } = pod;
  const { phase, podIP } = status ?? {};
  return Object.freeze({
    apiVersion,
    kind,
    metadata: identity(pod),
    spec: {
      containers: spec.containers.map(ports),
      ...(spec.initContainers !== undefined && { initContainers: spec.initContainers.map(ports) }),
    },
    status: { ...(phase !== undefined && { phase }), ...(podIP !== undefined && { podIP }) },
  });
}

function ports({ name, ports: declared }: Container): Container {
  return { name, ...(declared !== undefined && { ports: declared }) };
}

/** Its ports, and of each endpoint whose it is and whether it has an address. */
function trimmedSlice(slice: EndpointSlice): EndpointSlice {
  const { apiVersion, kind, addressType, endpoints, ports: declared } = slice;
  return Object.freeze({
    apiVersion,
    kind,
    metadata: identity(slice),
    addressType,
    ...(declared !== undefined && { ports: declared }),
    endpoints: listed(endpoints).map(({ addresses, targetRef }) => ({
      addresses: addresses.slice(0, 1),
      ...(targetRef !== undefined && { targetRef }),
    })),
  });
}

/** Servers write a list with nothing in it as null. */
function listed<T>(items: readonly T[] | null): readonly T[] {
  return items ?? [];
}

/** Which versions have a status, and what stands in it by name; not what all their fields are, which is most of it. */
function trimmedDefinition(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { apiVersion, kind, spec, status } = definition;
  const { group, names, scope, versions } = spec;
  return Object.freeze({
    apiVersion,
    kind,
    metadata: identity(definition),
    spec: {
      group,
      names,
      scope,
      versions: versions.map(({ name, served, storage, subresources, schema }) => ({
        name,
        served,
        storage,
        ...(subresources !== undefined && { subresources }),
        schema: { openAPIV3Schema: { properties: { status: { properties: statusFields(schema) } } } },
      })),
    },
    status,
  });
}

type Schema = CustomResourceDefinition['spec']['versions'][number]['schema'];

function statusFields(schema: Schema): Readonly<Record<string, object>> {
  const { properties = {} } = (schema?.openAPIV3Schema?.properties?.['status'] ?? {}) as {
    readonly properties?: Readonly<Record<string, unknown>>;
  };
  return Object.fromEntries(Object.keys(properties).map((name) => [name, {}]));
}
