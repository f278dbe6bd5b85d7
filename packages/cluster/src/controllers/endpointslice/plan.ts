import type { Pod, Service } from '../../api/generated/core-v1.ts';
import type { Endpoint, EndpointPort, EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { endpointslices } from '../../api/generated/kinds.ts';
import { controllerOf } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';
import { controllerReference } from '../../workloads/owner.ts';
import {
  headlessLabel,
  isHeadless,
  pauseMs,
  type Served,
  triggerAnnotation,
  triggerOf,
} from '../../workloads/serving.ts';
import { type AddressType, addressTypesOf, groupsOf, portsId } from './endpoints.ts';
import { place } from './placement.ts';

export interface Observed {
  /** Has a selector. */
  readonly service: Service;
  /** All pods that the Service selects. */
  readonly pods: readonly Pod[];
  /** The slices of this name that this controller manages. */
  readonly slices: readonly EndpointSlice[];
  /** `topology.kubernetes.io/zone` of the nodes that have one. */
  readonly zones: ReadonlyMap<string, string>;
  readonly served: Served | undefined;
}

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
export const managedBy = 'endpointslice-controller.k8s.io';

/** Slices of a Service that is deleted are left to the garbage collector: the Service owns them. */
export function plan({ service, pods, slices, zones, served }: Observed, nowMs: number): Plan<Served> {
  if (service.metadata.deletionTimestamp !== undefined) return nothingToDo;
  const waitMs = pauseMs(pods.length, { served, nowMs });
  if (waitMs !== undefined) return { actions: [], againInMs: waitMs, memory: served };
  const { seen, trigger } = triggerOf(service, pods, served?.seen);
  const types = addressTypesOf(service);
  const living = slices.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const isOurs = (slice: EndpointSlice): boolean =>
    controllerOf(slice)?.uid === service.metadata.uid && types.some((type) => type === slice.addressType);
  const actions = [
    ...types.flatMap((addressType) => {
      const own = living.filter((slice) => isOurs(slice) && slice.addressType === addressType);
      return planFamily(service, { addressType, pods, slices: own, zones });
    }),
    // Of an earlier Service of that name, or of a family that the Service no longer speaks.
    ...living.filter((slice) => !isOurs(slice)).map(deletion),
  ];
  const writtenMs = actions.length === 0 && served !== undefined ? served.writtenMs : nowMs;
  return { actions: actions.map((action) => dated(action, trigger)), memory: { writtenMs, seen } };
}

/** What is created or changed tells since when; what another cause changes no longer tells an earlier one's. */
function dated(action: Action, trigger: string | undefined): Action {
  if (action.do !== 'create' && action.do !== 'update') return action;
  const { annotations, ...metadata } = action.object.metadata;
  const { [triggerAnnotation]: _, ...others } = annotations ?? {};
  const told = { ...others, ...(trigger !== undefined && { [triggerAnnotation]: trigger }) };
  const object = {
    ...action.object,
    metadata: { ...metadata, ...(Object.keys(told).length > 0 && { annotations: told }) },
  };
  return { ...action, object } as Action;
}

interface Family extends Pick<Observed, 'pods' | 'slices' | 'zones'> {
  readonly addressType: AddressType;
}

function planFamily(service: Service, { addressType, pods, slices, zones }: Family): readonly Action[] {
  const groups = groupsOf(service, { addressType, pods, zoneOf: (node) => zones.get(node) });
  const labels = labelsOf(service);
  const creates: Action[] = [];
  const updates: Action[] = [];
  const surplus = slices.filter(({ ports }) => !groups.has(portsId(ports ?? [])));
  let count = 0;
  for (const [id, { ports, endpoints }] of groups) {
    const same = slices.filter((slice) => portsId(slice.ports ?? []) === id);
    const { updated, emptied, added } = place(same, endpoints);
    surplus.push(...emptied);
    count += same.length - emptied.length + added.length;
    for (const slice of same) {
      const next = updated.get(slice);
      if (!emptied.includes(slice))
        updates.push(...update(service, { slice, labels, endpoints: next ?? slice.endpoints }));
    }
    // Slices that lost their last endpoint are used again before new ones are made.
    for (const each of added)
      creates.push(reuseOrCreate(service, { surplus, addressType, ports, labels, endpoints: each }));
  }
  if (count === 0) return [...placeholder(service, { surplus, addressType, labels }), ...surplus.map(deletion)];
  return [...creates, ...updates, ...surplus.map(deletion)];
}

interface Content {
  readonly labels: Readonly<Record<string, string>>;
  readonly endpoints: readonly Endpoint[];
  readonly ports?: readonly EndpointPort[];
}

function update(
  service: Service,
  { slice, ...content }: Content & { readonly slice: EndpointSlice },
): readonly Action[] {
  const { labels, endpoints, ports = slice.ports } = content;
  const isSame = endpoints === slice.endpoints && equal(labels, slice.metadata.labels) && ports === slice.ports;
  if (isSame) return [];
  const object = {
    ...slice,
    metadata: { ...slice.metadata, labels },
    endpoints,
    ...(ports !== undefined && { ports }),
  };
  return [{ do: 'update', type: endpointslices, object, announce: failing(service, 'FailedToUpdateEndpointSlices') }];
}

interface Creation extends Required<Content> {
  readonly surplus: EndpointSlice[];
  readonly addressType: AddressType;
}

function reuseOrCreate(service: Service, { surplus, addressType, labels, ports, endpoints }: Creation): Action {
  const slice = surplus.shift();
  const [reuse] = slice === undefined ? [] : update(service, { slice, labels, ports, endpoints });
  return reuse ?? create(service, { addressType, labels, ports, endpoints });
}

function create(service: Service, { addressType, labels, ports, endpoints }: Omit<Creation, 'surplus'>): Action {
  const { namespace = '', name } = service.metadata;
  return {
    do: 'create',
    type: endpointslices,
    object: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { namespace, generateName: `${name}-`, labels, ownerReferences: [controllerReference(service)] },
      addressType,
      endpoints,
      ports,
    } as Extract<Action, { do: 'create' }>['object'],
    announce: failing(service, 'FailedToCreateEndpointSlices'),
  };
}

/** A Service without endpoints has one empty slice: it shows that the controller has been here. */
function placeholder(
  service: Service,
  { surplus, addressType, labels }: Pick<Creation, 'surplus' | 'addressType' | 'labels'>,
): readonly Action[] {
  const slice = surplus.shift();
  if (slice === undefined) return [create(service, { addressType, labels, ports: [], endpoints: [] })];
  const isEmpty = (slice.endpoints ?? []).length === 0 && (slice.ports ?? []).length === 0;
  if (isEmpty) return update(service, { slice, labels, endpoints: slice.endpoints });
  return update(service, { slice, labels, endpoints: [], ports: [] });
}

function deletion(slice: EndpointSlice): Action {
  return { do: 'delete', type: endpointslices, target: slice };
}

function failing(service: Service, reason: string): NonNullable<Extract<Action, { do: 'update' }>['announce']> {
  const { namespace, name } = service.metadata;
  return {
    regarding: service,
    failed: { reason, note: `Error updating Endpoint Slices for Service ${namespace}/${name}: {error}` },
  };
}

function labelsOf(service: Service): Readonly<Record<string, string>> {
  const { [headlessLabel]: _, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    ...(isHeadless(service) && { [headlessLabel]: '' }),
    [serviceNameLabel]: service.metadata.name,
    [managedByLabel]: managedBy,
  };
}
