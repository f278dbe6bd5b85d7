import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { nodes, pods } from '../../api/generated/kinds.ts';
import { type Key, keyOf } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import type { Caches } from '../../client/cache.ts';
import type { Mark } from '../../client/journal.ts';
import { type Claims, standingWith } from '../../workloads/claim.ts';
import { orphanPods } from '../../workloads/indexes.ts';
import { judgeOf } from './eligibility.ts';
import { createSites, type KeptSites, type Sites } from './sites.ts';

/**
 * What follows from nodes and pods for one DaemonSet, kept between two looks: the next look judges what has changed since. Like an
 * index of a cache it is the same object each time, and is read at once. Whoever has lost it makes it anew and sees the same.
 */
export interface Kept {
  readonly sites: Sites;
  /** All that belong to it, wherever they are. */
  claimed(): readonly Pod[];
  claims(): Pick<Claims<Pod>, 'adopted' | 'released'>;
}

/** The same for whoever keeps it. */
export interface Keeping extends Kept {
  readonly sites: KeptSites;
  readonly marks: Marks;
  readonly daemonset: DaemonSet;
  /** Takes one more look at an object. */
  readonly look: Look;
}

interface Marks {
  readonly nodes: Mark;
  readonly pods: Mark;
}

interface Look {
  node(name: string): void;
  pod(key: Key): void;
}

/** `before`: what came of the last look of the same process, by the same caches. */
export function keep(
  daemonset: DaemonSet,
  { caches, before }: { readonly caches: Caches; readonly before: Keeping | undefined },
): Keeping {
  const isSame = before !== undefined && asksTheSame(before.daemonset, daemonset);
  const changed = {
    nodes: caches.of(nodes).changesSince(isSame ? before.marks.nodes : undefined),
    pods: caches.of(pods).changesSince(isSame ? before.marks.pods : undefined),
  };
  const marks = { nodes: changed.nodes.mark, pods: changed.pods.mark };
  if (!isSame || changed.nodes.keys === undefined || changed.pods.keys === undefined)
    return { ...begin(daemonset, caches), marks };
  for (const key of changed.pods.keys) before.look.pod(key);
  for (const name of changed.nodes.keys) before.look.node(name);
  return { ...before, daemonset, marks };
}

/** Whether all that was found out for the one holds for the other. */
function asksTheSame(before: DaemonSet, after: DaemonSet): boolean {
  return (
    before.metadata.uid === after.metadata.uid &&
    (before.metadata.deletionTimestamp === undefined) === (after.metadata.deletionTimestamp === undefined) &&
    (before.spec.minReadySeconds ?? 0) === (after.spec.minReadySeconds ?? 0) &&
    equal(before.spec.selector, after.spec.selector) &&
    equal(before.spec.template, after.spec.template)
  );
}

function begin(daemonset: DaemonSet, caches: Caches): Omit<Keeping, 'marks'> {
  const { uid, namespace = '' } = daemonset.metadata;
  const { template, minReadySeconds = 0 } = daemonset.spec;
  const cached = { nodes: caches.of(nodes), pods: caches.of(pods) };
  const sites = createSites({ judge: judgeOf(template), minReadySeconds });
  const adopted = new Map<Key, Pod>();
  const released = new Map<Key, Pod>();
  const standing = standingWith(daemonset);
  const look: Look = {
    node: (name) => sites.node(name, cached.nodes.get(name)),
    pod(key) {
      const pod = cached.pods.get(key);
      const stands = pod && standing(pod);
      const isKept = stands === 'claimed' || stands === 'adopted';
      sites.pod(key, isKept ? pod : undefined);
      file(adopted, { key, pod: stands === 'adopted' ? pod : undefined });
      file(released, { key, pod: stands === 'released' ? pod : undefined });
    },
  };
  for (const pod of cached.pods.ownedBy(uid)) look.pod(keyOf(pod));
  for (const pod of cached.pods.by(orphanPods, namespace)) look.pod(keyOf(pod));
  // Last, so that each site is made once.
  for (const node of cached.nodes.values()) look.node(node.metadata.name);
  return {
    daemonset,
    sites,
    look,
    claimed: () => Array.from(sites.pods(), ({ pod }) => pod),
    claims: () => ({ adopted: byName(adopted), released: byName(released) }),
  };
}

function file(pods: Map<Key, Pod>, { key, pod }: { readonly key: Key; readonly pod: Pod | undefined }): void {
  if (pod === undefined) pods.delete(key);
  else pods.set(key, pod);
}

/** In an order that tells nothing of how they came to be known. */
function byName(pods: ReadonlyMap<Key, Pod>): readonly Pod[] {
  return [...pods].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pod]) => pod);
}
