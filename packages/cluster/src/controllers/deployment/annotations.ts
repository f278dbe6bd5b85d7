import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';

const prefix = 'deployment.kubernetes.io';
export const revisionAnnotation: string = `${prefix}/revision`;
const revisionHistoryAnnotation = `${prefix}/revision-history`;
const desiredAnnotation = `${prefix}/desired-replicas`;
const maxAnnotation = `${prefix}/max-replicas`;

/** What a ReplicaSet does not take over from its Deployment. */
const ownAnnotations: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredAnnotation,
  maxAnnotation,
  'deprecated.deployment.rollback.to',
]);

type Annotations = Readonly<Record<string, string>>;

/** The number of a ReplicaSet in its Deployment's history; 0 when it has none. */
export function revisionOf({ metadata }: ReplicaSet): number {
  return numberIn(metadata.annotations, revisionAnnotation) ?? 0;
}

/** The Deployment's size when the ReplicaSet was last scaled. A difference tells that the Deployment was scaled since. */
export function desiredReplicasIn({ metadata }: ReplicaSet): number | undefined {
  return numberIn(metadata.annotations, desiredAnnotation);
}

/** The Deployment's size with surge when the ReplicaSet was last scaled: the base of proportional scaling. */
export function maxReplicasIn({ metadata }: ReplicaSet): number | undefined {
  return numberIn(metadata.annotations, maxAnnotation);
}

export function sizeAnnotations(size: { readonly desired: number; readonly max: number }): Annotations {
  return { [desiredAnnotation]: String(size.desired), [maxAnnotation]: String(size.max) };
}

/** What goes from the Deployment to each of its ReplicaSets, e.g. `kubernetes.io/change-cause`. */
export function inheritedAnnotations({ metadata }: Deployment): Annotations {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => !ownAnnotations.has(key)));
}

/** A ReplicaSet that is current again moves to the end of the history and remembers where it has been. */
export function revisionAnnotations(replicaset: ReplicaSet, revision: number): Annotations {
  const before = revisionOf(replicaset);
  if (before >= revision) return {};
  if (before === 0) return { [revisionAnnotation]: String(revision) };
  const history = replicaset.metadata.annotations?.[revisionHistoryAnnotation];
  const longer = history === undefined || history === '' ? String(before) : `${history},${before}`;
  return { [revisionAnnotation]: String(revision), [revisionHistoryAnnotation]: longer };
}

function numberIn(annotations: Annotations | undefined, key: string): number | undefined {
  const text = annotations?.[key];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
