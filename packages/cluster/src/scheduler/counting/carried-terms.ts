import type { NodeView } from '../node-view.ts';
import type { PodView } from '../pod-view.ts';
import { type Aimed, createAudience } from './audience.ts';
import { type AffinityTerm, matchesTerm, type NamespaceLabels } from './pod-terms.ts';

/** What placed pods say of others: they keep them away, they need them, they like them or not. */
export type CarriedKind = 'forbids' | 'needs' | 'prefers';

/** One term, with everybody who has it. */
export interface Carried extends Aimed {
  readonly kind: CarriedKind;
  readonly term: AffinityTerm;
  /** Value of the node's label → how many have it there; for preferences the sum of their weights. */
  readonly domains: ReadonlyMap<string, number>;
}

interface Entry extends Carried {
  readonly domains: Map<string, number>;
}

const nobody: readonly Carried[] = [];

/** The terms of all placed pods, found by the pod that they are about. */
export class CarriedIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #audiences = {
    forbids: createAudience<Entry>(),
    needs: createAudience<Entry>(),
    prefers: createAudience<Entry>(),
  };

  podChanged({ terms }: PodView, { node, by }: { readonly node: NodeView; readonly by: 1 | -1 }): void {
    if (terms === undefined) return;
    const { labels } = node;
    for (const term of terms.apart) this.#count('forbids', { term, labels, by });
    for (const term of terms.near) this.#count('needs', { term, labels, by });
    for (const { term, weight } of terms.preferred) this.#count('prefers', { term, labels, by: by * weight });
  }

  about(
    pod: PodView,
    { kind, namespaceLabels }: { readonly kind: CarriedKind; readonly namespaceLabels: NamespaceLabels },
  ): readonly Carried[] {
    const audience = this.#audiences[kind];
    if (audience.size === 0) return nobody;
    const found: Carried[] = [];
    for (const entry of audience.mayConcern(pod)) if (matchesTerm(entry.term, pod, namespaceLabels)) found.push(entry);
    return found;
  }

  #count(kind: CarriedKind, { term, labels, by }: Change): void {
    const value = labels[term.topologyKey];
    if (value === undefined || by === 0) return;
    const id = `${kind} ${term.id}`;
    const entry = this.#entries.get(id) ?? this.#create(id, { kind, term });
    const sum = (entry.domains.get(value) ?? 0) + by;
    if (sum !== 0) {
      entry.domains.set(value, sum);
      return;
    }
    entry.domains.delete(value);
    if (entry.domains.size > 0) return;
    this.#entries.delete(id);
    this.#audiences[kind].remove(entry);
  }

  #create(id: string, { kind, term }: { readonly kind: CarriedKind; readonly term: AffinityTerm }): Entry {
    const entry = { kind, term, namespace: term.namespace, label: term.label, domains: new Map<string, number>() };
    this.#entries.set(id, entry);
    this.#audiences[kind].add(entry);
    return entry;
  }
}

interface Change {
  readonly term: AffinityTerm;
  readonly labels: NodeView['labels'];
  readonly by: number;
}
