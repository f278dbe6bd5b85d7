import type { Node, Pod } from '../api/generated/core-v1.ts';
import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import type { Cache, Caches } from '../client/cache.ts';
import { createObjectCache } from '../client/object-cache.ts';
import { isPodTerminal } from '../resources/core/pod/facts.ts';
import { forkOf } from './fork.ts';
import { createNodeAccount, type NodeAccount, type NodeView } from './node-view.ts';
import { type PodView, podView } from './pod-view.ts';

/**
 * The cluster as the scheduler sees it: nodes, what runs on them, and what it has promised but not yet seen happen; with
 * the caches of what plugins read besides.
 */
export interface Snapshot extends Caches {
  /** In the order in which they joined. */
  readonly nodes: readonly NodeView[];
  node(name: string): NodeView | undefined;
  /** Pods that wait for a node that preemption is clearing for them. */
  nominatedTo(node: string): readonly PodView[];
  /** To play through what would be. Good for this turn of the event loop. */
  fork(): Fork;
}

/** A snapshot of what would be. Never changes: each step gives another one. */
export interface Fork extends Snapshot {
  /** With a pod more on a node that does not hold it. */
  with(pod: PodView, node: string): Fork;
  /** With a pod less on a node that holds it. */
  without(pod: PodView, node: string): Fork;
}

/** The one snapshot of a scheduler, changed step by step as events come in: no cycle copies it. */
export interface LiveSnapshot extends Snapshot {
  setNode(node: Node): void;
  removeNode(name: string): void;
  /** A pod that runs on a node, or ran. Terminal pods hold nothing. */
  setPod(pod: Pod): void;
  removePod(uid: string): void;
  /** Counts a pod against a node before the API has bound it. Ends when the bound pod appears or with `forget`. */
  assume(pod: PodView, node: string): void;
  forget(uid: string): void;
  nominate(pod: PodView, node: string): void;
  denominate(uid: string): void;
}

/** `caches`: of what the plugins read. */
export function createSnapshot(caches: Caches = nothingRead): LiveSnapshot {
  return new Live(caches);
}

const nothingRead: Caches = { of: createObjectCache };

class Live implements LiveSnapshot {
  readonly #caches: Caches;
  readonly #accounts = new Map<string, NodeAccount>();
  /** Pod uid → the node that it counts against. */
  readonly #places = new Map<string, string>();
  readonly #assumed = new Set<string>();
  readonly #nominations = new Map<string, { readonly pod: PodView; readonly node: string }>();
  /** Pods bound to nodes that have not joined yet; they count as soon as the node is there. */
  readonly #homeless = new Map<string, Map<string, PodView>>();
  #nodes: readonly NodeView[] | undefined;

  constructor(caches: Caches) {
    this.#caches = caches;
  }

  get nodes(): readonly NodeView[] {
    this.#nodes ??= [...this.#accounts.values()];
    return this.#nodes;
  }

  node(name: string): NodeView | undefined {
    return this.#accounts.get(name);
  }

  nominatedTo(node: string): readonly PodView[] {
    if (this.#nominations.size === 0) return [];
    return [...this.#nominations.values()].filter((each) => each.node === node).map(({ pod }) => pod);
  }

  of<T extends KubeObject>(type: ResourceType<T>): Cache<T> {
    return this.#caches.of(type);
  }

  fork(): Fork {
    return forkOf(this);
  }

  setNode(node: Node): void {
    const { name } = node.metadata;
    const account = this.#accounts.get(name);
    if (account !== undefined) {
      account.setNode(node);
      return;
    }
    this.#accounts.set(name, createNodeAccount(node, this.#homeless.get(name)?.values() ?? []));
    this.#homeless.delete(name);
    this.#nodes = undefined;
  }

  removeNode(name: string): void {
    const account = this.#accounts.get(name);
    if (account === undefined) return;
    if (account.pods.size > 0) this.#homeless.set(name, new Map(account.pods));
    this.#accounts.delete(name);
    this.#nodes = undefined;
  }

  setPod(pod: Pod): void {
    const { uid } = pod.metadata;
    const { nodeName = '' } = pod.spec;
    if (nodeName === '') return;
    this.#assumed.delete(uid);
    this.#nominations.delete(uid);
    if (isPodTerminal(pod)) this.#leave(uid);
    else this.#place(podView(pod), nodeName);
  }

  removePod(uid: string): void {
    this.#leave(uid);
    this.#assumed.delete(uid);
    this.#nominations.delete(uid);
  }

  assume(pod: PodView, node: string): void {
    this.#assumed.add(pod.uid);
    this.#place(pod, node);
  }

  forget(uid: string): void {
    if (this.#assumed.delete(uid)) this.#leave(uid);
  }

  nominate(pod: PodView, node: string): void {
    this.#nominations.set(pod.uid, { pod, node });
  }

  denominate(uid: string): void {
    this.#nominations.delete(uid);
  }

  #place(pod: PodView, node: string): void {
    const before = this.#places.get(pod.uid);
    if (before !== undefined && before !== node) this.#leave(pod.uid);
    this.#places.set(pod.uid, node);
    const account = this.#accounts.get(node);
    if (account !== undefined) account.add(pod);
    else this.#homeless.set(node, (this.#homeless.get(node) ?? new Map<string, PodView>()).set(pod.uid, pod));
  }

  #leave(uid: string): void {
    const node = this.#places.get(uid);
    if (node === undefined) return;
    this.#places.delete(uid);
    this.#accounts.get(node)?.remove(uid);
    this.#homeless.get(node)?.delete(uid);
  }
}
