import type { Pod } from '../../api/generated/core-v1.ts';
import { daemonsets, poddisruptionbudgets, pods } from '../../api/generated/kinds.ts';
import { isOfKind } from '../../api/gvk.ts';
import { controllerOf, type Key, type KubeObject, keyOf } from '../../api/meta.ts';
import { compileSelector } from '../../api/selector/selector.ts';
import { equal } from '../../base/equal.ts';
import type { Caches } from '../../client/cache.ts';
import { podReady } from '../../resources/core/pod/facts.ts';
import { type Controller, mapped, nobody, primary, type Watch } from '../../runtime/controller.ts';
import { workloadsOf, workloadTypes } from './expected.ts';
import { type Observed, plan } from './plan.ts';

/** Keeps the status of PodDisruptionBudgets, by which evictions are allowed or refused. */
export const disruptionController: Controller<Observed> = {
  name: 'disruption',
  // As upstream's, which names itself after the process.
  source: 'controllermanager',
  watches: [primary(poddisruptionbudgets), podsWakeBudgets(), ...workloadTypes.map(workloadsWakeBudgets)],
  observe,
  plan,
};

export function observe(key: Key, caches: Caches): Observed | undefined {
  const budget = caches.of(poddisruptionbudgets).get(key);
  if (budget === undefined) return undefined;
  const selects = compileSelector(budget.spec?.selector);
  const near = caches.of(pods).inNamespace(budget.metadata.namespace ?? '');
  const selected = near.filter(({ metadata }) => selects(metadata.labels));
  const countsWorkloads = typeof budget.spec?.minAvailable !== 'number';
  return { budget, pods: selected, workloads: countsWorkloads ? workloadsOf(selected, caches) : [] };
}

function podsWakeBudgets(): Watch<Pod> {
  return mapped(pods, ({ type, object, previous }, caches) => {
    const near = caches.of(poddisruptionbudgets).inNamespace(object.metadata.namespace ?? '');
    if (near.length === 0) return nobody;
    const labelsChanged = previous !== undefined && !equal(previous.metadata.labels, object.metadata.labels);
    if (type === 'updated' && !labelsChanged && isAsHealthy(previous, object)) return nobody;
    const concerned = near.filter(({ spec }) => {
      const selects = compileSelector(spec?.selector);
      return selects(object.metadata.labels) || (labelsChanged && selects(previous.metadata.labels));
    });
    return concerned.map(keyOf);
  });
}

function isAsHealthy(a: Pod, b: Pod): boolean {
  return (
    podReady(a) === podReady(b) &&
    a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
    controllerOf(a)?.uid === controllerOf(b)?.uid
  );
}

/** A changed size changes what percentages are of. */
function workloadsWakeBudgets(type: Watch['type']): Watch {
  return mapped(type, function* ({ object, previous }, caches) {
    if (previous !== undefined && sizeOf(previous) === sizeOf(object)) return;
    for (const budget of caches.of(poddisruptionbudgets).inNamespace(object.metadata.namespace ?? ''))
      if (typeof budget.spec?.minAvailable !== 'number') yield keyOf(budget);
  });
}

function sizeOf(workload: KubeObject): unknown {
  const { spec, status } = workload as KubeObject & {
    readonly spec?: { readonly replicas?: number };
    readonly status?: { readonly desiredNumberScheduled?: number };
  };
  return isOfKind(workload, daemonsets) ? status?.desiredNumberScheduled : spec?.replicas;
}
