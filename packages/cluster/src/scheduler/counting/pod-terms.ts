import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from '../../api/generated/core-v1.ts';
import type { LabelSelector } from '../../api/meta.ts';
import { compileSelector, isEmptySelector, type LabelMatcher, type Labels } from '../../api/selector/selector.ts';
import type { PodView } from '../pod-view.ts';
import type { Aimed, LabelPair } from './audience.ts';

/** Which pods a term of affinity is about, and what counts as near. */
export interface AffinityTerm extends Aimed {
  /** Terms with the same id mean the same. */
  readonly id: string;
  readonly topologyKey: string;
  readonly namespaces: ReadonlySet<string>;
  /** Namespaces by their labels, besides those named. */
  readonly namespaceSelector: LabelMatcher | undefined;
  readonly everyNamespace: boolean;
  readonly selects: LabelMatcher;
}

export interface WeightedTerm {
  readonly term: AffinityTerm;
  /** Negative where the pod would rather be elsewhere. */
  readonly weight: number;
}

/** What a pod says of other pods. */
export interface PodTerms {
  readonly near: readonly AffinityTerm[];
  readonly apart: readonly AffinityTerm[];
  readonly preferred: readonly WeightedTerm[];
}

/** The labels of a namespace; undefined when nothing is known of it. */
export type NamespaceLabels = (namespace: string) => Labels | undefined;

export function matchesTerm(
  term: AffinityTerm,
  { namespace, labels }: PodView,
  namespaceLabels: NamespaceLabels,
): boolean {
  if (!term.selects(labels)) return false;
  if (term.everyNamespace || term.namespaces.has(namespace)) return true;
  return term.namespaceSelector?.(namespaceLabels(namespace)) === true;
}

/** Undefined for a pod that says nothing of others, as most. */
export function podTermsOf({ spec, metadata: { namespace = '' } }: Pod): PodTerms | undefined {
  const { affinity } = spec;
  if (affinity === undefined || (affinity.podAffinity === undefined && affinity.podAntiAffinity === undefined))
    return undefined;
  // Pods of one template often share their affinity.
  const known = made.get(affinity)?.get(namespace);
  if (known !== undefined) return known;
  const { podAffinity, podAntiAffinity } = affinity;
  const termOf = (term: PodAffinityTerm): AffinityTerm => affinityTerm(term, namespace);
  const weighted = (terms: readonly WeightedPodAffinityTerm[] | undefined, sign: 1 | -1): readonly WeightedTerm[] =>
    (terms ?? []).map(({ weight, podAffinityTerm }) => ({ term: termOf(podAffinityTerm), weight: sign * weight }));
  const terms: PodTerms = {
    near: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(termOf),
    apart: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(termOf),
    preferred: [
      ...weighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, 1),
      ...weighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, -1),
    ],
  };
  if (Object.isFrozen(affinity)) made.set(affinity, (made.get(affinity) ?? new Map()).set(namespace, terms));
  return terms;
}

const made = new WeakMap<object, Map<string, PodTerms>>();

function affinityTerm(
  { topologyKey, labelSelector, namespaces = [], namespaceSelector }: PodAffinityTerm,
  own: string,
): AffinityTerm {
  const isOwn = namespaces.length === 0 && namespaceSelector === undefined;
  const named = isOwn ? [own] : [...namespaces].sort();
  const everyNamespace = namespaceSelector !== undefined && isEmptySelector(namespaceSelector);
  const [only] = named;
  return {
    id: JSON.stringify([topologyKey, named, namespaceSelector ?? null, labelSelector ?? null]),
    topologyKey,
    namespaces: new Set(named),
    namespaceSelector:
      namespaceSelector === undefined || everyNamespace ? undefined : compileSelector(namespaceSelector),
    everyNamespace,
    selects: compileSelector(labelSelector),
    namespace: namespaceSelector === undefined && named.length === 1 ? only : undefined,
    label: labelOf(labelSelector),
  };
}

/** A label that whoever is selected has. */
export function labelOf(selector: LabelSelector | undefined): LabelPair | undefined {
  for (const [key, value] of Object.entries(selector?.matchLabels ?? {})) return [key, value];
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    const [value] = values;
    if (operator === 'In' && values.length === 1 && value !== undefined) return [key, value];
  }
  return undefined;
}
