import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { PodTemplateSpec } from '../../api/generated/core-v1.ts';
import type { New } from '../../api/meta.ts';
import type { Cache } from '../../client/cache.ts';
import { canonicalText } from '../../workloads/history/canonical.ts';
import { templateHash } from '../../workloads/history/hash.ts';
import { controllerReference } from '../../workloads/owner.ts';
import { byRevision, inheritedAnnotations, revisionAnnotation, revisionOf, sizeAnnotations } from './annotations.ts';
import type { Budget } from './budget.ts';

export const hashLabel = 'pod-template-hash';

/** The ReplicaSets of a Deployment: the one of its template, and the others, oldest first. */
export interface Generations {
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
  /** The number that the template's ReplicaSet has to have: one more than any other. */
  readonly revision: bigint;
}

export function generationsOf(deployment: Deployment, replicasets: readonly ReplicaSet[]): Generations {
  const wanted = textWithoutHash(deployment.spec.template);
  const ordered = [...replicasets].sort(byAge);
  // The oldest, should there be several, so that all syncs pick the same.
  const current = ordered.find(({ spec }) => spec.template !== undefined && textWithoutHash(spec.template) === wanted);
  const old = ordered.filter((replicaset) => replicaset !== current);
  const latest = [...old].sort(byRevision).at(-1);
  return { current, old, revision: (latest === undefined ? 0n : revisionOf(latest)) + 1n };
}

export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const { creationTimestamp: createdA, name: nameA } = a.metadata;
  const { creationTimestamp: createdB, name: nameB } = b.metadata;
  if (createdA !== createdB) return createdA < createdB ? -1 : 1;
  return nameA < nameB ? -1 : 1;
}

export function sizeOf({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}

export function totalSize(replicasets: readonly ReplicaSet[]): number {
  return replicasets.reduce((total, replicaset) => total + sizeOf(replicaset), 0);
}

const texts = new WeakMap<PodTemplateSpec, string>();

function textWithoutHash(template: PodTemplateSpec): string {
  const known = texts.get(template);
  if (known !== undefined) return known;
  const { [hashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  const text = canonicalText({ ...template, metadata: { ...template.metadata, labels } });
  texts.set(template, text);
  return text;
}

/** The name of the ReplicaSet that has yet to be made. */
export interface GenerationName {
  readonly name: string;
  readonly hash: string;
  /** How often the hash had to be changed because something else had taken the name. */
  readonly collisionCount: number;
}

export function generationName(deployment: Deployment, replicasets: Pick<Cache<ReplicaSet>, 'get'>): GenerationName {
  const { name: owner, namespace } = deployment.metadata;
  for (let collisionCount = deployment.status?.collisionCount ?? 0; ; collisionCount++) {
    const hash = templateHash(deployment.spec.template, collisionCount);
    const name = `${owner}-${hash}`;
    if (replicasets.get(`${namespace}/${name}`) === undefined) return { name, hash, collisionCount };
  }
}

export interface NewGeneration {
  readonly naming: GenerationName;
  readonly revision: bigint;
  readonly replicas: number;
  readonly budget: Budget;
}

export function newGeneration(
  deployment: Deployment,
  { naming, revision, replicas, budget }: NewGeneration,
): New<ReplicaSet> {
  const { template, selector, minReadySeconds } = deployment.spec;
  const { namespace } = deployment.metadata;
  const labels = { ...template.metadata?.labels, [hashLabel]: naming.hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: naming.name,
      ...(namespace !== undefined && { namespace }),
      labels,
      annotations: {
        ...inheritedAnnotations(deployment),
        ...sizeAnnotations({ desired: budget.replicas, max: budget.replicas + budget.maxSurge }),
        [revisionAnnotation]: String(revision),
      },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: naming.hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
