/** The wishes for devices that claims and templates of claims hold. */
import type {
  DeviceClaim,
  DeviceRequest,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from '../../api/generated/resource-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { amend, each, fill } from '../core/pod/fill.ts';
import { dnsLabel, dnsSubdomain } from '../validation/names.ts';
import { atMost, once, opaqueIssues, qualifiedFeatureName, selectorIssues, tolerationIssues } from './names.ts';

const requestsMax = 32;
const alternativesMax = 8;
const constraintsMax = 32;
const configMax = 32;

export function defaultClaimSpec(given: ResourceClaimSpec): ResourceClaimSpec {
  // Devices of which nothing is said are none.
  const { devices: asked, ...others } = given;
  const spec: ResourceClaimSpec = asked === undefined || isSilent(asked) ? others : given;
  return amend(spec, 'devices', (devices) =>
    amend(devices, 'requests', (requests) =>
      each(requests, (request) =>
        amend(amend(request, 'exactly', defaultWish), 'firstAvailable', (wishes) => each(wishes, defaultWish)),
      ),
    ),
  );
}

function isSilent(devices: DeviceClaim): boolean {
  return Object.values(devices).every((list) => (list as readonly unknown[]).length === 0);
}

/** One device, where nothing is said. */
function defaultWish<T extends { readonly allocationMode?: string; readonly count?: number }>(wish: T): T {
  const filled = fill(wish, { allocationMode: 'ExactCount' } as Partial<T>);
  return filled.allocationMode === 'ExactCount' && (filled.count ?? 0) === 0 ? { ...filled, count: 1 } : filled;
}

/** What an entry of `requests` elsewhere in a claim may name: a request, or one of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNames({ devices }: ResourceClaimSpec): RequestNames {
  return new Map(
    (devices?.requests ?? []).map(({ name, firstAvailable }) => [
      name,
      new Set((firstAvailable ?? []).map((alternative) => alternative.name)),
    ]),
  );
}

export function* claimSpecIssues(spec: ResourceClaimSpec, at: FieldPath): Iterable<Issue> {
  const { requests = [], constraints = [], config = [] }: DeviceClaim = spec.devices ?? {};
  const place = at('devices');
  const names = requestNames(spec);
  for (const [index, request] of requests.entries()) yield* requestIssues(request, place('requests', index));
  yield* atMost(requests, requestsMax, place('requests'));
  yield* once(
    requests.map(({ name }) => name),
    (index) => place('requests', index, 'name'),
  );
  for (const [index, constraint] of constraints.entries()) {
    const where = place('constraints', index);
    yield* referencesTo(names, constraint.requests, where('requests'));
    const given = (['matchAttribute', 'distinctAttribute'] as const).find((field) => constraint[field] !== undefined);
    if (given === undefined) yield where('matchAttribute').required();
    else yield* qualifiedFeatureName(constraint[given] ?? '', where(given));
  }
  yield* atMost(constraints, constraintsMax, place('constraints'));
  for (const [index, each] of config.entries()) {
    yield* referencesTo(names, each.requests, place('config', index, 'requests'));
    yield* opaqueIssues(each.opaque, place('config', index, 'opaque'));
  }
  yield* atMost(config, configMax, place('config'));
}

/** Names of requests, each once, each there. */
export function* referencesTo(
  names: RequestNames,
  references: readonly string[] | undefined,
  at: FieldPath,
): Iterable<Issue> {
  for (const [index, reference] of (references ?? []).entries()) yield* referenceTo(names, reference, at(index));
  yield* atMost(references, requestsMax, at);
  yield* once(references ?? [], at);
}

export function* referenceTo(names: RequestNames, reference: string, at: FieldPath): Iterable<Issue> {
  const unknown = at.invalid(
    reference,
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
  );
  const [request = '', alternative, ...rest] = reference.split('/');
  if (rest.length > 0) {
    yield unknown;
    return;
  }
  for (const part of reference.split('/')) yield* dnsLabel(part, at);
  const alternatives = names.get(request);
  if (alternatives === undefined || (alternative !== undefined && !alternatives.has(alternative))) yield unknown;
}

function* requestIssues({ name, exactly, firstAvailable = [] }: DeviceRequest, at: FieldPath): Iterable<Issue> {
  yield* dnsLabel(name ?? '', at('name'));
  for (const [index, alternative] of firstAvailable.entries()) {
    const place = at('firstAvailable', index);
    yield* dnsLabel(alternative.name ?? '', place('name'));
    yield* wishIssues(alternative, place);
  }
  yield* atMost(firstAvailable, alternativesMax, at('firstAvailable'));
  yield* once(
    firstAvailable.map((alternative) => alternative.name),
    (index) => at('firstAvailable', index, 'name'),
  );
  if (exactly !== undefined) yield* wishIssues(exactly, at('exactly'));
  const oneOf = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly === undefined && firstAvailable.length === 0) yield at.required(oneOf);
  if (exactly !== undefined && firstAvailable.length > 0)
    yield at.invalid(null, `${oneOf}, but multiple fields are set`);
}

type Wish = Pick<ExactDeviceRequest, 'deviceClassName' | 'selectors' | 'allocationMode' | 'count' | 'tolerations'>;

function* wishIssues(wish: Wish, at: FieldPath): Iterable<Issue> {
  const { allocationMode = '', count = 0 } = wish;
  const deviceClassName = wish.deviceClassName ?? '';
  if (deviceClassName === '') yield at('deviceClassName').required();
  else yield* dnsSubdomain(deviceClassName, at('deviceClassName'));
  yield* selectorIssues(wish.selectors, at('selectors'));
  if (allocationMode === 'All') {
    if (count !== 0) yield at('count').invalid(count, "must not be specified when allocationMode is 'All'");
  } else if (allocationMode === 'ExactCount') {
    if (count <= 0) yield at('count').invalid(count, 'must be greater than zero');
  } else yield at('allocationMode').notSupported(allocationMode, ['All', 'ExactCount']);
  yield* tolerationIssues(wish.tolerations, at('tolerations'));
}
