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

/** The number of a ReplicaSet in its Deployment's history; 0 when it has none. It has up to 64 bits. */
export function revisionOf({ metadata }: ReplicaSet): bigint {
  return BigInt(digitsIn(metadata.annotations, revisionAnnotation) ?? '0');
}

export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [revisionOf(a), revisionOf(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
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
export function revisionAnnotations(replicaset: ReplicaSet, revision: bigint): Annotations {
  const before = revisionOf(replicaset);
  if (before >= revision) return {};
  if (before === 0n) return { [revisionAnnotation]: String(revision) };
  const history = replicaset.metadata.annotations?.[revisionHistoryAnnotation];
  const longer = history === undefined || history === '' ? String(before) : `${history},${before}`;
  return { [revisionAnnotation]: String(revision), [revisionHistoryAnnotation]: longer };
}

function numberIn(annotations: Annotations | undefined, key: string): number | undefined {
  const digits = digitsIn(annotations, key);
  return digits === undefined ? undefined : Number(digits);
}

function digitsIn(annotations: Annotations | undefined, key: string): string | undefined {
  const text = annotations?.[key];
  return text !== undefined && /^\d{1,19}$/.test(text) ? text : undefined;
}
