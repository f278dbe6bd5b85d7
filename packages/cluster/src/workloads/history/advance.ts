import type { ControllerRevision } from '../../api/generated/apps-v1.ts';
import type { PodTemplateSpec } from '../../api/generated/core-v1.ts';
import { controllerrevisions } from '../../api/generated/kinds.ts';
import { successor } from '../../base/exact-json.ts';
import type { Action } from '../../runtime/plan.ts';
import { inOrderOfRevision, keepsTemplate } from './revision.ts';

/** Where a template stands in its owner's history. */
export interface Advance {
  /** The revision that keeps the template; undefined: it has to be created with {@link Advance.revision}. */
  readonly current: ControllerRevision | undefined;
  /** The number that the current revision has or will have: always the highest. */
  readonly revision: number;
  /** Further revisions that keep the same template: made by hand or by a crash. Oldest first. */
  readonly duplicates: readonly ControllerRevision[];
  /** Revisions of other templates, oldest first. */
  readonly previous: readonly ControllerRevision[];
  /** Moves the number of a revision that is current again, as after a rollback. */
  readonly actions: readonly Action[];
}

export function advance(revisions: readonly ControllerRevision[], template: PodTemplateSpec): Advance {
  const ordered = inOrderOfRevision(revisions);
  const same = ordered.filter((revision) => keepsTemplate(revision, template));
  const previous = ordered.filter((revision) => !same.includes(revision));
  const highest = previous.at(-1)?.revision ?? 0;
  const next = successor(highest);
  const current = same.at(-1);
  const duplicates = same.slice(0, -1);
  if (current === undefined) return { current, revision: next, duplicates, previous, actions: [] };
  if (current.revision > highest) return { current, revision: current.revision, duplicates, previous, actions: [] };
  const renumbered = { ...current, revision: next };
  const actions: readonly Action[] = [{ do: 'update', type: controllerrevisions, object: renumbered }];
  return { current, revision: next, duplicates, previous, actions };
}

export interface Trimming {
  readonly limit: number;
  /** Whether something still runs this revision. */
  readonly isLive: (revision: ControllerRevision) => boolean;
}

/** The oldest revisions beyond the limit, except those that something still runs. `previous` is oldest first. */
export function surplusRevisions(
  previous: readonly ControllerRevision[],
  { limit, isLive }: Trimming,
): readonly ControllerRevision[] {
  const surplus = previous.length - limit;
  if (surplus <= 0) return [];
  return previous.filter((revision) => !isLive(revision)).slice(0, surplus);
}
