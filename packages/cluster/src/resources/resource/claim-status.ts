import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from '../../api/generated/resource-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { equal } from '../../base/equal.ts';
import { validateNodeSelector } from '../core/pod/validation/scheduling.ts';
import { conditionIssues } from '../validation/conditions.ts';
import { unchanged } from '../validation/fields.ts';
import { dnsLabel } from '../validation/names.ts';
import { interfaceAddress } from '../validation/network.ts';
import { type RequestNames, referencesTo, referenceTo, requestNames } from './claim-spec.ts';
import { atMost, bindingIssues, driverName, once, opaqueIssues, poolName, rawObject } from './names.ts';

const consumersMax = 256;
const resultsMax = 32;
const configMax = 64;
const conditionsMax = 8;
const networkAddressesMax = 16;

/** Who uses a claim, and what it was given: given once, and while it is given, used. */
export function* claimStatusIssues(next: ResourceClaim, current: ResourceClaim, at: FieldPath): Iterable<Issue> {
  const { allocation, reservedFor = [], devices = [] } = next.status ?? {};
  yield* consumerIssues(reservedFor, at('reservedFor'));
  const allocated = new Set((allocation?.devices?.results ?? []).map(deviceId));
  for (const [index, device] of devices.entries()) yield* deviceIssues(device, at('devices', index), allocated);
  yield* once(devices.map(deviceId), (index) => at('devices', index, 'deviceID'));
  if (reservedFor.length > 0 && allocation === undefined)
    yield at('reservedFor').forbidden('may not be specified when `allocated` is not set');
  else if (next.metadata.deletionTimestamp !== undefined && hasNew(reservedFor, current.status?.reservedFor ?? []))
    yield at('reservedFor').forbidden(
      'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
    );
  const before = current.status?.allocation;
  if (allocation === undefined) return;
  if (before !== undefined) yield* unchanged(allocation, before, at('allocation'));
  else yield* allocationIssues(allocation, at('allocation'), requestNames(next.spec));
}

type Consumers = readonly ResourceClaimConsumerReference[];

function hasNew(after: Consumers, before: Consumers): boolean {
  return after.some((consumer) => !before.some((known) => equal(known, consumer)));
}

function* consumerIssues(consumers: Consumers, at: FieldPath): Iterable<Issue> {
  for (const [index, consumer] of consumers.entries())
    for (const field of ['resource', 'name', 'uid'] as const)
      if ((consumer[field] ?? '') === '') yield at(index, field).required();
  yield* atMost(consumers, consumersMax, at);
  yield* once(
    consumers.map(({ uid }) => uid),
    (index) => at(index, 'uid'),
  );
}

interface Identified {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string;
}

function deviceId({ driver, pool, device, shareID }: Identified): string {
  return [driver, pool, device, ...(shareID === undefined ? [] : [shareID])].join('/');
}

function* identityIssues({ driver, pool, device, shareID }: Identified, at: FieldPath): Iterable<Issue> {
  yield* driverName(driver, at('driver'));
  yield* poolName(pool, at('pool'));
  yield* dnsLabel(device ?? '', at('device'));
  if (shareID !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(shareID))
    yield at('shareID').invalid(
      shareID,
      'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters',
    );
}

function* deviceIssues(device: AllocatedDeviceStatus, at: FieldPath, allocated: ReadonlySet<string>): Iterable<Issue> {
  yield* identityIssues(device, at);
  const id = deviceId(device);
  const { driver, pool, device: name } = device;
  if (!allocated.has(id)) yield at.invalid({ driver, pool, device: name }, 'must be an allocated device in the claim');
  yield* atMost(device.conditions, conditionsMax, at('conditions'));
  yield* conditionIssues(device.conditions ?? [], at('conditions'));
  if (device.data !== undefined && device.data !== null) yield* rawObject(device.data, at('data'));
  const { interfaceName = '', hardwareAddress = '', ips = [] } = device.networkData ?? {};
  const network = at('networkData');
  if (interfaceName.length > 256) yield network('interfaceName').tooLong(interfaceName, 256);
  if (hardwareAddress.length > 128) yield network('hardwareAddress').tooLong(hardwareAddress, 128);
  yield* atMost(ips, networkAddressesMax, network('ips'));
  yield* once(ips, network('ips'));
  for (const [index, address] of ips.entries()) yield* interfaceAddress(address, network('ips', index));
}

function* allocationIssues(allocation: AllocationResult, at: FieldPath, names: RequestNames): Iterable<Issue> {
  const { results = [], config = [] } = allocation.devices ?? {};
  const place = at('devices');
  for (const [index, result] of results.entries()) yield* resultIssues(result, place('results', index), names);
  yield* atMost(results, resultsMax, place('results'));
  for (const [index, each] of config.entries()) yield* configIssues(each, place('config', index), names);
  yield* atMost(config, configMax, place('config'));
  if (allocation.nodeSelector !== undefined)
    yield* validateNodeSelector(allocation.nodeSelector, () => at('nodeSelector'));
}

function* resultIssues(result: DeviceRequestAllocationResult, at: FieldPath, names: RequestNames): Iterable<Issue> {
  yield* referenceTo(names, result.request ?? '', at('request'));
  yield* identityIssues(result, at);
  yield* bindingIssues(result, at);
}

function* configIssues(config: DeviceAllocationConfiguration, at: FieldPath, names: RequestNames): Iterable<Issue> {
  const source = config.source ?? '';
  const sources = ['FromClaim', 'FromClass'];
  if (source === '') yield at('source').required();
  else if (!sources.includes(source)) yield at('source').notSupported(source, sources);
  yield* referencesTo(names, config.requests, at('requests'));
  yield* opaqueIssues(config.opaque, at('opaque'));
}
