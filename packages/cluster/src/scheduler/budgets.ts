import type { PodDisruptionBudget } from '../api/generated/policy-v1.ts';
import { compileSelector, isEmptySelector } from '../api/selector/selector.ts';
import type { Cache } from '../client/cache.ts';
import type { PodView } from './pod-view.ts';

/** The disruption budgets, as preemption looks at them: it would rather not hurt them, but may. */
export interface Budgets {
  /** Another one after every change. */
  readonly version: number;
  in(namespace: string): readonly PodDisruptionBudget[];
}

const none: readonly PodDisruptionBudget[] = [];

export const noBudgets: Budgets = { version: 0, in: () => none };

export function budgetsOf(cache: Cache<PodDisruptionBudget>, version: number): Budgets {
  return cache.size === 0 ? { ...noBudgets, version } : { version, in: (namespace) => cache.inNamespace(namespace) };
}

/** Parts those whom a budget would keep from those who may go, when they go in this order. */
export function withoutLeave(
  pods: readonly PodView[],
  budgets: Budgets,
): { readonly violating: readonly PodView[]; readonly others: readonly PodView[] } {
  let left: Map<PodDisruptionBudget, number> | undefined;
  const violating: PodView[] = [];
  const others: PodView[] = [];
  for (const pod of pods) {
    let isKept = false;
    for (const budget of budgets.in(pod.namespace)) {
      if (!covers(budget, pod)) continue;
      left ??= new Map();
      const allowed = (left.get(budget) ?? budget.status?.disruptionsAllowed ?? 0) - 1;
      left.set(budget, allowed);
      if (allowed < 0) isKept = true;
    }
    (isKept ? violating : others).push(pod);
  }
  return { violating, others };
}

/** Those that count the pod. */
export function budgetsOver(pod: PodView, budgets: Budgets): readonly PodDisruptionBudget[] {
  return budgets.in(pod.namespace).filter((budget) => covers(budget, pod));
}

/** One that is on its way out is counted already. An empty selector is about nobody here. */
function covers({ spec, status }: PodDisruptionBudget, { labels, pod }: PodView): boolean {
  const { selector } = spec;
  if (selector === undefined || isEmptySelector(selector) || Object.keys(labels).length === 0) return false;
  return compileSelector(selector)(labels) && status?.disruptedPods?.[pod.metadata.name] === undefined;
}
