import type { Service } from '../../../api/generated/core-v1.ts';
import { replicasets, replicationcontrollers, services, statefulsets } from '../../../api/generated/kinds.ts';
import type { ResourceType } from '../../../api/gvk.ts';
import { controllerOf, type LabelSelector } from '../../../api/meta.ts';
import { isEmptySelector } from '../../../api/selector/selector.ts';
import type { Index } from '../../../client/cache.ts';
import type { PodView } from '../../pod-view.ts';
import type { Snapshot } from '../../snapshot.ts';

export const selectorSources: readonly ResourceType[] = [services, replicationcontrollers, replicasets, statefulsets];

/**
 * Which pods belong together with this one, when it does not say so itself: those of its Services and of its workload.
 * Undefined when nothing has it.
 */
export function defaultSelector({ pod, namespace, labels }: PodView, snapshot: Snapshot): LabelSelector | undefined {
  const matchLabels: Record<string, string> = {};
  for (const selector of serviceSelectors(namespace, { labels, snapshot })) Object.assign(matchLabels, selector);
  const owner = controllerOf(pod);
  const key = `${namespace}/${owner?.name ?? ''}`;
  const kind = owner === undefined ? '' : `${owner.apiVersion} ${owner.kind}`;
  if (kind === 'v1 ReplicationController')
    Object.assign(matchLabels, snapshot.of(replicationcontrollers).get(key)?.spec?.selector);
  const workload =
    kind === 'apps/v1 ReplicaSet'
      ? snapshot.of(replicasets).get(key)?.spec?.selector
      : kind === 'apps/v1 StatefulSet'
        ? snapshot.of(statefulsets).get(key)?.spec?.selector
        : undefined;
  const selector = together(matchLabels, workload);
  return isEmptySelector(selector) ? undefined : selector;
}

/** Both of them; where they are one the selector that is there, which others have compiled already. */
function together(matchLabels: Readonly<Record<string, string>>, workload: LabelSelector | undefined): LabelSelector {
  const equalities = Object.entries(matchLabels);
  if (workload === undefined) return equalities.length === 0 ? {} : { matchLabels };
  const others = equalities.filter(([key, value]) => workload.matchLabels?.[key] !== value);
  if (others.length === 0) return workload;
  const wanted = others.map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return { ...workload, matchExpressions: [...(workload.matchExpressions ?? []), ...wanted] };
}

/** Services by the first label that they want, so that a pod asks only a few of them. */
const byFirstLabel: Index<Service> = {
  name: 'first label of the selector',
  valuesOf({ metadata, spec }) {
    for (const [key, value] of Object.entries(spec.selector ?? {}))
      return [`${metadata.namespace ?? ''} ${key}=${value}`];
    return [];
  },
};

function* serviceSelectors(
  namespace: string,
  { labels, snapshot }: { readonly labels: Readonly<Record<string, string>>; readonly snapshot: Snapshot },
): Iterable<Readonly<Record<string, string>>> {
  const cache = snapshot.of(services);
  if (cache.size === 0) return;
  for (const [key, value] of Object.entries(labels))
    for (const { spec } of cache.by(byFirstLabel, `${namespace} ${key}=${value}`)) {
      const selector = spec.selector ?? {};
      if (Object.entries(selector).every(([name, wanted]) => labels[name] === wanted)) yield selector;
    }
}
