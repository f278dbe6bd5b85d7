import type { Pod, ResourceQuota } from '../../../api/generated/core-v1.ts';
import { pods } from '../../../api/generated/kinds.ts';
import { isSameResource, resourceName } from '../../../api/gvk.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { added, lessened, listed, type Measures, measuresOf, noMeasures, only, withoutZeros } from './measures.ts';
import { countedResource } from './names.ts';
import { missingDemands } from './required.ts';
import { isInScopes, scopesOf } from './scopes.ts';
import { type Counted, usageOf } from './usage.ts';

/** A write of an object that quotas may count. */
export interface Charged {
  readonly type: Counted;
  readonly object: KubeObject;
  /** Absent: the object is new. */
  readonly previous?: KubeObject;
  readonly nowMs: number;
}

export type QuotaVerdict =
  | { readonly allowed: true; readonly charge: Measures }
  /** In upstream's words, which start with what kind of refusal it is. */
  | { readonly allowed: false; readonly why: string };

const nothing: QuotaVerdict = { allowed: true, charge: noMeasures };

/**
 * Whether a quota leaves room for a write, and what the write takes of it. What counts is the quota's status, as its controller
 * and earlier charges left it, and what others hold that is not in it yet.
 */
export function judgeQuota(quota: ResourceQuota, charged: Charged, held: Measures): QuotaVerdict {
  const { type, object, previous } = charged;
  const { hard = {}, used = {} } = quota.status ?? {};
  const resource = resourceName(type);
  const isLimited = (name: string): boolean => hard[name] !== undefined && countedResource(name) === resource;
  const limited = Object.keys(hard).filter(isLimited);
  if (limited.length === 0 || !isInScopes(scopesOf(quota), type, object)) return nothing;
  const { name } = quota.metadata;
  const missing = isSameResource(type, pods) ? missingDemands(object as Pod, isLimited) : undefined;
  if (missing !== undefined) return { allowed: false, why: `failed quota: ${name}: ${missing}` };
  const unknown = limited.filter((each) => used[each] === undefined).sort();
  if (unknown.length > 0)
    return { allowed: false, why: `status unknown for quota: ${name}, resources: ${unknown.join(',')}` };
  const requested = withoutZeros(only(taken(quota, charged), isLimited));
  if (requested.size === 0) return nothing;
  const before = added(measuresOf(used), only(held, isLimited));
  const after = added(before, requested);
  const allowed = measuresOf(hard);
  const isExceeded = (each: string): boolean =>
    requested.has(each) && (after.get(each)?.nano ?? 0n) > (allowed.get(each)?.nano ?? 0n);
  const exceeded = only(requested, isExceeded);
  if (exceeded.size === 0) return { allowed: true, charge: requested };
  const shown = [exceeded, only(before, isExceeded), only(allowed, isExceeded)].map(listed);
  return {
    allowed: false,
    why: `exceeded quota: ${name}, requested: ${shown[0]}, used: ${shown[1]}, limited: ${shown[2]}`,
  };

  function taken(of: ResourceQuota, write: Charged): Measures {
    const usage = usageOf(type, object, write.nowMs);
    if (previous === undefined || !isInScopes(scopesOf(of), type, previous)) return usage;
    return lessened(usage, usageOf(type, previous, write.nowMs));
  }
}

/** Doors by which a change counts: what else can change of an object is nothing that quotas limit. */
export function countsChanges(type: Counted, subresource: string | undefined): boolean {
  if (isSameResource(type, pods)) return subresource === 'resize';
  return subresource === undefined && changing.has(resourceName(type));
}

const changing: ReadonlySet<string> = new Set(['services', 'persistentvolumeclaims', 'resourceclaims.resource.k8s.io']);

/** What of a quota's limits is used by these objects: what its status is to say. Limits on what nobody counts have no use. */
export function countUsage(
  quota: ResourceQuota,
  {
    hard,
    objects,
    nowMs,
  }: {
    readonly hard: Readonly<Record<string, string>>;
    readonly objects: Iterable<readonly [Counted, readonly KubeObject[]]>;
    readonly nowMs: number;
  },
): Measures {
  const scopes = scopesOf(quota);
  const zero = { nano: 0n, like: '' };
  let used: Measures = noMeasures;
  for (const [type, all] of objects) {
    const resource = resourceName(type);
    const names = new Set(Object.keys(hard).filter((name) => countedResource(name) === resource));
    used = added(used, new Map([...names].map((name) => [name, zero])));
    const counted = all.filter((object) => isInScopes(scopes, type, object));
    used = counted.reduce(
      (sum, object) =>
        added(
          sum,
          only(usageOf(type, object, nowMs), (name) => names.has(name)),
        ),
      used,
    );
  }
  return used;
}
