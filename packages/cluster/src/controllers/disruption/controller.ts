import type { Pod } from '../../api/generated/core-v1.ts';
import { daemonsets, poddisruptionbudgets, pods } from '../../api/generated/kinds.ts';
import { isOfKind } from '../../api/gvk.ts';
import { controllerOf, type Key, type KubeObject, keyOf } from '../../api/meta.ts';
import { compileSelector } from '../../api/selector/selector.ts';
import { controllerUser } from '../../api/system-identities.ts';
import { equal } from '../../base/equal.ts';
import type { Caches } from '../../client/cache.ts';
import { podReady } from '../../resources/core/pod/facts.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { mapped, nobody, primary, type Watch } from '../../runtime/controller.ts';
import { createKeyedWork } from '../../runtime/keyed-work.ts';
import type { ServedResources } from '../../runtime/served-resources.ts';
import { type Unread, type Workload, workloadsOf, workloadTypes } from './expected.ts';
import { type Observed, plan } from './plan.ts';
import { readScale } from './scales.ts';

const name = 'disruption';

export interface DisruptionOptions {
  /** What is served now: how owners of kinds that others bring along are found. */
  readonly served: Pick<ServedResources, 'resources'>;
}

/** What is seen of a budget without asking anybody. */
export interface Seen extends Omit<Observed, 'workloads'> {
  readonly workloads: readonly (Workload | Unread)[];
}

/** Which changes wake which budgets. */
export const budgetWatches: readonly Watch[] = [
  primary(poddisruptionbudgets) as Watch,
  podsWakeBudgets() as Watch,
  ...workloadTypes.map(workloadsWakeBudgets),
];

/** Keeps the status of PodDisruptionBudgets, by which evictions are allowed or refused. */
export function createDisruption(platform: Platform, { served }: DisruptionOptions): Component {
  const { informers, clock } = platform;
  const work = createKeyedWork({
    ...{ name, platform },
    // As upstream's, which names itself after the process.
    source: 'controllermanager',
    user: controllerUser(name),
    workers: 16,
    async handle(key, { client, signal, perform }) {
      const seen = observe(key, informers);
      if (seen === undefined) return undefined;
      const asking = { namespace: seen.budget.metadata.namespace ?? '', client, signal, types: served.resources() };
      const workloads = await Promise.all(
        seen.workloads.map(async (each) => ('unread' in each ? readScale(each, asking) : each)),
      );
      const { actions, againInMs } = plan({ ...seen, workloads }, clock.nowMs());
      await perform(actions);
      return againInMs;
    },
  });
  return {
    name,
    async run({ signal }) {
      await informers.sync(
        budgetWatches.map(({ type }) => type),
        { signal },
      );
      const stops = budgetWatches.map(({ type, keysOf }) =>
        informers.listen(type, (event) => {
          for (const key of keysOf(event, informers)) work.add(key);
        }),
      );
      await work.run({ signal }).finally(() => {
        for (const stop of stops) stop();
      });
    },
  };
}

export function observe(key: Key, caches: Caches): Seen | undefined {
  const budget = caches.of(poddisruptionbudgets).get(key);
  if (budget === undefined) return undefined;
  const selects = compileSelector(budget.spec?.selector);
  const { namespace = '' } = budget.metadata;
  const selected = caches
    .of(pods)
    .inNamespace(namespace)
    .filter(({ metadata }) => selects(metadata.labels));
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
