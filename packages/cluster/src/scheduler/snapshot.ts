import type { Node, Pod } from '../api/generated/core-v1.ts';
import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import { equal } from '../base/equal.ts';
import type { Cache, Caches } from '../client/cache.ts';
import { createObjectCache } from '../client/object-cache.ts';
import { zoneOf } from '../resources/core/node.ts';
import { isPodTerminal } from '../resources/core/pod/facts.ts';
import { LivePodCounts, type PodCounts } from './counting/pod-counts.ts';
import { forkOf } from './fork.ts';
import { NodeTurns } from './node-turns.ts';
import { createNodeAccount, type NodeAccount, type NodeView } from './node-view.ts';
import { type PodView, podView } from './pod-view.ts';
import { Journal } from './standing/journal.ts';
import { createHeldVolumes, type HeldVolumes, type LiveHeldVolumes } from './volumes/held-volumes.ts';

/**
 * The cluster as the scheduler sees it: nodes, what runs on them, and what it has promised but not yet seen happen; with
 * the caches of what plugins read besides.
 */
export interface Snapshot extends Caches {
  /** Zone by zone in turn, in a zone in the order in which they joined. */
  readonly nodes: readonly NodeView[];
  /** Nodes that have changed, in turn; undefined in what only would be. */
  readonly journal: Journal<NodeView> | undefined;
  /** Pods by where they are. */
  readonly counts: PodCounts;
  /** Name of an image → how many nodes have it. */
  readonly images: ReadonlyMap<string, number>;
  /** How many nodes have a taint of any kind: mostly none. */
  readonly taintedNodes: number;
  /** What of volumes is chosen for pods on their way. */
  readonly volumes: HeldVolumes;
  node(name: string): NodeView | undefined;
  /** Pods that wait for a node that preemption is clearing for them. */
  nominatedTo(node: string): readonly PodView[];
  /** The node that preemption is clearing for the pod. */
  nominationOf(uid: string): string | undefined;
  /** To play through what would be. Good for this turn of the event loop. */
  fork(): Fork;
}

/** A snapshot of what would be. Never changes: each step gives another one. */
export interface Fork extends Snapshot {
  /** With a pod more on a node that does not hold it. */
  with(pod: PodView, node: string): Fork;
  /** With a pod less on a node that holds it. */
  without(pod: PodView, node: string): Fork;
  /** With a node as it would be after several of these steps. */
  changed(node: NodeView): Fork;
}

/** The one snapshot of a scheduler, changed step by step as events come in: no cycle copies it. */
export interface LiveSnapshot extends Snapshot {
  readonly volumes: LiveHeldVolumes;
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
  /** Promises that have ended since this was asked last, of room that their pods did not take. */
  takeReleased(): readonly Released[];
  /** Labels of a namespace are not what they were. */
  namespaceChanged(): void;
}

/** Room on a node that was promised to a pod, and is free for others now. */
export interface Released {
  readonly node: string;
  readonly pod: PodView;
}

/** `caches`: of what the plugins read. */
export function createSnapshot(caches: Caches = nothingRead): LiveSnapshot {
  return new Live(caches);
}

const nothingRead: Caches = { of: createObjectCache };

/** Whoever has not looked for so many changes looks at all nodes. */
const journalKept = 16_384;

class Live implements LiveSnapshot {
  readonly journal = new Journal<NodeView>(journalKept);
  readonly #caches: Caches;
  readonly #accounts = new Map<string, NodeAccount>();
  /** Pod uid → the node that it counts against. */
  readonly #places = new Map<string, string>();
  readonly #assumed = new Set<string>();
  readonly images = new Map<string, number>();
  taintedNodes = 0;
  readonly volumes = createHeldVolumes();
  readonly counts = new LivePodCounts(() => this.#accounts.values());
  /** Pod uid → the node that it is nominated to. */
  readonly #nominations = new Map<string, string>();
  /** Node → who is nominated to it. */
  readonly #nominated = new Map<string, Map<string, PodView>>();
  /** Pods bound to nodes that have not joined yet; they count as soon as the node is there. */
  readonly #homeless = new Map<string, Map<string, PodView>>();
  readonly #released: Released[] = [];
  readonly #turns = new NodeTurns<NodeView>();

  constructor(caches: Caches) {
    this.#caches = caches;
  }

  get nodes(): readonly NodeView[] {
    return this.#turns.all;
  }

  node(name: string): NodeView | undefined {
    return this.#accounts.get(name);
  }

  nominatedTo(node: string): readonly PodView[] {
    const pods = this.#nominated.size === 0 ? undefined : this.#nominated.get(node);
    return pods === undefined ? nobody : [...pods.values()];
  }

  nominationOf(uid: string): string | undefined {
    return this.#nominations.get(uid);
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
      const counts = countsElsewhere(account.node, node) ? this.counts : undefined;
      const before = account.images;
      counts?.nodeLeft(account);
      this.taintedNodes += taintedBy(node) - taintedBy(account.node);
      account.setNode(node);
      this.#turns.put(account, zoneOf(node));
      counts?.nodeJoined(account);
      if (account.images !== before) this.#imagesChanged(before, account.images);
      return;
    }
    const joined = createNodeAccount(node, {
      initial: this.#homeless.get(name)?.values() ?? [],
      changed: (each) => this.journal.add(each),
    });
    this.#accounts.set(name, joined);
    this.#turns.put(joined, zoneOf(node));
    this.#homeless.delete(name);
    this.taintedNodes += taintedBy(node);
    this.counts.nodeJoined(joined);
    this.#imagesChanged(noImages, joined.images);
  }

