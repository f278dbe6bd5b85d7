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
import { type AddressType, managedByLabel, portsId, serviceNameLabel } from '../../workloads/slices.ts';
import { type Capacity, noCapacity } from './capacity.ts';
import { addressTypesOf, type Group, groupsOf } from './endpoints.ts';
import { preferenceOf, withHints } from './hints.ts';
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
  /** Of a Service whose endpoints are to be shared by capacity; of others nobody asks. */
  readonly capacity?: Capacity | undefined;
  readonly served: Sliced | undefined;
}

/** What was last said of hints: `enabled`, or why there are none. */
export interface Sliced extends Served {
  readonly hints: ReadonlyMap<AddressType, string>;
}

export const managedBy = 'endpointslice-controller.k8s.io';

/** Slices of a Service that is deleted are left to the garbage collector: the Service owns them. */
export function plan(observed: Observed, nowMs: number): Plan<Sliced> {
  const { service, pods, slices, served } = observed;
  if (service.metadata.deletionTimestamp !== undefined) return nothingToDo;
  const waitMs = pauseMs(pods.length, { served, nowMs });
  if (waitMs !== undefined) return { actions: [], againInMs: waitMs, memory: served };
  const { seen, trigger } = triggerOf(service, pods, served?.seen);
  const types = addressTypesOf(service);
  const living = slices.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const isOurs = (slice: EndpointSlice): boolean =>
    controllerOf(slice)?.uid === service.metadata.uid && types.some((type) => type === slice.addressType);
  const families = types.map((addressType) => {
    const own = living.filter((slice) => isOurs(slice) && slice.addressType === addressType);
    return planFamily(service, { ...observed, addressType, slices: own });
  });
  const hints = new Map(
    families.flatMap(({ addressType, hints: said }) => (said === undefined ? [] : [[addressType, said]])),
  );
  const actions = [
    ...families.flatMap((family) => family.actions),
    ...types.flatMap((type) => hintEvents(service, { type, before: served?.hints.get(type), now: hints.get(type) })),
    // Of an earlier Service of that name, or of a family that the Service no longer speaks.
    ...living.filter((slice) => !isOurs(slice)).map(deletion),
  ];
  const writtenMs = actions.length === 0 && served !== undefined ? served.writtenMs : nowMs;
  return { actions: actions.map((action) => dated(action, trigger)), memory: { writtenMs, seen, hints } };
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

interface Family extends Pick<Observed, 'pods' | 'slices' | 'zones' | 'capacity'> {
  readonly addressType: AddressType;
}

interface FamilyPlan {
  readonly addressType: AddressType;
  readonly actions: readonly Action[];
  /** As in {@link Sliced}. */
  readonly hints: string | undefined;
}

function planFamily(service: Service, { addressType, pods, slices, zones, capacity }: Family): FamilyPlan {
  const preference = preferenceOf(service);
  const groups = groupsOf(service, { addressType, pods, zoneOf: (node) => zones.get(node) });
  const all = new Map([...groups.values()].flatMap(({ endpoints }) => [...endpoints]));
  const { endpoints: hinted, problem } = withHints(all, { preference, capacity: capacity ?? noCapacity });
  const actions = planSlices(service, { addressType, slices, groups, hinted });
  return { addressType, actions, hints: preference === 'by capacity' ? (problem ?? hintsEnabled) : undefined };
}

interface Slicing extends Pick<Family, 'addressType' | 'slices'> {
  readonly groups: ReadonlyMap<string, Group>;
  /** The endpoints of all groups, with their hints. */
  readonly hinted: ReadonlyMap<string, Endpoint>;
}

function planSlices(service: Service, { addressType, slices, groups, hinted }: Slicing): readonly Action[] {
  const labels = labelsOf(service);
  const creates: Action[] = [];
  const updates: Action[] = [];
  const surplus = slices.filter(({ ports }) => !groups.has(portsId(ports ?? [])));
  let count = 0;
  for (const [id, { ports, endpoints: bare }] of groups) {
    const endpoints = new Map([...bare].map(([uid, endpoint]) => [uid, hinted.get(uid) ?? endpoint]));
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

/** Said when it changes: hints come and go with every endpoint. */
function hintEvents(
  service: Service,
  {
    type,
    before,
    now,
  }: { readonly type: AddressType; readonly before: string | undefined; readonly now: string | undefined },
): readonly Action[] {
  if (before === now || (now === undefined && before !== hintsEnabled)) return [];
  const isOn = now === hintsEnabled;
  const said = isOn ? 'Topology Aware Hints has been enabled' : (now ?? 'Topology Aware Hints has been disabled');
  return [
    {
      do: 'emit',
      regarding: service,
      type: isOn ? 'Normal' : 'Warning',
      reason: isOn ? 'TopologyAwareHintsEnabled' : 'TopologyAwareHintsDisabled',
      note: `${said}, addressType: ${type}`,
    },
  ];
}

const hintsEnabled = 'enabled';

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
