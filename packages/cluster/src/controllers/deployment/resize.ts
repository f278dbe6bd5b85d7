import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { replicasets } from '../../api/generated/kinds.ts';
import { equal } from '../../base/equal.ts';
import type { Update } from '../../runtime/plan.ts';
import { inheritedAnnotations, revisionAnnotations, sizeAnnotations } from './annotations.ts';
import type { Budget } from './budget.ts';
import { sizeOf } from './generations.ts';

/** New sizes of ReplicaSets. */
export type Sizes = ReadonlyMap<ReplicaSet, number>;

export interface Resizing {
  readonly budget: Budget;
  readonly sizes: Sizes;
  /** The ReplicaSet of the template, which also takes over what else the Deployment says. */
  readonly current: ReplicaSet | undefined;
  readonly revision: bigint;
}

/** One write per ReplicaSet that has to change: its size, its place in the history, what it inherits. */
export function resize(deployment: Deployment, resizing: Resizing): readonly Update[] {
  const { current, sizes } = resizing;
  const touched = new Set(current === undefined ? sizes.keys() : [current, ...sizes.keys()]);
  return [...touched].flatMap((replicaset) => {
    const object = resized(replicaset, { deployment, resizing });
    if (equal(object, replicaset)) return [];
    return [updateOf(object, { deployment, from: sizeOf(replicaset) })];
  });
}

function resized(
  replicaset: ReplicaSet,
  { deployment, resizing }: { readonly deployment: Deployment; readonly resizing: Resizing },
): ReplicaSet {
  const { current, sizes, revision, budget } = resizing;
  const size = sizes.get(replicaset);
  const { minReadySeconds = 0 } = deployment.spec;
  const isCurrent = replicaset === current;
  const annotations = {
    ...replicaset.metadata.annotations,
    ...(isCurrent && { ...inheritedAnnotations(deployment), ...revisionAnnotations(replicaset, revision) }),
    ...(size !== undefined && sizeAnnotations({ desired: budget.replicas, max: budget.replicas + budget.maxSurge })),
  };
  return {
    ...replicaset,
    metadata: { ...replicaset.metadata, annotations },
    spec: {
      ...replicaset.spec,
      ...(size !== undefined && { replicas: size }),
      ...(isCurrent && minReadySeconds !== (replicaset.spec.minReadySeconds ?? 0) && { minReadySeconds }),
    },
  };
}

function updateOf(
  object: ReplicaSet,
  { deployment, from }: { readonly deployment: Deployment; readonly from: number },
): Update {
  const to = sizeOf(object);
  if (from === to) return { do: 'update', type: replicasets, object };
  const note = `Scaled ${to > from ? 'up' : 'down'} replica set {name} from ${from} to ${to}`;
  return {
    do: 'update',
    type: replicasets,
    object,
    announce: { regarding: deployment, done: { reason: 'ScalingReplicaSet', note } },
  };
}
