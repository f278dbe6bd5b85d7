import type { Namespace } from '../../api/generated/core-v1.ts';
import { namespaces, pods as podsType } from '../../api/generated/kinds.ts';
import { isSameResource, type ResourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import { namespaceFinalizer } from '../../resources/core/namespace.ts';
import type { Action, SetStatus } from '../../runtime/plan.ts';
import { conditionsOf, type Remaining } from './conditions.ts';

/** Everything of one resource that is in the namespace. */
export interface Content {
  readonly type: ResourceType;
  readonly objects: readonly KubeObject[];
}

/** Pods go first, so that nothing that they use is taken from under a running program. */
export function deletions(content: readonly Content[]): readonly Action[] {
  const pods = content.filter(({ type, objects }) => isSameResource(type, podsType) && objects.length > 0);
  const next = pods.length > 0 ? pods : content;
  return next.flatMap(({ type, objects }) =>
    objects
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((target) => ({
        do: 'delete' as const,
        type,
        target,
        options: { propagationPolicy: 'Background' as const },
      })),
  );
}

/** What the namespace says about the content that is still there. */
export function status(
  namespace: Namespace,
  {
    content,
    failure,
    nowMs,
  }: { readonly content: readonly Content[]; readonly failure?: string; readonly nowMs: number },
): readonly SetStatus[] {
  const remaining: Remaining = {
    objects: content.filter(({ objects }) => objects.length > 0),
    ...(failure !== undefined && { failure }),
  };
  const conditions = conditionsOf(namespace.status?.conditions ?? [], { remaining, nowMs });
  if (equal(conditions, namespace.status?.conditions)) return [];
  return [
    {
      do: 'setStatus',
      type: namespaces,
      object: { ...namespace, status: { ...namespace.status, conditions } } as Namespace,
    },
  ];
}

/** The namespace without what holds it back; undefined when nothing of ours does. */
export function finalized(namespace: Namespace): Namespace | undefined {
  const { finalizers = [] } = namespace.spec ?? {};
  if (!finalizers.includes(namespaceFinalizer)) return undefined;
  const left = finalizers.filter((each) => each !== namespaceFinalizer);
  return { ...namespace, spec: { ...namespace.spec, finalizers: left } };
}

/** Whether there is nothing left to wait for but what may be deleted at once. */
export function isEmpty(content: readonly Content[]): boolean {
  return content.every(({ objects }) => objects.length === 0);
}
