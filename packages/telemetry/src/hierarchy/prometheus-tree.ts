import type { KubeObject, New } from '@signalbox/cluster';
import type { Finding } from '../component.ts';
import type { PrometheusRoot } from '../config/prometheus/document.ts';
import type { ShardFate } from '../shards/retention.ts';
import { retainedNote } from '../status/prometheus.ts';
import { monitorsOf, type PrometheusHierarchy } from './prometheus.ts';
import type { TreeNode } from './tree.ts';
import { treeNodes, workloadNodes } from './tree-nodes.ts';

interface Built {
  readonly findings: readonly Finding[];
  readonly objects: readonly New<KubeObject>[];
  readonly fates: readonly ShardFate[];
}

/** A root with what it selects, its shards, and the shards that it only keeps. */
export function prometheusTree(
  root: PrometheusRoot,
  hierarchy: PrometheusHierarchy,
  { findings, objects, fates }: Built,
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
  ]);
}
