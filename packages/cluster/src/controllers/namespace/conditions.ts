import { mergeConditions } from '../../api/conditions.ts';
import type { NamespaceCondition } from '../../api/generated/core-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import type { Content } from './plan.ts';

/** What keeps a namespace from ending. */
export interface Remaining {
  /** Resources with something left. */
  readonly objects: readonly Content[];
  /** Why the last deletion of content failed. */
  readonly failure?: string;
}

type Saying = Pick<NamespaceCondition, 'type' | 'status' | 'reason' | 'message'>;

/** The five conditions by which users and scripts find out what a terminating namespace waits for. */
export function conditionsOf(
  before: readonly NamespaceCondition[],
  { remaining, nowMs }: { readonly remaining: Remaining; readonly nowMs: number },
): readonly NamespaceCondition[] {
  const said = [discovery, parsing, deletion(remaining), content(remaining), finalizers(remaining)];
  return mergeConditions(before, said, toTimestamp(nowMs));
}

// What is served is known here without asking, so these two never fail; clients expect them all the same.
const discovery: Saying = {
  type: 'NamespaceDeletionDiscoveryFailure',
  status: 'False',
  reason: 'ResourcesDiscovered',
  message: 'All resources successfully discovered',
};
const parsing: Saying = {
  type: 'NamespaceDeletionGroupVersionParsingFailure',
  status: 'False',
  reason: 'ParsedGroupVersions',
  message: 'All legacy kube types successfully parsed',
};

function deletion({ failure }: Remaining): Saying {
  const type = 'NamespaceDeletionContentFailure';
  if (failure !== undefined)
    return { type, status: 'True', reason: 'ContentDeletionFailed', message: `Failed to delete content: ${failure}` };
  const message = 'All content successfully deleted, may be waiting on finalization';
  return { type, status: 'False', reason: 'ContentDeleted', message };
}

function content({ objects }: Remaining): Saying {
  const type = 'NamespaceContentRemaining';
  if (objects.length === 0)
    return { type, status: 'False', reason: 'ContentRemoved', message: 'All content successfully removed' };
  const counts = objects.map(
    (each) => `${each.type.resource}.${each.type.group} has ${each.objects.length} resource instances`,
  );
  const message = `Some resources are remaining: ${counts.sort().join(', ')}`;
  return { type, status: 'True', reason: 'SomeResourcesRemain', message };
}

function finalizers({ objects }: Remaining): Saying {
  const type = 'NamespaceFinalizersRemaining';
  const counts = new Map<string, number>();
  for (const { objects: items } of objects)
    for (const { metadata } of items)
      for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  if (counts.size === 0)
    return {
      type,
      status: 'False',
      reason: 'ContentHasNoFinalizers',
      message: 'All content-preserving finalizers finished',
    };
  const texts = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  const message = `Some content in the namespace has finalizers remaining: ${texts.sort().join(', ')}`;
  return { type, status: 'True', reason: 'SomeFinalizersRemain', message };
}
