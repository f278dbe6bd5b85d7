import type { ControllerRevision, DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { controllerrevisions, daemonsets, nodes, pods } from '../../api/generated/kinds.ts';
import type { Key } from '../../api/meta.ts';
import type { Caches } from '../../client/cache.ts';
import { type Claims, claimFrom } from '../../workloads/claim.ts';
import { type RevisionName, revisionName } from '../../workloads/history/revision.ts';
import { orphanPods, orphanRevisions } from '../../workloads/indexes.ts';
import type { Backoffs } from './failed-pods.ts';

export interface Observed {
  readonly daemonset: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: Claims<Pod>;
  readonly revisions: Claims<ControllerRevision>;
  /** Where a revision of the template would go. */
  readonly naming: RevisionName;
  readonly backoffs: Backoffs | undefined;
}

export function observe(key: Key, caches: Caches, backoffs: Backoffs | undefined): Observed | undefined {
  const daemonset = caches.of(daemonsets).get(key);
  if (daemonset === undefined) return undefined;
  const { name, namespace } = daemonset.metadata;
  return {
    daemonset,
    nodes: [...caches.of(nodes).values()],
    pods: claimFrom(daemonset, { type: pods, orphans: orphanPods, caches }),
    revisions: claimFrom(daemonset, { type: controllerrevisions, orphans: orphanRevisions, caches }),
    naming: revisionName({
      prefix: name,
      template: daemonset.spec.template,
      namespace,
      collisionCount: daemonset.status?.collisionCount ?? 0,
      revisions: caches.of(controllerrevisions),
    }),
    backoffs,
  };
}
