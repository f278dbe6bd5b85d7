import {
  type Endpoint,
  type EndpointSlice,
  endpointslices,
  nodes,
  type Pod,
  pods,
  type Service,
  services,
} from '@signalbox/cluster';
import type { LabelSet } from '../../relabel/execute.ts';
import { portLabels, portsOf, serviceNameLabel } from '../../scrape/pod-ports.ts';
import type { World } from '../../world/world.ts';
import { hostPort, meta, objectLabels, podLabels } from './meta-labels.ts';

export type EndpointRole = 'endpoints' | 'endpointslice';

interface Asked {
  readonly role: EndpointRole;
  readonly world: World;
}

/**
 * The targets of one slice: each address with each port, and the ports of its pods that the Service does not lead to,
 * without any name of a port of the Service.
 */
export function sliceTargets(slice: EndpointSlice, { role, world }: Asked): readonly LabelSet[] {
  const common = commonLabels(slice, { role, world });
  const seen = new Map<Pod, Set<number>>();
  const targets: LabelSet[] = [];
  for (const port of slice.ports ?? []) {
    const shared = { ...common, ...portOfSlice(port, role) };
    for (const endpoint of slice.endpoints)
      for (const address of endpoint.addresses) {
        const pod = podOf(endpoint, { slice, world });
        const number = port.port ?? 0;
        if (pod !== undefined) seen.set(pod, (seen.get(pod) ?? new Set()).add(number));
        targets.push({
          __address__: hostPort(address, number),
          ...shared,
          ...endpointLabels(endpoint, role),
          ...zoneOf(endpoint, { role, world }),
          ...(pod !== undefined && { ...podLabels(pod), ...containerOf(pod, number) }),
        });
      }
  }
  for (const [pod, ports] of seen) targets.push(...otherPorts(pod, ports).map((own) => ({ ...common, ...own })));
  return targets;
}

/** What all targets of a slice have: that of the slice, and of its Service. */
export function commonLabels(slice: EndpointSlice, { role, world }: Asked): LabelSet {
  const service = serviceOf(slice, world);
  const known = remembered.get(slice);
  if (known !== undefined && known.service === service && known.role === role) return known.labels;
  const labels = { ...sliceLabels(slice, role), ...(service !== undefined && serviceLabels(service)) };
  remembered.set(slice, { service, role, labels });
  return labels;
}

interface Common {
  readonly service: Service | undefined;
  readonly role: EndpointRole;
  readonly labels: LabelSet;
}

// Every job of a namespace looks at every slice of it.
const remembered = new WeakMap<EndpointSlice, Common>();

export function slicesIn(world: World, namespaces: readonly string[] | undefined): readonly EndpointSlice[] {
  return namespaces === undefined
    ? world.list(endpointslices)
    : namespaces.flatMap((each) => world.list(endpointslices, each));
}

export function serviceOf({ metadata }: EndpointSlice, world: World): Service | undefined {
  const name = metadata.labels?.[serviceNameLabel];
  return name === undefined ? undefined : world.get(services, `${metadata.namespace}/${name}`);
}

function sliceLabels(slice: EndpointSlice, role: EndpointRole): LabelSet {
  const { namespace = '', name, labels } = slice.metadata;
  if (role === 'endpoints')
    return { [`${meta}namespace`]: namespace, [`${meta}endpoints_name`]: labels?.[serviceNameLabel] ?? name };
  return {
    [`${meta}namespace`]: namespace,
    [`${meta}endpointslice_name`]: name,
    [`${meta}endpointslice_address_type`]: slice.addressType,
    ...objectLabels('endpointslice', slice),
  };
}

function serviceLabels(service: Service): LabelSet {
  return { [`${meta}service_name`]: service.metadata.name, ...objectLabels('service', service) };
}

type SlicePort = NonNullable<EndpointSlice['ports']>[number];

