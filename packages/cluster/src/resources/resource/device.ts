import type {
  CapacityRequestPolicy,
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  DeviceCounterConsumption,
  DeviceTaint,
} from '../../api/generated/resource-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { dnsLabel, labelValue } from '../validation/names.ts';
import { policyIssues } from './capacity.ts';
import { atMost, bindingIssues, featureName, labelName, once, taintEffects, waysOf, whereIssues } from './names.ts';

const featuresMax = 32;
const countersMax = 32;
const taintsMax = 4;
const valueBytesMax = 64;
const semanticVersion =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

export interface DeviceRules {
  /** By name of the set, the names of its counters. */
  readonly shared: ReadonlyMap<string, ReadonlySet<string>>;
  /** Each device says for itself on which nodes it is. */
  readonly placesDevices: boolean;
}

/** One device of a slice. */
export function* deviceIssues(device: Device, at: FieldPath, rules: DeviceRules): Iterable<Issue> {
  const { attributes = {}, capacity = {}, taints = [] } = device;
  yield* dnsLabel(device.name ?? '', at('name'));
  const features = Object.keys(attributes).length + Object.keys(capacity).length;
  if (features > featuresMax)
    yield at.invalid(features, `the total number of attributes and capacities must not exceed ${featuresMax}`);
  for (const [name, attribute] of Object.entries(attributes)) {
    yield* featureName(name, at('attributes').key(name));
    yield* attributeIssues(attribute, at('attributes').key(name));
  }
  for (const [name, amount] of Object.entries(capacity)) {
    yield* featureName(name, at('capacity').key(name));
    yield* capacityIssues(amount, at('capacity').key(name), device);
  }
  for (const [index, taint] of taints.entries()) yield* taintIssues(taint, at('taints', index));
  yield* atMost(taints, taintsMax, at('taints'));
  yield* consumptionIssues(device.consumesCounters ?? [], at, rules);
  yield* placeIssues(device, at, rules);
  yield* bindingIssues(device, at);
}

function* attributeIssues(attribute: DeviceAttribute, at: FieldPath): Iterable<Issue> {
  const { string: text, version } = attribute;
  if (text !== undefined && text.length > valueBytesMax) yield at('string').tooLong(text, valueBytesMax);
  if (version !== undefined) {
    if (!semanticVersion.test(version))
      yield at('version').invalid(version, 'must be a string compatible with semver.org spec 2.0.0');
    if (version.length > valueBytesMax) yield at('version').tooLong(version, valueBytesMax);
  }
  const given = (['bool', 'int', 'string', 'version'] as const).filter((field) => attribute[field] !== undefined);
  if (given.length === 0) yield at.required('exactly one value must be specified');
  if (given.length > 1) yield at.invalid(attribute, 'exactly one value must be specified');
}

function* capacityIssues(
  { value, requestPolicy }: DeviceCapacity,
  at: FieldPath,
  { allowMultipleAllocations }: Device,
): Iterable<Issue> {
  const policy: CapacityRequestPolicy | undefined = requestPolicy;
  if (policy === undefined) return;
  if (allowMultipleAllocations === true) yield* policyIssues(policy, at('requestPolicy'), value);
  else yield at('requestPolicy').forbidden('allowMultipleAllocations must be true');
}

function* taintIssues({ key = '', value = '', effect = '' }: Partial<DeviceTaint>, at: FieldPath): Iterable<Issue> {
  yield* labelName(key, at('key'));
  if (value !== '') yield* labelValue(value, at('value'));
  if (effect === '') yield at('effect').required();
  else if (!taintEffects.includes(effect)) yield at('effect').notSupported(effect, taintEffects);
}

function* consumptionIssues(
  consumptions: readonly DeviceCounterConsumption[],
  at: FieldPath,
  { shared }: DeviceRules,
): Iterable<Issue> {
  const place = at('consumesCounters');
  let counted = 0;
  for (const [index, { counterSet = '', counters = {} }] of consumptions.entries()) {
    if (counterSet === '') yield place(index, 'counterSet').required();
    yield* counterIssues(counters, place(index, 'counters'));
    counted += Object.keys(counters).length;
    const known = shared.get(counterSet);
    if (known === undefined)
      yield place(index, 'counterSet').invalid(
        counterSet,
        'must reference a counterSet defined in the ResourceSlice sharedCounters',
      );
    else
      for (const name of Object.keys(counters))
        if (!known.has(name))
          yield place(index, 'counters').invalid(
            name,
            'must reference a counter defined in the ResourceSlice sharedCounters',
          );
  }
  yield* once(
    consumptions.map(({ counterSet }) => counterSet),
    (index) => place(index, 'counterSet'),
  );
  if (counted > countersMax) yield at.invalid(counted, `the total number of counters must not exceed ${countersMax}`);
}

export function* counterSetIssues({ name = '', counters = {} }: Partial<CounterSet>, at: FieldPath): Iterable<Issue> {
  if (name === '') yield at('name').required();
  else yield* dnsLabel(name, at('name'));
  yield* counterIssues(counters, at('counters'));
}

function* counterIssues(counters: CounterSet['counters'], at: FieldPath): Iterable<Issue> {
  const names = Object.keys(counters);
  if (names.length === 0) yield at.required();
  for (const name of names) yield* dnsLabel(name, at.key(name));
}

function* placeIssues(device: Device, at: FieldPath, { placesDevices }: DeviceRules): Iterable<Issue> {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!placesDevices) {
    if (nodeName !== undefined || nodeSelector !== undefined || allNodes !== undefined)
      yield at.invalid(
        null,
        '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
      );
    return;
  }
  if (nodeName === '') yield at('nodeName').invalid(nodeName, 'must not be empty');
  yield* whereIssues(device, at);
  const ways = waysOf(device);
  const oneOf =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (ways.length === 0) yield at.required(oneOf);
  if (ways.length > 1) yield at.invalid(`{${ways.join(', ')}}`, oneOf);
}
