import {
  controllerOf,
  type Deployment,
  type KubeObject,
  type Pod,
  type ReplicaSet,
  type StatefulSet,
} from '@signalbox/cluster';
import { isPodActive, isPodTerminal, podReady } from '@signalbox/cluster/testing';
import { type Finding, nameOf, type World } from '../world.ts';

function ownedBy<T extends KubeObject>(owner: KubeObject, objects: readonly T[]): readonly T[] {
  return objects.filter((object) => controllerOf(object)?.uid === owner.metadata.uid);
}

interface Counted extends KubeObject {
  readonly status?: { readonly observedGeneration?: number };
}

function* compare(object: Counted, truth: Readonly<Record<string, number | undefined>>): Iterable<Finding> {
  const said = (object.status ?? {}) as Readonly<Record<string, unknown>>;
  for (const [field, value] of Object.entries({ ...truth, observedGeneration: object.metadata.generation }))
    if ((said[field] ?? 0) !== (value ?? 0))
      yield `${nameOf(object)} says ${field} ${String(said[field])}; it is ${value}`;
}

/** Holds at rest: as many pods as are wanted, and a status that counts them. */
export function* replicasets(world: World): Iterable<Finding> {
  for (const set of world.replicasets) {
    if (set.metadata.deletionTimestamp !== undefined) continue;
    const active = ownedBy(set, world.pods).filter(isPodActive);
    const wanted = set.spec?.replicas ?? 1;
    if (active.length !== wanted) yield `${nameOf(set)} has ${active.length} pods and wants ${wanted}`;
    yield* compare(set, { replicas: active.length, readyReplicas: active.filter(podReady).length });
  }
}

/** Holds at rest: identities below the count, in place unless one of them cannot become ready. */
export function* statefulsets(world: World): Iterable<Finding> {
  for (const set of world.statefulsets) {
    if (set.metadata.deletionTimestamp !== undefined) continue;
    const own = ownedBy(set, world.pods);
    const { replicas = 1 } = set.spec;
    const ordinals = own.map((pod) => ordinalOf(set, pod));
    if (new Set(ordinals).size < ordinals.length) yield `${nameOf(set)} has an ordinal twice: ${ordinals.join()}`;
    const isStuck = own.some((pod) => !podReady(pod)) || isBlocked(set, world);
    const surplus = ordinals.filter((ordinal) => !(ordinal < replicas));
    if (surplus.length > 0 && !isStuck) yield `${nameOf(set)} wants ${replicas} and has ${ordinals.join()}`;
    if (!isStuck && own.length < replicas) yield `${nameOf(set)} wants ${replicas} and has ${ordinals.join()}`;
    yield* compare(set, { replicas: own.length, readyReplicas: own.filter(podReady).length });
    if (!isStuck) yield* statefulRollout(set, own);
  }
}

/** A pod of that name that belongs to nobody keeps its place. */
function isBlocked({ metadata }: StatefulSet, { pods }: World): boolean {
  return pods.some(
    (pod) =>
      pod.metadata.namespace === metadata.namespace &&
      pod.metadata.name.startsWith(`${metadata.name}-`) &&
      controllerOf(pod)?.uid !== metadata.uid,
  );
}

function* statefulRollout(set: StatefulSet, own: readonly Pod[]): Iterable<Finding> {
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  const image = set.spec.template.spec?.containers[0]?.image;
  for (const pod of own)
    if (ordinalOf(set, pod) >= partition && pod.spec.containers[0]?.image !== image)
      yield `${nameOf(pod)} has an old image although nothing hinders the rollout`;
}

function ordinalOf({ metadata }: StatefulSet, pod: Pod): number {
  return Number(pod.metadata.name.slice(metadata.name.length + 1));
}

/** Holds at rest: the counts add up, and a rollout that nothing hinders is over. */
export function* deployments(world: World): Iterable<Finding> {
  for (const deployment of world.deployments) {
    if (deployment.metadata.deletionTimestamp !== undefined) continue;
    const sets = ownedBy(deployment, world.replicasets);
    const pods = sets.flatMap((set) => ownedBy(set, world.pods)).filter(isPodActive);
    yield* compare(deployment, { replicas: pods.length, readyReplicas: pods.filter(podReady).length });
    yield* deploymentRollout(deployment, { sets, pods });
  }
}

function* deploymentRollout(
  deployment: Deployment,
  { sets, pods }: { readonly sets: readonly ReplicaSet[]; readonly pods: readonly Pod[] },
): Iterable<Finding> {
  const { replicas = 1, paused = false, template } = deployment.spec;
  if (paused || pods.some((pod) => !podReady(pod) || isPodTerminal(pod))) return;
  if (pods.length !== replicas) yield `${nameOf(deployment)} wants ${replicas} and has ${pods.length}`;
  const image = template.spec?.containers[0]?.image;
  const old = pods.filter((pod) => pod.spec.containers[0]?.image !== image);
  if (old.length > 0) yield `${nameOf(deployment)} has ${old.length} pods of an old template`;
  const limit = (deployment.spec.revisionHistoryLimit ?? 10) + 1;
  if (sets.length > limit) yield `${nameOf(deployment)} keeps ${sets.length} ReplicaSets; at most ${limit} are wanted`;
}
