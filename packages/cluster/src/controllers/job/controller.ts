import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { jobs, pods } from '../../api/generated/kinds.ts';
import { isOfKind } from '../../api/gvk.ts';
import { controllerOf, type Key } from '../../api/meta.ts';
import type { CacheEvent, Caches, Index } from '../../client/cache.ts';
import { isTracked, jobNameLabel, jobNameLabelLegacy } from '../../resources/batch/facts.ts';
import { type Controller, mapped, nobody, owned, primary } from '../../runtime/controller.ts';
import { type Claims, claimFrom } from '../../workloads/claim.ts';
import { orphanPods } from '../../workloads/indexes.ts';
import type { Selecting } from '../../workloads/selecting.ts';
import { orphaned } from '../../workloads/watch.ts';
import { type Observed, plan } from './plan.ts';

/** Pods that run until they have succeeded often enough. */
export const jobController: Controller<Observed> = {
  name: 'job',
  watches: [primary(jobs), mapped(pods, jobsOfPod)],
  observe,
  plan,
};

const none: Claims<Pod> = Object.freeze({ claimed: [], adopted: [], released: [] });
/** Who answers for Jobs that name nobody. */
const ourselves = 'kubernetes.io/job-controller';

export function observe(key: Key, caches: Caches): Observed | undefined {
  const job = caches.of(jobs).get(key);
  const tracked = caches.of(pods).by(trackedPods, key);
  if (job === undefined)
    return tracked.length === 0 ? undefined : { job, pods: none, strays: tracked.filter(isOfJobOrNobody) };
  if ((job.spec.managedBy ?? ourselves) !== ourselves) return undefined;
  const claims = claimFrom(job as Job & Selecting, { type: pods, orphans: orphanPods, caches });
  return { job, pods: claims, strays: straysOf(job, { tracked, claims }) };
}

function straysOf(
  job: Job,
  { tracked, claims }: { readonly tracked: readonly Pod[]; readonly claims: Claims<Pod> },
): readonly Pod[] {
  return tracked.filter(
    (pod) => isOfJobOrNobody(pod) && controllerOf(pod)?.uid !== job.metadata.uid && !claims.adopted.includes(pod),
  );
}

function isOfJobOrNobody(pod: Pod): boolean {
  const owner = controllerOf(pod);
  return owner === undefined || isOfKind(owner, jobs);
}

/** Pods that wait to be counted, by the Job that should count them. */
const trackedPods: Index<Pod> = {
  name: 'tracked pods',
  valuesOf: (pod) => (isTracked(pod) ? [countingJob(pod)] : []),
};

function countingJob(pod: Pod): Key {
  const { namespace, labels } = pod.metadata;
  const name = controllerOf(pod)?.name ?? labels?.[jobNameLabel] ?? labels?.[jobNameLabelLegacy] ?? '';
  return `${namespace}/${name}`;
}

const owners = owned(pods, jobs);
const takers = orphaned(pods, jobs);

/**
 * Whose pod it is, was, or may become. One that still waits to be counted and has no controller any more wakes the Job that would have
 * counted it, be it gone. Nearly all pods are of somebody else, and cost one look.
 */
function jobsOfPod(event: CacheEvent<Pod>, caches: Caches): Iterable<Key> {
  const { type, object, previous } = event;
  const owner = controllerOf(object);
  const isForeign = owner !== undefined && owner.kind !== jobs.kind;
  if (isForeign && (previous === undefined || controllerOf(previous)?.uid === owner.uid)) return nobody;
  const owning = owners.keysOf(event, caches);
  if (owner !== undefined) return owning;
  const keys = [...owning, ...takers.keysOf(event, caches)];
  return type !== 'deleted' && isTracked(object) ? [...keys, countingJob(object)] : keys;
}
