import { isIP } from 'node:net';
import type {
  EndpointAddress,
  Endpoints,
  EndpointPort as EndpointsPort,
  Service,
} from '../../api/generated/core-v1.ts';
import type { Endpoint, EndpointPort, EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { endpointslices } from '../../api/generated/kinds.ts';
import { controllerOf, type New } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';
import { controllerReference } from '../../workloads/owner.ts';
import { triggerAnnotation } from '../../workloads/serving.ts';
import { type AddressType, managedByLabel, portsId, serviceNameLabel } from '../../workloads/slices.ts';

export interface Observed {
  /** Somebody's own Endpoints. Undefined: they are gone. */
  readonly endpoints: Endpoints | undefined;
  readonly service: Service | undefined;
  /** The slices of this name that this controller manages. */
  readonly slices: readonly EndpointSlice[];
  readonly memory: Told | undefined;
}

/** What was said about Endpoints whose addresses are not all mirrored: once for each of their versions. */
export interface Told {
  readonly resourceVersion: string;
}

export const mirroredBy = 'endpointslicemirroring-controller.k8s.io';
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror';
/** Older clients chose their leader by Endpoints: no addresses stand in those. */
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
const unmirroredAnnotations: ReadonlySet<string> = new Set([
  triggerAnnotation,
  'kubectl.kubernetes.io/last-applied-configuration',
]);
/** Addresses of one subset: one slice takes them all. */
export const addressesMax = 1_000;

/** Whoever writes Endpoints by hand for a Service without a selector gets the slices that proxies read. */
export function plan({ endpoints, service, slices, memory }: Observed): Plan<Told> {
  const living = slices.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (endpoints === undefined || !isMirrored(endpoints, service)) {
    return living.length === 0 ? nothingToDo : { actions: living.map(deletion) };
  }
  if (endpoints.metadata.deletionTimestamp !== undefined) return nothingToDo;
  const { mirrors, notes } = mirrorsOf(endpoints);
  const { resourceVersion } = endpoints.metadata;
  return {
    actions: [...(memory?.resourceVersion === resourceVersion ? [] : notes), ...kept(endpoints, mirrors, living)],
    memory: { resourceVersion },
  };
}

function isMirrored({ metadata }: Endpoints, service: Service | undefined): boolean {
  const { labels, annotations } = metadata;
  if (labels?.[skipLabel] === 'true' || annotations?.[leaderAnnotation] !== undefined) return false;
  return service !== undefined && service.spec.selector === undefined;
}

/** What one slice says. */
interface Mirror {
  readonly addressType: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

function mirrorsOf(endpoints: Endpoints): {
  readonly mirrors: ReadonlyMap<string, Mirror>;
  readonly notes: readonly Action[];
} {
  const mirrors = new Map<string, Mirror>();
  let invalid = 0;
  let surplus = 0;
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of endpoints.subsets ?? []) {
    const all = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ];
    const valid = all.filter(({ address }) => isIP(address.ip) !== 0);
    invalid += all.length - valid.length;
    surplus += Math.max(0, valid.length - addressesMax);
    for (const { address, ready } of valid.slice(0, addressesMax)) {
      const addressType = isIP(address.ip) === 6 ? 'IPv6' : 'IPv4';
      const mirrored = ports.map(portOf);
      const id = mirrorId(addressType, mirrored);
      const mirror = mirrors.get(id) ?? { addressType, ports: mirrored, endpoints: new Map<string, Endpoint>() };
      mirrors.set(id, mirror);
      const key = JSON.stringify([address.ip, address.targetRef?.uid]);
      if (!mirror.endpoints.has(key)) mirror.endpoints.set(key, endpointOf(address, ready));
    }
  }
  const notes = [
    ...(invalid === 0
      ? []
      : [
          warning(endpoints, {
            reason: 'InvalidIPAddress',
            note: `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`,
          }),
        ]),
    ...(surplus === 0
      ? []
      : [
          warning(endpoints, {
            reason: 'TooManyAddressesToMirror',
            note: `A max of ${addressesMax} addresses can be mirrored to EndpointSlices per Endpoints subset. ${invalid + surplus} addresses were skipped`,
          }),
        ]),
  ];
  return { mirrors, notes };
}

function mirrorId(addressType: string, ports: readonly EndpointPort[]): string {
  return `${addressType} ${portsId(ports)}`;
}

