import type { ControllerRevision, StatefulSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { controllerrevisions } from '../../api/generated/kinds.ts';
import type { Action, Delete } from '../../runtime/plan.ts';
import { advance, surplusRevisions } from '../../workloads/history/advance.ts';
import { inOrderOfRevision, newRevision, type RevisionName, templateOf } from '../../workloads/history/revision.ts';
import { revisionOf, type Version } from './identity.ts';

const hashLabel = 'controller.kubernetes.io/hash';

export interface History {
  /** What the set comes from: pods below the partition have it. */
  readonly current: Version;
  /** What the set goes to. */
  readonly update: Version;
  readonly collisionCount: number;
  readonly actions: readonly Action[];
}

export function planHistory(
  set: StatefulSet,
  { revisions, naming }: { readonly revisions: readonly ControllerRevision[]; readonly naming: RevisionName },
): History {
  const { template } = set.spec;
  const step = advance(revisions, template);
  const name = step.current?.metadata.name ?? naming.name;
  const update: Version = { name, template };
  const created = step.current === undefined && naming.existing === undefined;
  const actions: readonly Action[] = created
    ? [{ do: 'create', type: controllerrevisions, object: revisionOfSet(set, { naming, revision: step.revision }) }]
    : step.actions;
  const { collisionCount = 0 } = set.status ?? {};
  return {
    current: currentVersion(set, revisions) ?? update,
    update,
    collisionCount: step.current === undefined ? Math.max(collisionCount, naming.collisionCount) : collisionCount,
    actions,
  };
}

/** Revisions that nothing needs any more, beyond `revisionHistoryLimit`. */
export function planCleanup(
  set: StatefulSet,
  {
    history,
    revisions,
    pods,
  }: { readonly history: History; readonly revisions: readonly ControllerRevision[]; readonly pods: readonly Pod[] },
): readonly Delete[] {
  const live = new Set([history.current.name, history.update.name, ...pods.map(revisionOf)]);
  const idle = inOrderOfRevision(revisions).filter(({ metadata }) => !live.has(metadata.name));
  const limit = set.spec.revisionHistoryLimit ?? 10;
  return surplusRevisions(idle, { limit, isLive: () => false }).map((target) => ({
    do: 'delete',
    type: controllerrevisions,
    target,
  }));
}

function currentVersion(set: StatefulSet, revisions: readonly ControllerRevision[]): Version | undefined {
  const found = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision);
  const template = found && templateOf(found);
  return found && template && { name: found.metadata.name, template };
}

function revisionOfSet(
  set: StatefulSet,
  { naming, revision }: { readonly naming: RevisionName; readonly revision: number },
): ReturnType<typeof newRevision> {
  const { name, hash } = naming;
  return newRevision({ owner: set, name, revision, template: set.spec.template, labels: { [hashLabel]: hash } });
}
