import type { ControllerRevision, DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { controllerrevisions, pods as podsType } from '../../api/generated/kinds.ts';
import type { Action, Delete } from '../../runtime/plan.ts';
import { type Advance, advance, surplusRevisions } from '../../workloads/history/advance.ts';
import { newRevision, type RevisionName } from '../../workloads/history/revision.ts';
import { hashLabel, hashOf } from './pod.ts';

export interface History {
  /** What pods of the current template carry in `controller-revision-hash`. */
  readonly hash: string;
  /** Set when a name had been taken: goes into the status, so that the next hash differs too. */
  readonly collisionCount: number | undefined;
  readonly previous: readonly ControllerRevision[];
  readonly actions: readonly Action[];
  /** The pods' labels are being put right: judge the pods by the next look. */
  readonly relabels: boolean;
}

export interface HistoryFacts {
  /** All of them: asked only where it matters. */
  readonly pods: () => readonly Pod[];
  readonly revisions: readonly ControllerRevision[];
  /** Where a revision of the template would go. */
  readonly naming: RevisionName;
}

export function planHistory(daemonset: DaemonSet, { pods, revisions, naming }: HistoryFacts): History {
  const step = advance(revisions, daemonset.spec.template);
  const { collisionCount } = daemonset.status ?? {};
  const labelled = revisions.filter(lacksHash).map(labelWithName);
  if (step.current !== undefined) {
    const hash = revisionHash(step.current);
    const merged = mergeDuplicates(step, { pods, hash });
    const actions = [...labelled, ...step.actions, ...merged];
    return { hash, collisionCount, previous: step.previous, actions, relabels: merged.length > 0 };
  }
  const actions = [...labelled, ...creation(daemonset, { naming, revision: step.revision })];
  const collisions = naming.collisionCount > 0 ? naming.collisionCount : collisionCount;
  return { hash: naming.hash, collisionCount: collisions, previous: step.previous, actions, relabels: false };
}

/** Old revisions beyond `revisionHistoryLimit` whose pods are all gone. */
export function planCleanup(
  daemonset: DaemonSet,
  { previous, pods }: { readonly previous: readonly ControllerRevision[]; readonly pods: () => readonly Pod[] },
): readonly Delete[] {
  const limit = daemonset.spec.revisionHistoryLimit ?? 10;
  if (previous.length <= limit) return [];
  const live = new Set(pods().map(hashOf));
  return surplusRevisions(previous, { limit, isLive: (revision) => live.has(revisionHash(revision)) }).map(deletion);
}

/** While the same template stands there in other hands, its name is used and its end awaited. */
function creation(
  daemonset: DaemonSet,
  { naming, revision }: { readonly naming: RevisionName; readonly revision: number },
): readonly Action[] {
  if (naming.existing !== undefined) return [];
  const { name, hash } = naming;
  const { template } = daemonset.spec;
  const object = newRevision({ owner: daemonset, name, revision, template, labels: { [hashLabel]: hash } });
  return [{ do: 'create', type: controllerrevisions, object }];
}

function mergeDuplicates(
  { duplicates }: Advance,
  { pods, hash }: { readonly pods: () => readonly Pod[]; readonly hash: string },
): readonly Action[] {
  if (duplicates.length === 0) return [];
  const hashes = new Set(duplicates.map(revisionHash));
  const strayed = pods().filter((pod) => hashOf(pod) !== hash && hashes.has(hashOf(pod) ?? ''));
  return [...strayed.map((pod) => label(podsType, { target: pod, hash })), ...duplicates.map(deletion)];
}

function lacksHash({ metadata }: ControllerRevision): boolean {
  return metadata.labels?.[hashLabel] === undefined;
}

/** A revision made by hand goes by its own name. */
function labelWithName(revision: ControllerRevision): Action {
  return label(controllerrevisions, { target: revision, hash: revision.metadata.name });
}

function label(
  type: typeof podsType | typeof controllerrevisions,
  { target, hash }: { readonly target: Pod | ControllerRevision; readonly hash: string },
): Action {
  return { do: 'patch', type, target, patchType: 'merge', body: { metadata: { labels: { [hashLabel]: hash } } } };
}

function deletion(revision: ControllerRevision): Delete {
  return { do: 'delete', type: controllerrevisions, target: revision };
}

function revisionHash({ metadata }: ControllerRevision): string {
  return metadata.labels?.[hashLabel] ?? metadata.name;
}