function portOf({ name = '', port, protocol = 'TCP', appProtocol }: EndpointsPort): EndpointPort {
  return { name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) };
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname !== undefined && hostname !== '' && { hostname }),
    ...(nodeName !== undefined && { nodeName }),
    ...(targetRef !== undefined && { targetRef }),
  };
}

/** One slice for each list of ports and family: the one that is there, one that is no longer needed, or a new one. */
function kept(
  endpoints: Endpoints,
  mirrors: ReadonlyMap<string, Mirror>,
  slices: readonly EndpointSlice[],
): readonly Action[] {
  const found = new Map<string, EndpointSlice>();
  const surplus: EndpointSlice[] = [];
  for (const slice of slices) {
    const id = mirrorId(slice.addressType, slice.ports ?? []);
    const isOurs = controllerOf(slice)?.uid === endpoints.metadata.uid;
    if (isOurs && mirrors.has(id) && !found.has(id)) found.set(id, slice);
    else surplus.push(slice);
  }
  const writes = [...mirrors].flatMap(([id, mirror]) => {
    const wanted = sliceOf(endpoints, mirror);
    const slice = found.get(id) ?? takeReusable(surplus, { endpoints, mirror });
    return slice === undefined ? [creation(endpoints, wanted)] : updates(endpoints, { slice, wanted });
  });
  return [...writes, ...surplus.map(deletion)];
}

/** A family cannot be changed, and the slice of earlier Endpoints goes with them. */
function takeReusable(
  surplus: EndpointSlice[],
  { endpoints, mirror }: { readonly endpoints: Endpoints; readonly mirror: Mirror },
): EndpointSlice | undefined {
  const index = surplus.findIndex(
    (slice) => slice.addressType === mirror.addressType && controllerOf(slice)?.uid === endpoints.metadata.uid,
  );
  return index < 0 ? undefined : surplus.splice(index, 1)[0];
}

type Wanted = Pick<EndpointSlice, 'addressType' | 'endpoints' | 'ports'> & {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};

function sliceOf({ metadata }: Endpoints, { addressType, ports, endpoints }: Mirror): Wanted {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !unmirroredAnnotations.has(name));
  return {
    addressType,
    ports,
    endpoints: [...endpoints.values()],
    labels: { ...metadata.labels, [serviceNameLabel]: metadata.name, [managedByLabel]: mirroredBy },
    annotations: Object.fromEntries(annotations),
  };
}

function creation(endpoints: Endpoints, { labels, annotations, ...content }: Wanted): Action {
  const { namespace = '', name } = endpoints.metadata;
  return {
    do: 'create',
    type: endpointslices,
    object: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        namespace,
        generateName: `${name}-`,
        labels,
        ...(Object.keys(annotations).length > 0 && { annotations }),
        ownerReferences: [controllerReference(endpoints)],
      },
      ...content,
    } as New<EndpointSlice>,
    announce: failing(endpoints),
  };
}

function updates(
  endpoints: Endpoints,
  { slice, wanted }: { readonly slice: EndpointSlice; readonly wanted: Wanted },
): readonly Action[] {
  const { labels, annotations, ...content } = wanted;
  const { annotations: before = {}, ...metadata } = slice.metadata;
  const isSame =
    portsId(slice.ports ?? []) === portsId(content.ports ?? []) &&
    equal(slice.endpoints, content.endpoints) &&
    equal(metadata.labels, labels) &&
    equal(before, annotations);
  if (isSame) return [];
  const told = Object.keys(annotations).length > 0 && { annotations };
  const object = { ...slice, ...content, metadata: { ...metadata, labels, ...told } };
  return [{ do: 'update', type: endpointslices, object, announce: failing(endpoints) }];
}

function deletion(slice: EndpointSlice): Action {
  return { do: 'delete', type: endpointslices, target: slice };
}

function warning(regarding: Endpoints, said: { readonly reason: string; readonly note: string }): Action {
  return { do: 'emit', regarding, type: 'Warning', ...said };
}

function failing(endpoints: Endpoints): NonNullable<Extract<Action, { do: 'update' }>['announce']> {
  const { namespace, name } = endpoints.metadata;
  const note = `Error updating Endpoint Slices for Endpoints ${namespace}/${name}: {error}`;
  return { regarding: endpoints, failed: { reason: 'FailedToUpdateEndpointSlices', note } };
}
