import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Endpoints,
  Pod,
  Service,
} from '../../api/generated/core-v1.ts';
import { endpoints as endpointsType } from '../../api/generated/kinds.ts';
import { equal } from '../../base/equal.ts';
import { podReady } from '../../resources/core/pod/facts.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';
import {
  headlessLabel,
  hostnameUnder,
  isHeadless,
  isReachable,
  pauseMs,
  type Served,
  serviceSelector,
  targetPort,
  triggerAnnotation,
  triggerOf,
} from '../../workloads/serving.ts';

export interface Observed {
  /** Undefined: the Service is gone, and its Endpoints go with it. */
  readonly service: Service | undefined;
  readonly endpoints: Endpoints | undefined;
  /** All pods that the Service selects. */
  readonly pods: readonly Pod[];
  readonly served: Served | undefined;
}

/** Endpoints beyond this many addresses are cut off: EndpointSlices are for those. */
export const addressesMax = 1_000;
export const managedByLabel = 'endpoints.kubernetes.io/managed-by';
export const managedBy = 'endpoint-controller';
export const overCapacityAnnotation = 'endpoints.kubernetes.io/over-capacity';

/** The addresses of a Service in the form that preceded EndpointSlices: one object of the Service's name. */
export function plan({ service, endpoints, pods, served }: Observed, nowMs: number): Plan<Served> {
  if (service === undefined) return endpoints === undefined ? nothingToDo : { actions: [deletion(endpoints)] };
  const { seen, trigger } = triggerOf(service, pods, served?.seen);
  if (serviceSelector(service) === undefined) return { actions: [], memory: { writtenMs: nowMs, seen } };
  const waitMs = pauseMs(pods.length, { served, nowMs });
  if (waitMs !== undefined) return { actions: [], againInMs: waitMs, memory: served };
  const actions = writes(service, { endpoints, trigger, wanted: subsetsOf(service, pods) });
  const writtenMs = actions.length === 0 && served !== undefined ? served.writtenMs : nowMs;
  return { actions, memory: { writtenMs, seen } };
}

function deletion(endpoints: Endpoints): Action {
  return { do: 'delete', type: endpointsType, target: endpoints };
}

interface Writing {
  readonly endpoints: Endpoints | undefined;
  readonly trigger: string | undefined;
  readonly wanted: readonly EndpointSubset[];
}

function writes(service: Service, { endpoints, trigger, wanted }: Writing): readonly Action[] {
  const { subsets, isTruncated } = truncated(wanted);
  const labels = labelsOf(service);
  const annotations = annotationsOf(endpoints, isTruncated);
  const told = { ...annotations, ...(trigger !== undefined && { [triggerAnnotation]: trigger }) };
  const metadata = { labels, ...(Object.keys(told).length > 0 && { annotations: told }) };
  if (endpoints === undefined) {
    const { namespace = '', name } = service.metadata;
    const object = { apiVersion: 'v1', kind: 'Endpoints', metadata: { namespace, name, ...metadata }, subsets };
    return [{ do: 'create', type: endpointsType, object, announce: failing(service, 'create') }];
  }
  const before = endpoints.metadata;
  if (
    equal(endpoints.subsets ?? [], subsets) &&
    equal(before.labels, labels) &&
    equal(withoutTrigger(before.annotations), annotations)
  )
    return [];
  const { annotations: _, ...rest } = before;
  const object = { ...endpoints, metadata: { ...rest, ...metadata }, subsets };
  return [{ do: 'update', type: endpointsType, object, announce: failing(service, 'update') }];
}

function failing(
  service: Service,
  verb: 'create' | 'update',
): NonNullable<Extract<Action, { do: 'create' }>['announce']> {
  const { namespace, name } = service.metadata;
  const reason = verb === 'create' ? 'FailedToCreateEndpoint' : 'FailedToUpdateEndpoint';
  return {
    regarding: service,
    failed: { reason, note: `Failed to ${verb} endpoint for service ${namespace}/${name}: {error}` },
  };
}

function labelsOf(service: Service): Readonly<Record<string, string>> {
  const { [headlessLabel]: _, ...labels } = service.metadata.labels ?? {};
  return { ...labels, [managedByLabel]: managedBy, ...(isHeadless(service) && { [headlessLabel]: '' }) };
}

