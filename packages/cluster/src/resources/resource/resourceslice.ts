import type { NodeSelector } from '../../api/generated/core-v1.ts';
import { resourceslices } from '../../api/generated/kinds.ts';
import type { ResourcePool, ResourceSlice, ResourceSliceSpec } from '../../api/generated/resource-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { counterSetIssues, deviceIssues } from './device.ts';
import { atMost, driverName, once, poolName, waysOf, whereIssues } from './names.ts';

const devicesMax = 128;
const deviceCountersMax = 1024;
const sharedCountersMax = 32;

/** Devices that a driver has on offer. */
export const resourcesliceDefinition: ResourceDefinition<ResourceSlice> = defineResource(resourceslices, {
  schema: 'io.k8s.api.resource.v1.ResourceSlice',
  traits: { counted: true, returnsDeleted: true },
  columns: [
    column('Node', ({ spec }) => spec?.nodeName ?? ''),
    column('Driver', ({ spec }) => spec?.driver ?? ''),
    column('Pool', ({ spec }) => spec?.pool?.name ?? ''),
  ],
  selectableFields: [
    { path: 'spec.nodeName', of: ({ spec }) => spec?.nodeName ?? '' },
    { path: 'spec.driver', of: ({ spec }) => spec?.driver ?? '' },
  ],
  // To say no is to say nothing.
  defaults(slice) {
    const { perDeviceNodeSelection, ...spec } = (slice.spec as ResourceSliceSpec | undefined) ?? {};
    return perDeviceNodeSelection === false ? ({ ...slice, spec } as ResourceSlice) : slice;
  },
  *validate({ spec }, at) {
    yield* driverName(spec.driver, at('spec', 'driver'));
    yield* poolIssues(spec.pool, at('spec', 'pool'));
    yield* placeIssues(spec, at('spec'));
    yield* contentIssues(spec, at('spec'));
  },
  *validateUpdate({ spec: next }, { spec: current }, at) {
    yield* unchanged(next.pool.name, current.pool.name, at('spec', 'pool', 'name'));
    yield* unchanged(next.driver, current.driver, at('spec', 'driver'));
    yield* unchanged(next.nodeName, current.nodeName, at('spec', 'nodeName'));
  },
});

function* poolIssues(pool: ResourcePool | undefined, at: FieldPath): Iterable<Issue> {
  const { name, resourceSliceCount = 0, generation = 0 }: Partial<ResourcePool> = pool ?? {};
  yield* poolName(name, at('name'));
  if (resourceSliceCount <= 0) yield at('resourceSliceCount').invalid(resourceSliceCount, 'must be greater than zero');
  if (generation < 0) yield at('generation').invalid(generation, 'must be greater than or equal to zero');
}

function* placeIssues(spec: ResourceSliceSpec, at: FieldPath): Iterable<Issue> {
  const { nodeName, nodeSelector, perDeviceNodeSelection: perDevice } = spec;
  if (nodeName === '') yield at('nodeName').invalid(nodeName, 'must be either unset or set to a non-empty string');
  yield* whereIssues(spec, at);
  const terms = (nodeSelector as Partial<NodeSelector> | undefined)?.nodeSelectorTerms ?? null;
  if (nodeSelector !== undefined && terms?.length !== 1)
    yield at('nodeSelector', 'nodeSelectorTerms').invalid(terms, 'must have exactly one node selector term');
  const ways = [...waysOf(spec), ...(perDevice === true ? ['`perDeviceNodeSelection`'] : [])];
  const oneOf = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (ways.length === 0) yield at.required(oneOf);
  if (ways.length > 1) yield at.invalid(`{${ways.join(', ')}}`, `${oneOf}, but multiple fields are set`);
}

function* contentIssues(spec: ResourceSliceSpec, at: FieldPath): Iterable<Issue> {
  const { devices = [], sharedCounters = [] } = spec;
  const shared = new Map(sharedCounters.map(({ name, counters }) => [name, new Set(Object.keys(counters ?? {}))]));
  const rules = { shared, placesDevices: spec.perDeviceNodeSelection === true };
  for (const [index, device] of devices.entries()) yield* deviceIssues(device, at('devices', index), rules);
  yield* atMost(devices, devicesMax, at('devices'));
  yield* once(
    devices.map(({ name }) => name),
    (index) => at('devices', index, 'name'),
  );
  const consumed = counted(devices.flatMap(({ consumesCounters = [] }) => consumesCounters));
  if (consumed > deviceCountersMax)
    yield at('devices').invalid(
      consumed,
      `the total number of counters in devices must not exceed ${deviceCountersMax}`,
    );
  const offered = counted(sharedCounters);
  if (offered > sharedCountersMax)
    yield at('sharedCounters').invalid(
      offered,
      `the total number of shared counters must not exceed ${sharedCountersMax}`,
    );
  for (const [index, set] of sharedCounters.entries()) yield* counterSetIssues(set, at('sharedCounters', index));
  yield* once(
    sharedCounters.map(({ name }) => name),
    (index) => at('sharedCounters', index, 'name'),
  );
}

function counted(sets: readonly { readonly counters?: Readonly<Record<string, unknown>> }[]): number {
  return sets.reduce((sum, { counters = {} }) => sum + Object.keys(counters).length, 0);
}
