import type { KubeObject, New } from '@signalbox/cluster';
import type { TreeNode } from '../../tree/tree.ts';
import { treeNodes, workloadNodes } from '../../tree/tree-nodes.ts';
import type { Finding } from '../../world/findings.ts';
import type { PrometheusRoot } from './config/document.ts';
import { monitorsOf, type PrometheusHierarchy } from './discover.ts';
import type { LeftClaims } from './shards/claims.ts';
import { retainedNote } from './shards/fates.ts';
import type { ShardFate } from './shards/retention.ts';

interface Built {
  readonly findings: readonly Finding[];
  readonly objects: readonly New<KubeObject>[];
  readonly fates: readonly ShardFate[];
  readonly claims: readonly LeftClaims[];
}

/** A root with what it selects, its shards, the shards that it only keeps, and the volumes of those that are gone. */
export function prometheusTree(
  root: PrometheusRoot,
  hierarchy: PrometheusHierarchy,
  { findings, objects, fates, claims }: Built,
): TreeNode {
  const node = treeNodes(findings);
  return node(root, [
    ...monitorsOf(hierarchy).map((monitor) => node(monitor)),
    ...workloadNodes(objects),
    ...fates.flatMap((each): readonly TreeNode[] => {
      if (each.fate !== 'retain') return [];
      const { namespace = '', name } = each.set.metadata;
      return [{ kind: each.set.kind, key: `${namespace}/${name}`, remarks: [retainedNote(each)] }];
    }),
    ...claims.flatMap(({ shard, names }) =>
      names.map((name) => ({
        kind: 'PersistentVolumeClaim',
        key: `${root.metadata.namespace ?? ''}/${name}`,
        notes: [`of shard ${shard}, which is gone`],
      })),
    ),
  ]);
}
