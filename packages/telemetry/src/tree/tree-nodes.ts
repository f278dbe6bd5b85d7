import type { KubeObject, New } from '@signalbox/cluster';
import type { Finding } from '../world/findings.ts';
import type { TreeNode } from './tree.ts';

/** Makes the nodes of a tree, each with what is wrong with its object. */
export function treeNodes(
  findings: readonly Finding[],
): (object: KubeObject, children?: readonly TreeNode[]) => TreeNode {
  // By name and not by object: a finding that is remembered may be about an older version.
  const problemsBy = new Map<string, string[]>();
  for (const { regarding, severity, field, message } of findings) {
    const line = `${severity}: ${field === '' ? '' : `${field}: `}${message}`;
    const id = `${regarding.kind} ${keyOf(regarding)}`;
    problemsBy.set(id, [...(problemsBy.get(id) ?? []), line]);
  }
  return (object, children = []) => ({
    kind: object.kind,
    key: keyOf(object),
    problems: problemsBy.get(`${object.kind} ${keyOf(object)}`) ?? [],
    children,
  });
}

const workloadKinds: ReadonlySet<string> = new Set(['DaemonSet', 'Deployment', 'StatefulSet']);

/** The workloads among the generated objects, with how many pods they ask for. */
export function workloadNodes(objects: readonly New<KubeObject>[]): readonly TreeNode[] {
  return objects.filter(({ kind }) => workloadKinds.has(kind)).map(workloadNode);
}

function workloadNode(object: New<KubeObject>): TreeNode {
  const { replicas } = (object as { readonly spec?: { readonly replicas?: number } }).spec ?? {};
  return {
    kind: object.kind,
    key: keyOf(object),
    notes: replicas === undefined ? [] : [replicas === 1 ? '1 replica' : `${replicas} replicas`],
  };
}

function keyOf({ metadata }: New<KubeObject> | KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
