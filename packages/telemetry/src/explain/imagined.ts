import {
  addressTypesOf,
  compileSelector,
  type DaemonSet,
  type Deployment,
  type EndpointSlice,
  endpointGroups,
  type KubeObject,
  keyOf,
  type Pod,
  type Service,
  type StatefulSet,
  serviceSelector,
} from '@signalbox/cluster';
import { serviceNameLabel } from '../scrape/pod-ports.ts';
import { isWorkload } from '../world/workload.ts';
import { byNamespaceAndName } from '../world/world.ts';

/*
 * Manifests say what is wanted, not what runs: pods without a status, workloads without pods, Services without endpoints.
 * What a cluster would make of them is added, so that discovery has something to find. Addresses are made up, from the
 * range that is set aside for examples.
 */

/** Carried by what no manifest holds. */
export const imaginedAnnotation = 'signalbox.dev/imagined';

/** The objects with what a cluster would add. Pods that have a status, and Services that have endpoints, stay as they are. */
export function withImagined(
  objects: readonly KubeObject[],
  addressOf: (pod: Pod) => string = imaginedAddresses(),
): readonly KubeObject[] {
  const placed = objects.map(inNamespace);
  const pods = placed.filter(isPod).map((pod) => (hasStatus(pod) ? pod : running(pod, addressOf(pod))));
  const lonely = placed.filter(isWorkload).filter((each) => !pods.some((pod) => matches(each, pod)));
  const imagined = lonely
    .sort(byNamespaceAndName)
    .map(podOf)
    .map((pod) => running(pod, addressOf(pod)));
  const all = [...pods, ...imagined];
  const others = placed.filter((object) => !isPod(object) && !isEndpoints(object));
  const given = placed.filter(isEndpoints).flatMap(slicesOfEndpoints);
  const known = new Set([...given, ...placed.filter(isSlice)].map(serviceKey));
  const services = placed.filter(isService).filter((service) => !known.has(serviceKeyOf(service)));
  return [...others, ...all, ...given, ...services.flatMap((service) => slicesOf(service, all))];
}

/** A server would put it there. */
function inNamespace(object: KubeObject): KubeObject {
  const isOurs = isPod(object) || isService(object) || isSlice(object) || isEndpoints(object) || isWorkload(object);
  if (!isOurs || object.metadata.namespace !== undefined) return object;
  return { ...object, metadata: { ...object.metadata, namespace: 'default' } };
}

type Workload = DaemonSet | Deployment | StatefulSet;

function* sequence(): Generator<string> {
  for (let number = 1; ; number++) yield `192.0.2.${number % 256}`;
}

/** A pod that is asked for again, in another state of the same manifests, has the same address. */
export function imaginedAddresses(): (pod: Pod) => string {
  const all = sequence();
  const known = new Map<string, string>();
  return (pod) => {
    const address = known.get(keyOf(pod)) ?? String(all.next().value);
    known.set(keyOf(pod), address);
    return address;
  };
}

function isPod(object: KubeObject): object is Pod {
  return object.apiVersion === 'v1' && object.kind === 'Pod';
}

function isService(object: KubeObject): object is Service {
  return object.apiVersion === 'v1' && object.kind === 'Service';
}

function isSlice(object: KubeObject): object is EndpointSlice {
  return object.apiVersion === 'discovery.k8s.io/v1' && object.kind === 'EndpointSlice';
}

interface EndpointsObject extends KubeObject {
  readonly subsets?: readonly {
    readonly addresses?: readonly EndpointAddress[];
    readonly notReadyAddresses?: readonly EndpointAddress[];
    readonly ports?: EndpointSlice['ports'];
  }[];
}

interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: EndpointSlice['endpoints'][number]['targetRef'];
}

function isEndpoints(object: KubeObject): object is EndpointsObject {
  return object.apiVersion === 'v1' && object.kind === 'Endpoints';
}

function hasStatus({ status }: { readonly status?: Pod['status'] }): boolean {
  return status !== undefined && Object.keys(status).length > 0;
}

function running(pod: Pod, ip: string): Pod {
  return {
    ...pod,
    status: {
      phase: 'Running',
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '' }],
    } as unknown as Pod['status'],
    metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [imaginedAnnotation]: 'true' } },
  };
}

function matches(workload: Workload, { metadata }: Pod): boolean {
  if (metadata.namespace !== workload.metadata.namespace) return false;
  const { selector } = workload.spec;
  return selector !== undefined && compileSelector(selector)(metadata.labels ?? {});
}

/** One stands for all. */
function podOf(workload: Workload): Pod {
  const { namespace = '', name } = workload.metadata;
  const { metadata = {}, spec } = workload.spec.template;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      namespace,
      name: workload.kind === 'StatefulSet' ? `${name}-0` : `${name}-x`,
      uid: '',
      resourceVersion: '',
      creationTimestamp: '',
    },
    spec: spec ?? { containers: [] },
  } as unknown as Pod;
}

function serviceKey({ metadata }: EndpointSlice): string {
  return `${metadata.namespace}/${metadata.labels?.[serviceNameLabel] ?? ''}`;
}

function serviceKeyOf({ metadata }: Service): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** As the controller of EndpointSlices groups them. */
function slicesOf(service: Service, pods: readonly Pod[]): readonly EndpointSlice[] {
  const selector = serviceSelector(service);
  if (selector === undefined) return [];
  const selects = compileSelector({ matchLabels: selector });
  // Endpoints are told apart by the uids of their pods, which no manifest gives.
  const behind = pods
    .filter(({ metadata }) => metadata.namespace === service.metadata.namespace && selects(metadata.labels ?? {}))
    .map((pod) => ({ ...pod, metadata: { ...pod.metadata, uid: pod.metadata.uid || pod.metadata.name } }));
  return addressTypesOf(service).flatMap((addressType) =>
    [...endpointGroups(service, { addressType, pods: behind, zoneOf: () => undefined }).values()].map(
      ({ ports, endpoints }, index) =>
        sliceOf(service.metadata, { index, addressType, ports, endpoints: [...endpoints.values()] }),
    ),
  );
}

interface SliceParts extends Pick<EndpointSlice, 'addressType' | 'endpoints' | 'ports'> {
  readonly index: number;
}

function sliceOf({ namespace, name, labels }: KubeObject['metadata'], { index, ...parts }: SliceParts): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...(namespace !== undefined && { namespace }),
      name: `${name}-${index}`,
      uid: '',
      resourceVersion: '',
      creationTimestamp: '',
      labels: { ...labels, [serviceNameLabel]: name },
    },
    ...parts,
  };
}

function slicesOfEndpoints({ metadata, subsets = [] }: EndpointsObject): readonly EndpointSlice[] {
  return subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const endpoint = (ready: boolean) => (address: EndpointAddress) => {
      const { ip, hostname, nodeName, targetRef } = address;
      return {
        addresses: [ip],
        conditions: { ready },
        ...(hostname !== undefined && { hostname }),
        ...(nodeName !== undefined && { nodeName }),
        ...(targetRef !== undefined && { targetRef }),
      };
    };
    const endpoints = [...addresses.map(endpoint(true)), ...notReadyAddresses.map(endpoint(false))];
    return sliceOf(metadata, { index, addressType: 'IPv4', endpoints, ports });
  });
}