function portOfSlice({ name = '', port = 0, protocol = 'TCP' }: SlicePort, role: EndpointRole): LabelSet {
  if (role === 'endpoints') return { [`${meta}endpoint_port_name`]: name, [`${meta}endpoint_port_protocol`]: protocol };
  return {
    [`${meta}endpointslice_port_name`]: name,
    [`${meta}endpointslice_port_protocol`]: protocol,
    [`${meta}endpointslice_port`]: String(port),
  };
}

// A hundred thousand addresses have them: no name is put together anew.
const name = {
  endpointReady: `${meta}endpoint_ready`,
  endpointAddressTargetKind: `${meta}endpoint_address_target_kind`,
  endpointAddressTargetName: `${meta}endpoint_address_target_name`,
  endpointHostname: `${meta}endpoint_hostname`,
  endpointNodeName: `${meta}endpoint_node_name`,
  sliceConditionsReady: `${meta}endpointslice_endpoint_conditions_ready`,
  sliceConditionsServing: `${meta}endpointslice_endpoint_conditions_serving`,
  sliceConditionsTerminating: `${meta}endpointslice_endpoint_conditions_terminating`,
  sliceAddressTargetKind: `${meta}endpointslice_address_target_kind`,
  sliceAddressTargetName: `${meta}endpointslice_address_target_name`,
  sliceHostname: `${meta}endpointslice_endpoint_hostname`,
  sliceNodeName: `${meta}endpointslice_endpoint_node_name`,
  sliceZone: `${meta}endpointslice_endpoint_zone`,
} as const;

function endpointLabels(endpoint: Endpoint, role: EndpointRole): LabelSet {
  const { conditions, targetRef, hostname = '', nodeName = '', zone = '' } = endpoint;
  const ready = String(conditions?.ready ?? true);
  if (role === 'endpoints')
    return {
      [name.endpointReady]: ready,
      [name.endpointAddressTargetKind]: targetRef?.kind ?? '',
      [name.endpointAddressTargetName]: targetRef?.name ?? '',
      [name.endpointHostname]: hostname,
      [name.endpointNodeName]: nodeName,
    };
  return {
    [name.sliceConditionsReady]: ready,
    [name.sliceConditionsServing]: String(conditions?.serving ?? true),
    [name.sliceConditionsTerminating]: String(conditions?.terminating ?? false),
    [name.sliceAddressTargetKind]: targetRef?.kind ?? '',
    [name.sliceAddressTargetName]: targetRef?.name ?? '',
    [name.sliceHostname]: hostname,
    [name.sliceNodeName]: nodeName,
    [name.sliceZone]: zone,
  };
}

/** Slices that were made up have no zone, but the node of their pod may be known. */
function zoneOf({ zone, nodeName }: Endpoint, { role, world }: Asked): LabelSet {
  if (role === 'endpoints' || zone !== undefined || nodeName === undefined) return {};
  const found = world.get(nodes, nodeName)?.metadata.labels?.['topology.kubernetes.io/zone'];
  return found === undefined ? {} : { [name.sliceZone]: found };
}

function podOf(
  { targetRef }: Endpoint,
  { slice, world }: { readonly slice: EndpointSlice; readonly world: World },
): Pod | undefined {
  if (targetRef?.kind !== 'Pod') return undefined;
  return world.get(pods, `${targetRef.namespace ?? slice.metadata.namespace}/${targetRef.name}`);
}

function containerOf(pod: Pod, number: number): LabelSet {
  const found = portsOf(pod).find(({ port, isInit }) => !isInit && port?.containerPort === number);
  return found === undefined ? {} : portLabels(found);
}

function otherPorts(pod: Pod, taken: ReadonlySet<number>): readonly LabelSet[] {
  const ip = pod.status?.podIP ?? '';
  return portsOf(pod).flatMap((each) => {
    if (each.port === undefined || taken.has(each.port.containerPort)) return [];
    return [{ __address__: hostPort(ip, each.port.containerPort), ...podLabels(pod), ...portLabels(each) }];
  });
}
