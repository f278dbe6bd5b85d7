import type { Node, PersistentVolumeClaim, Pod } from '../api/generated/core-v1.ts';
import { type Key, keyOf } from '../api/meta.ts';
import { isPodTerminal } from '../resources/core/pod-facts.ts';
import { createNodeAccount, type NodeAccount, type NodeView } from './node-view.ts';
import { type PodView, podView } from './pod-view.ts';

/** The cluster as the scheduler sees it: nodes, what runs on them, and what it has promised but not yet seen happen. */
export interface Snapshot {
  /** In the order in which they joined. */
  readonly nodes: readonly NodeView[];
  node(name: string): NodeView | undefined;
  /** Pods that wait for a node that preemption is clearing for them. */
  nominatedTo(node: string): readonly PodView[];
  claim(key: Key): PersistentVolumeClaim | undefined;
}

/** The one snapshot of a scheduler, changed step by step as events come in: no cycle copies it. */
export interface LiveSnapshot extends Snapshot {
  account(name: string): NodeAccount | undefined;
  setNode(node: Node): void;
  removeNode(name: string): void;
  /** A pod that runs on a node, or ran. Terminal pods hold nothing. */
  setPod(pod: Pod): void;
  removePod(uid: string): void;
  /** Counts a pod against a node before the API has bound it. Ends when the bound pod appears or with `forget`. */
  assume(pod: PodView, node: string): void;
  forget(uid: string): void;
  isAssumed(uid: string): boolean;
  nominate(pod: PodView, node: string): void;
  setClaim(claim: PersistentVolumeClaim): void;
  removeClaim(key: Key): void;
  denominate(uid: string): void;
}

export function createSnapshot(): LiveSnapshot {
  const accounts = new Map<string, NodeAccount>();
  const places = new Map<string, string>();
  const assumed = new Map<string, PodView>();
  const nominations = new Map<string, { readonly pod: PodView; readonly node: string }>();
  /** Pods bound to nodes that have not joined yet; they count as soon as the node is there. */
  const homeless = new Map<string, Map<string, PodView>>();
  const claims = new Map<Key, PersistentVolumeClaim>();
  let list: readonly NodeView[] | undefined;

  const place = (pod: PodView, node: string): void => {
    const before = places.get(pod.uid);
    if (before !== undefined && before !== node) leave(pod.uid);
    places.set(pod.uid, node);
    const account = accounts.get(node);
    if (account !== undefined) account.add(pod);
    else homeless.set(node, (homeless.get(node) ?? new Map<string, PodView>()).set(pod.uid, pod));
  };

  const leave = (uid: string): void => {
    const node = places.get(uid);
    if (node === undefined) return;
    places.delete(uid);
    accounts.get(node)?.remove(uid);
    homeless.get(node)?.delete(uid);
  };

  const drop = (uid: string): void => {
    leave(uid);
    assumed.delete(uid);
    nominations.delete(uid);
  };

  return {
    get nodes() {
      list ??= [...accounts.values()];
      return list;
    },
    node: (name) => accounts.get(name),
    account: (name) => accounts.get(name),
    nominatedTo(node) {
      if (nominations.size === 0) return [];
      return [...nominations.values()].filter((each) => each.node === node).map(({ pod }) => pod);
    },
    claim: (key) => claims.get(key),
    setClaim: (claim) => claims.set(keyOf(claim), claim),
    removeClaim: (key) => claims.delete(key),
    setNode(node) {
      const { name } = node.metadata;
      const account = accounts.get(name);
      if (account !== undefined) {
        account.setNode(node);
        return;
      }
      accounts.set(name, createNodeAccount(node, homeless.get(name)?.values() ?? []));
      homeless.delete(name);
      list = undefined;
    },
    removeNode(name) {
      const account = accounts.get(name);
      if (account === undefined) return;
      if (account.pods.size > 0) homeless.set(name, new Map(account.pods));
      accounts.delete(name);
      list = undefined;
    },
    setPod(pod) {
      const { uid } = pod.metadata;
      const { nodeName = '' } = pod.spec;
      if (nodeName === '') return;
      assumed.delete(uid);
      nominations.delete(uid);
      if (isPodTerminal(pod)) leave(uid);
      else place(podView(pod), nodeName);
    },
    removePod: drop,
    assume(pod, node) {
      assumed.set(pod.uid, pod);
      place(pod, node);
    },
    forget(uid) {
      if (assumed.delete(uid)) leave(uid);
    },
    isAssumed: (uid) => assumed.has(uid),
    nominate: (pod, node) => nominations.set(pod.uid, { pod, node }),
    denominate: (uid) => nominations.delete(uid),
  };
}
