import type { PersistentVolumeClaim, Pod, Service } from '../../../api/generated/core-v1.ts';
import type { ResourceClaim } from '../../../api/generated/resource-v1.ts';
import { type GroupVersionResource, resourceName } from '../../../api/gvk.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { fromTimestamp } from '../../../base/clock.ts';
import { podAmounts } from '../limits/pod-amounts.ts';
import { heldSpec, isPodTerminal } from '../pod/facts.ts';
import {
  added,
  countMeasure,
  type Measure,
  type Measures,
  measureOf,
  measuresOf,
  noMeasures,
  only,
} from './measures.ts';
import { countNames, deviceClassSuffix, isExtended } from './names.ts';

export type Counted = Pick<GroupVersionResource, 'group' | 'resource'>;

const one: Measure = countMeasure(1);
const unit = 1_000_000_000n;

/** What an object takes of quotas, under every name that a quota may have for it. */
export function usageOf(type: Counted, object: KubeObject, nowMs: number): Measures {
  const resource = resourceName(type);
  switch (resource) {
    case 'pods':
      return podUsage(object as Pod, nowMs);
    case 'services':
      return added(counts(resource), serviceUsage(object as Service));
    case 'persistentvolumeclaims':
      return added(counts(resource), claimUsage(object as PersistentVolumeClaim));
    case 'resourceclaims.resource.k8s.io':
      return added(counts(resource), deviceUsage(object as ResourceClaim));
    default:
      return counts(resource);
  }
}

const countsByResource = new Map<string, Measures>();

function counts(resource: string): Measures {
  let known = countsByResource.get(resource);
  if (known === undefined) {
    known = new Map(countNames(resource).map((name) => [name, one]));
    if (countsByResource.size >= 1_000) countsByResource.clear();
    countsByResource.set(resource, known);
  }
  return known;
}

/** One that has ended takes nothing but its place in the store. */
function podUsage(pod: Pod, nowMs: number): Measures {
  const usage = new Map<string, Measure>([['count/pods', one]]);
  if (isPodTerminal(pod) || shouldBeGone(pod, nowMs)) return usage;
  usage.set('pods', one);
  const runtime = measuresOf(pod.spec.overhead);
  const spec = heldSpec(pod);
  for (const [name, measure] of added(measuresOf(podAmounts(spec, 'requests')), runtime)) {
    if (isPlain(name) || name.startsWith('hugepages-')) {
      usage.set(name, measure);
      usage.set(`requests.${name}`, measure);
    } else if (isExtended(`requests.${name}`)) usage.set(`requests.${name}`, measure);
  }
  const limits = measuresOf(podAmounts(spec, 'limits'));
  // What the runtime takes for itself makes no limit where there is none.
  const both = added(
    limits,
    only(runtime, (name) => limits.has(name)),
  );
  for (const [name, measure] of both) if (isPlain(name)) usage.set(`limits.${name}`, measure);
  return usage;
}

function isPlain(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage';
}

/** Its node is lost, and nobody will ever say that it has ended. */
function shouldBeGone({ metadata }: Pod, nowMs: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return nowMs > fromTimestamp(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function serviceUsage({ spec }: Service): Measures {
  const ports = spec?.ports ?? [];
  if (spec?.type === 'NodePort') return new Map([['services.nodeports', countMeasure(ports.length)]]);
  if (spec?.type !== 'LoadBalancer') return noMeasures;
  const chosen =
    spec.allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort = 0 }) => nodePort !== 0) : ports;
  return new Map([
    ['services.nodeports', countMeasure(chosen.length)],
    ['services.loadbalancers', one],
  ]);
}

function claimUsage(claim: PersistentVolumeClaim): Measures {
  const usage = new Map<string, Measure>();
  const { storageClassName } = claim.spec;
  const name = claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? storageClassName ?? '';
  const prefix = `${name}.storageclass.storage.k8s.io/`;
  if (name !== '') usage.set(`${prefix}persistentvolumeclaims`, one);
  const asked = claim.spec.resources?.requests?.['storage'];
  if (asked === undefined) return usage;
  const [request, allocated] = [wholly(asked), wholly(claim.status?.allocatedResources?.['storage'] ?? '0')];
  const storage = allocated.nano > request.nano ? allocated : request;
  usage.set('requests.storage', storage);
  if (name !== '') usage.set(`${prefix}requests.storage`, storage);
  return usage;
}

function wholly(amount: string): Measure {
  const { nano, like } = measureOf(amount);
  return { nano: ((nano + unit - 1n) / unit) * unit, like };
}

/** Of requests that leave a choice the dearest counts for each class. */
function deviceUsage({ spec }: ResourceClaim): Measures {
  let usage: Measures = noMeasures;
  for (const { exactly, firstAvailable = [] } of spec.devices?.requests ?? []) {
    const most = new Map<string, number>();
    for (const { deviceClassName = '', allocationMode, count = 1 } of [
      ...(exactly ? [exactly] : []),
      ...firstAvailable,
    ]) {
      // How many all are is known when they are given out: as upstream, the most that a claim can get.
      const wanted = allocationMode === 'All' ? devicesMax : count;
      most.set(deviceClassName, Math.max(wanted, most.get(deviceClassName) ?? 0));
    }
    usage = added(
      usage,
      new Map([...most].map(([name, count]) => [`${name}${deviceClassSuffix}`, countMeasure(count)])),
    );
  }
  return usage;
}

const devicesMax = 32;
