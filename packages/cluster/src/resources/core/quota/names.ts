/** What the names of a quota's limits are about. */

export const claimClassSuffixes: readonly string[] = [
  '.storageclass.storage.k8s.io/requests.storage',
  '.storageclass.storage.k8s.io/persistentvolumeclaims',
];
export const deviceClassSuffix = '.deviceclass.resource.k8s.io/devices';

/** Kinds that have a name of their own from the time before `count/…`. */
const byKind: readonly string[] = [
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
];
const compute: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];
const ofPods: ReadonlySet<string> = new Set([
  ...compute,
  ...compute.map((name) => `requests.${name}`),
  ...compute.map((name) => `limits.${name}`),
]);
const ofServices: ReadonlySet<string> = new Set(['services.nodeports', 'services.loadbalancers']);
const countPrefix = 'count/';

/** The resource whose objects a limit counts, as `pods` or `deployments.apps`; undefined when nothing does. */
export function countedResource(name: string): string | undefined {
  if (name.startsWith(countPrefix)) return name.slice(countPrefix.length);
  if (byKind.includes(name)) return name;
  if (ofPods.has(name) || isHugePages(name) || isExtended(name)) return 'pods';
  if (ofServices.has(name)) return 'services';
  if (name === 'requests.storage' || claimClassSuffixes.some((suffix) => name.endsWith(suffix)))
    return 'persistentvolumeclaims';
  return name.endsWith(deviceClassSuffix) ? 'resourceclaims.resource.k8s.io' : undefined;
}

/** `count/deployments.apps`, and the older name where there is one. */
export function countNames(resource: string): readonly string[] {
  return byKind.includes(resource) ? [`${countPrefix}${resource}`, resource] : [`${countPrefix}${resource}`];
}

/** Names without a group: only these may stand alone in a quota. */
export function isStandardName(name: string): boolean {
  return (
    isHugePages(name) ||
    byKind.includes(name) ||
    ofPods.has(name) ||
    ofServices.has(name) ||
    name === 'requests.storage'
  );
}

/** What may be limited for some pods alone, besides their number. */
export function isScoped(name: string): boolean {
  return /^(?:(?:requests|limits)\.)?(?:cpu|memory)$/.test(name);
}

/** Whether amounts of it are whole numbers. */
export function isCounted(name: string): boolean {
  return byKind.includes(name) || ofServices.has(name) || isExtended(name);
}

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-') || name.startsWith('requests.hugepages-');
}

/** `requests.nvidia.com/gpu`: what is nobody's but a vendor's. */
export function isExtended(name: string): boolean {
  return name.startsWith('requests.') && name.includes('/') && !name.includes('kubernetes.io/');
}