  removeNode(name: string): void {
    const account = this.#accounts.get(name);
    if (account === undefined) return;
    this.counts.nodeLeft(account);
    this.taintedNodes -= taintedBy(account.node);
    this.#imagesChanged(account.images, noImages);
    if (account.pods.size > 0) this.#homeless.set(name, new Map(account.pods));
    this.#accounts.delete(name);
    this.#turns.remove(account);
  }

  setPod(pod: Pod): void {
    const { uid } = pod.metadata;
    const { nodeName = '' } = pod.spec;
    if (nodeName === '') return;
    this.#assumed.delete(uid);
    this.#endPromise(uid, nodeName);
    if (isPodTerminal(pod)) this.#leave(uid);
    else this.#place(podView(pod), nodeName);
  }

  removePod(uid: string): void {
    this.#leave(uid);
    this.#assumed.delete(uid);
    this.denominate(uid);
  }

  assume(pod: PodView, node: string): void {
    this.#endPromise(pod.uid, node);
    this.#assumed.add(pod.uid);
    this.#place(pod, node);
  }

  forget(uid: string): void {
    if (this.#assumed.delete(uid)) this.#leave(uid);
  }

  nominate(pod: PodView, node: string): void {
    const known = this.#nominations.get(pod.uid) === node ? this.#nominated.get(node)?.get(pod.uid) : undefined;
    if (known !== undefined && asksAlike(known.pod, pod.pod)) {
      this.#nominated.get(node)?.set(pod.uid, pod);
      return;
    }
    this.#endPromise(pod.uid, node);
    this.#nominations.set(pod.uid, node);
    const pods = this.#nominated.get(node) ?? new Map<string, PodView>();
    this.#nominated.set(node, pods.set(pod.uid, pod));
    this.#accounts.get(node)?.touch();
  }

  denominate(uid: string): void {
    this.#endPromise(uid, undefined);
  }

  takeReleased(): readonly Released[] {
    return this.#released.length === 0 ? noneReleased : this.#released.splice(0);
  }

  namespaceChanged(): void {
    this.counts.namespaceChanged();
  }

  /** `taken`: where the pod is now, or what it is promised instead. */
  #endPromise(uid: string, taken: string | undefined): void {
    const node = this.#nominations.get(uid);
    if (node === undefined) return;
    this.#nominations.delete(uid);
    const pods = this.#nominated.get(node);
    const pod = pods?.get(uid);
    if (pod !== undefined && node !== taken) this.#released.push({ node, pod });
    pods?.delete(uid);
    if (pods?.size === 0) this.#nominated.delete(node);
    this.#accounts.get(node)?.touch();
  }

  #place(pod: PodView, node: string): void {
    const before = this.#places.get(pod.uid);
    if (before !== undefined && before !== node) this.#leave(pod.uid);
    this.#places.set(pod.uid, node);
    const account = this.#accounts.get(node);
    if (account !== undefined) this.#enter(account, pod);
    else this.#homeless.set(node, (this.#homeless.get(node) ?? new Map<string, PodView>()).set(pod.uid, pod));
  }

  #leave(uid: string): void {
    const node = this.#places.get(uid);
    if (node === undefined) return;
    this.#places.delete(uid);
    const account = this.#accounts.get(node);
    const pod = account?.pods.get(uid);
    if (account !== undefined && pod !== undefined) {
      account.remove(uid);
      this.counts.podRemoved(pod, account);
    }
    this.#homeless.get(node)?.delete(uid);
  }

  #imagesChanged(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): void {
    for (const name of before.keys()) {
      const nodes = (this.images.get(name) ?? 0) - 1;
      if (nodes <= 0) this.images.delete(name);
      else this.images.set(name, nodes);
    }
    for (const name of after.keys()) this.images.set(name, (this.images.get(name) ?? 0) + 1);
  }

  #enter(account: NodeAccount, pod: PodView): void {
    const before = account.pods.get(pod.uid);
    account.add(pod);
    if (before !== undefined && countsAlike(before, pod)) return;
    if (before !== undefined) this.counts.podRemoved(before, account);
    this.counts.podAdded(pod, account);
  }
}

const nobody: readonly PodView[] = [];
const noneReleased: readonly Released[] = [];
const noImages: ReadonlyMap<string, number> = new Map();

/** Two versions of a waiting pod that take the same of a node. */
function asksAlike(before: Pod, after: Pod): boolean {
  return before.spec === after.spec && before.metadata.labels === after.metadata.labels;
}

function taintedBy({ spec: { taints } }: Node): 0 | 1 {
  return taints === undefined || taints.length === 0 ? 0 : 1;
}

/** Whether pods of the node may count for other rules, or at another place, than before. */
function countsElsewhere(before: Node, after: Node): boolean {
  return !equal(before.metadata.labels, after.metadata.labels) || !equal(before.spec.taints, after.spec.taints);
}

/** Two versions of a pod that no rule about other pods tells apart. */
function countsAlike(before: PodView, after: PodView): boolean {
  const [a, b] = [before.pod.metadata, after.pod.metadata];
  return before.terms === after.terms && a.deletionTimestamp === b.deletionTimestamp && equal(a.labels, b.labels);
}
