import type { ControllerRevision, DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Node } from '../../api/generated/core-v1.ts';
import { controllerrevisions, daemonsets, nodes } from '../../api/generated/kinds.ts';
import type { Key } from '../../api/meta.ts';
import type { Cache, Caches } from '../../client/cache.ts';
import { type Claims, claimFrom } from '../../workloads/claim.ts';
import { type RevisionName, revisionName } from '../../workloads/history/revision.ts';
import { orphanRevisions } from '../../workloads/indexes.ts';
import type { Backoffs } from './failed-pods.ts';
import { type Keeping, keep } from './kept.ts';

/** What the controller remembers of a DaemonSet from look to look. */
export interface Memory {
  /** Only what it costs to look depends on it. */
  readonly kept?: Keeping;
  readonly backoffs: Backoffs | undefined;
}

export interface Observed {
  readonly daemonset: DaemonSet;
  readonly nodes: Pick<Cache<Node>, 'get'>;
  readonly kept: Keeping;
  readonly revisions: Claims<ControllerRevision>;
  /** Where a revision of the template would go. */
  readonly naming: RevisionName;
  readonly backoffs: Backoffs | undefined;
}

export function observe(key: Key, caches: Caches, memory: Memory | undefined): Observed | undefined {
  const daemonset = caches.of(daemonsets).get(key);
  if (daemonset === undefined) return undefined;
  const { name, namespace } = daemonset.metadata;
  return {
    daemonset,
    nodes: caches.of(nodes),
    kept: keep(daemonset, { caches, before: memory?.kept }),
    revisions: claimFrom(daemonset, { type: controllerrevisions, orphans: orphanRevisions, caches }),
    naming: revisionName({
      prefix: name,
      template: daemonset.spec.template,
      namespace,
      collisionCount: daemonset.status?.collisionCount ?? 0,
      revisions: caches.of(controllerrevisions),
    }),
    backoffs: memory?.backoffs,
  };
}
