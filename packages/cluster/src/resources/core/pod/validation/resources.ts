import type { PodSpec, ResourceRequirements } from '../../../../api/generated/core-v1.ts';
import type { Issue } from '../../../../api/issue.ts';
import { canonicalQuantity, parseQuantity, quantityMessage } from '../../../../api/quantity.ts';
import { dnsLabel, isQualifiedName, qualifiedName } from '../../../validation/names.ts';
import { podAmounts } from '../../limits/pod-amounts.ts';
import { inside, type Place } from './place.ts';

type Amounts = Readonly<Record<string, string>>;

export const containerResources: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Unqualified names that mean something somewhere, if not in a container: quotas count them. */
/** Names of resources without a domain. */
export const standardResources: ReadonlySet<string> = new Set([
  ...containerResources,
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'services.nodeports',
  'services.loadbalancers',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);
const podResources: ReadonlySet<string> = new Set(['cpu', 'memory']);
const unit = 1_000_000_000n;

/** `claims`: the names of those that the pod has. */
export function* validateContainerResources(
  resources: ResourceRequirements,
  at: Place,
  claims: ReadonlySet<string>,
): Iterable<Issue> {
  yield* validateAmounts(resources, at, containerResourceIssues);
  if (
    usesHugePages(resources) &&
    !Object.keys({ ...resources.limits, ...resources.requests }).some((name) => podResources.has(name))
  )
    yield at().forbidden('HugePages require cpu or memory');
  if (resources.claims !== undefined && resources.claims.length > 0)
    yield* claimIssues(resources.claims, inside(at, 'claims'), claims);
}

type Claims = NonNullable<ResourceRequirements['claims']>;

/** Each request of a claim is named once, and none beside the whole claim. */
function* claimIssues(used: Claims, at: Place, claims: ReadonlySet<string>): Iterable<Issue> {
  const seen = new Set<string>();
  for (const [index, { name = '', request = '' }] of used.entries()) {
    const place = at()(index);
    const key = request === '' ? name : `${name}/${request}`;
    if (name === '') {
      yield place.required();
      continue;
    }
    if (seen.has(name)) yield place.duplicate(name);
    else {
      if (request !== '') yield* dnsLabel(request, at()(index, 'request'));
      if (seen.has(key)) yield place.duplicate(key);
      else if (request === '') for (const other of seen) if (other.startsWith(`${name}/`)) yield place.duplicate(name);
      seen.add(key);
    }
    if (!claims.has(name)) yield place.notFound(name, mustBeOneOf(claims));
  }
}

function mustBeOneOf(claims: ReadonlySet<string>): string {
  const there = claims.size === 0 ? ' which is empty' : `: ${[...claims].sort().join(', ')}`;
  return `must be one of the names in pod.spec.resourceClaims${there}`;
}

/** Resources of the pod as a whole, which bound what its containers may ask for. */
export function* validatePodResources(spec: PodSpec, at: Place): Iterable<Issue> {
  const { resources } = spec;
  if (resources === undefined) return;
  // Also none of them.
  if (resources.claims !== undefined)
    yield at()('claims').forbidden('claims may not be set for Resources at pod-level');
  yield* validateAmounts(resources, at, function* (name, place) {
    if (podResources.has(name) || name.startsWith('hugepages-')) return;
    if (!isQualifiedName(name)) yield* qualifiedName(name, place());
    else if (!name.includes('/') && !standardResources.has(name))
      yield place().invalid(name, 'must be a standard resource type or fully qualified');
    else yield place().notSupported(name, ['cpu', 'hugepages-', 'memory']);
  });
  yield* consistencyIssues(spec, resources, at);
}

/** The pod as a whole asks for at least what its containers ask for together, and none of them may use more than it may. */
function* consistencyIssues(
  spec: PodSpec,
  { requests = {}, limits = {} }: ResourceRequirements,
  at: Place,
): Iterable<Issue> {
  const { resources: _whole, ...parts } = spec;
  for (const [name, together] of Object.entries(podAmounts(parts, 'requests')))
    if (exceeds(together, requests[name]))
      yield at()('requests')
        .key(name)
        .invalid(
          shown(requests[name] ?? ''),
          `must be greater than or equal to aggregate container requests of ${together}`,
        );
  for (const [name, together] of Object.entries(podAmounts(parts, 'limits')))
    if (name.startsWith('hugepages-') && exceeds(together, limits[name]))
      yield at()('limits')
        .key(name)
        .invalid(
          shown(limits[name] ?? ''),
          `must be greater than or equal to aggregate container limits of ${together}`,
        );
  for (const [index, { resources }] of spec.containers.entries())
    for (const [name, limit] of Object.entries(resources?.limits ?? {}))
      if (exceeds(limit, limits[name]))
        yield at()('containers', index)
          .key(name)('limits')
          .invalid(shown(limit), `must be less than or equal to pod limits of ${shown(limits[name] ?? '')}`);
}

/** Where there is a bound, and both are quantities: what is none is told elsewhere. */
function exceeds(amount: string, bound: string | undefined): boolean {
  const [wanted, allowed] = [parseQuantity(amount), bound === undefined ? undefined : parseQuantity(bound)];
  return wanted !== undefined && allowed !== undefined && wanted > allowed;
}

export function* validateOverhead(overhead: Amounts, at: Place): Iterable<Issue> {
  yield* validateAmounts({ limits: overhead }, at, containerResourceIssues);
}

interface AmountsOptions {
  pathOf(list: 'limits' | 'requests'): Place;
}

function* validateAmounts(
  { limits, requests }: ResourceRequirements,
  at: Place,
  nameIssues: (name: string, at: Place) => Iterable<Issue>,
  options: AmountsOptions = { pathOf: (list) => inside(at, list) },
): Iterable<Issue> {
  if (limits !== undefined) {
    const place = options.pathOf('limits');
    for (const name of Object.keys(limits)) {
      const entry: Place = () => place().key(name);
      yield* nameIssues(name, entry);
      yield* amountIssues(name, limits[name] ?? '', entry);
    }
  }
  if (requests === undefined) return;
  const place = options.pathOf('requests');
  for (const name of Object.keys(requests)) {
    const entry: Place = () => place().key(name);
    const request = requests[name] ?? '';
    yield* nameIssues(name, entry);
    yield* amountIssues(name, request, entry);
    yield* balanceIssues(
      name,
      { request, limit: limits?.[name] },
      { requests: place, limits: options.pathOf('limits') },
    );
  }
}

function* containerResourceIssues(name: string, at: Place): Iterable<Issue> {
  if (containerResources.has(name)) return;
  if (!isQualifiedName(name)) {
    yield* qualifiedName(name, at());
    return;
  }
  if (!name.includes('/')) {
    if (name.startsWith('hugepages-')) return;
    if (!standardResources.has(name)) yield at().invalid(name, 'must be a standard resource type or fully qualified');
    yield at().invalid(name, 'must be a standard resource for containers');
  } else if (!isNative(name) && !isExtended(name))
    yield at().invalid(name, "doesn't follow extended resource name standard");
}

function* amountIssues(name: string, text: string, at: Place): Iterable<Issue> {
  const nano = parseQuantity(text);
  if (nano === undefined) yield at().invalid(text, quantityMessage);
  else if (nano < 0n) yield at().invalid(shown(text), 'must be greater than or equal to 0');
  else if (isCounted(name) && nano % unit !== 0n) yield at().invalid(shown(text), 'must be an integer');
}

/** No more is requested than may be used, and exactly as much where it cannot be shared. */
function* balanceIssues(
  name: string,
  { request, limit }: { readonly request: string; readonly limit: string | undefined },
  places: { readonly requests: Place; readonly limits: Place },
): Iterable<Issue> {
  const shareable = isShareable(name);
  if (limit === undefined) {
    if (!shareable) yield places.limits().required('Limit must be set for non overcommitable resources');
    return;
  }
  if (limit === request) return;
  const wanted = parseQuantity(request);
  const allowed = parseQuantity(limit);
  if (wanted === undefined || allowed === undefined || wanted === allowed) return;
  if (!shareable) yield places.requests().invalid(shown(request), `must be equal to ${name} limit of ${shown(limit)}`);
  else if (wanted > allowed)
    yield places.requests().invalid(shown(request), `must be less than or equal to ${name} limit of ${shown(limit)}`);
}

function shown(text: string): string {
  return canonicalQuantity(text) ?? text;
}

function usesHugePages({ limits, requests }: ResourceRequirements): boolean {
  for (const name in limits) if (name.startsWith('hugepages-')) return true;
  for (const name in requests) if (name.startsWith('hugepages-')) return true;
  return false;
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Resources with a domain of their own, e.g. `nvidia.com/gpu`. */
export function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`);
}

function isCounted(name: string): boolean {
  return !containerResources.has(name) && isExtended(name);
}

/** Whether a node may promise more of it than it has. */
function isShareable(name: string): boolean {
  return containerResources.has(name) || (isNative(name) && !name.startsWith('hugepages-'));
}
