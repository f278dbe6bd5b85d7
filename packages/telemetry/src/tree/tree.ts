/** A hierarchy as people read it: root, instances, monitors, workloads. */
export interface TreeNode {
  readonly kind: string;
  /** `namespace/name` */
  readonly key: string;
  /** Short remarks in brackets: `2 shards × 2 replicas`. */
  readonly notes?: readonly string[];
  /** Like notes, but also true once it runs: `shard 2 is kept until 2030-01-04T00:00:00Z`. */
  readonly remarks?: readonly string[];
  /** What is wrong with it, one line each. */
  readonly problems?: readonly string[];
  readonly children?: readonly TreeNode[];
}

/** One line per node, drawn with box characters; problems stand on lines of their own under their node. */
export function formatTree(node: TreeNode): string {
  return `${lines(node).join('\n')}\n`;
}

function lines(node: TreeNode): readonly string[] {
  const all = [...(node.notes ?? []), ...(node.remarks ?? [])];
  const notes = all.length === 0 ? '' : ` (${all.join(', ')})`;
  const children = node.children ?? [];
  const out = [`${node.kind} ${node.key}${notes}`];
  for (const problem of node.problems ?? []) out.push(`${children.length > 0 ? '│ ' : '  '}! ${problem}`);
  children.forEach((child, index) => {
    const isLast = index === children.length - 1;
    lines(child).forEach((line, depth) => {
      if (depth === 0) out.push(`${isLast ? '└─ ' : '├─ '}${line}`);
      else out.push(`${isLast ? '   ' : '│  '}${line}`);
    });
  });
  return out;
}