function annotationsOf(endpoints: Endpoints | undefined, isTruncated: boolean): Readonly<Record<string, string>> {
  const { [overCapacityAnnotation]: _, ...others } = withoutTrigger(endpoints?.metadata.annotations);
  return { ...others, ...(isTruncated && { [overCapacityAnnotation]: 'truncated' }) };
}

/** The time of an earlier change is no reason to write, and no part of the next one. */
function withoutTrigger(annotations: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const { [triggerAnnotation]: _, ...others } = annotations;
  return others;
}

interface Group {
  readonly ports: readonly EndpointPort[];
  readonly ready: EndpointAddress[];
  readonly notReady: EndpointAddress[];
}

/** Pods with the same ports make one subset. Sorted, so that the same pods are the same bytes. */
export function subsetsOf(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const publishesAll = service.spec.publishNotReadyAddresses === true;
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    if (!isReachable(pod) || (pod.metadata.deletionTimestamp !== undefined && !publishesAll)) continue;
    const ports = portsOf(service, pod);
    if (ports === undefined) continue;
    const id = JSON.stringify(ports);
    const group = groups.get(id) ?? { ports, ready: [], notReady: [] };
    groups.set(id, group);
    (publishesAll || podReady(pod) ? group.ready : group.notReady).push(addressOf(service, pod));
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => subsetOf(group));
}

function subsetOf({ ports, ready, notReady }: Group): EndpointSubset {
  return {
    ...(ready.length > 0 && { addresses: ready.sort(byAddress) }),
    ...(notReady.length > 0 && { notReadyAddresses: notReady.sort(byAddress) }),
    ...(ports.length > 0 && { ports }),
  };
}

function byAddress(a: EndpointAddress, b: EndpointAddress): number {
  const left = `${a.ip} ${a.targetRef?.uid ?? ''}`;
  return left < `${b.ip} ${b.targetRef?.uid ?? ''}` ? -1 : 1;
}

function addressOf(service: Service, pod: Pod): EndpointAddress {
  const { namespace = '', name, uid } = pod.metadata;
  const hostname = hostnameUnder(service, pod);
  return {
    ip: ipOf(service, pod),
    ...(hostname !== undefined && { hostname }),
    ...(pod.spec.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

/** Endpoints know one family: the Service's first. */
function ipOf({ spec }: Service, { status }: Pod): string {
  const wantsSix = spec.ipFamilies?.[0] === 'IPv6';
  const fitting = status.podIPs?.find(({ ip }) => ip.includes(':') === wantsSix)?.ip;
  return fitting ?? status.podIP ?? '';
}

/** Undefined when the Service has ports and the pod has none of them. */
function portsOf(service: Service, pod: Pod): readonly EndpointPort[] | undefined {
  const wanted = service.spec.ports ?? [];
  const found = wanted.flatMap((each): readonly EndpointPort[] => {
    const port = targetPort(pod, each);
    if (port === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = each;
    return [{ ...(name !== '' && { name }), port, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
  if (found.length === 0 && wanted.length > 0) return undefined;
  return found.sort((a, b) => a.port - b.port || ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
}

/** Ready addresses are kept before those that are not. */
function truncated(subsets: readonly EndpointSubset[]): {
  readonly subsets: readonly EndpointSubset[];
  readonly isTruncated: boolean;
} {
  const ready = countOf(subsets, 'addresses');
  const notReady = countOf(subsets, 'notReadyAddresses');
  if (ready + notReady <= addressesMax) return { subsets, isTruncated: false };
  let readyLeft = Math.min(ready, addressesMax);
  let notReadyLeft = addressesMax - readyLeft;
  const cut = subsets.flatMap(({ addresses = [], notReadyAddresses = [], ...rest }): readonly EndpointSubset[] => {
    const kept = addresses.slice(0, readyLeft);
    const keptNotReady = notReadyAddresses.slice(0, notReadyLeft);
    readyLeft -= kept.length;
    notReadyLeft -= keptNotReady.length;
    if (kept.length + keptNotReady.length === 0) return [];
    return [
      {
        ...(kept.length > 0 && { addresses: kept }),
        ...(keptNotReady.length > 0 && { notReadyAddresses: keptNotReady }),
        ...rest,
      },
    ];
  });
  return { subsets: cut, isTruncated: true };
}

function countOf(subsets: readonly EndpointSubset[], field: 'addresses' | 'notReadyAddresses'): number {
  return subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0);
}
