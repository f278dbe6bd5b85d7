import type { ControllerRevision, DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Node } from '../../api/generated/core-v1.ts';
import { controllerrevisions, daemonsets, nodes, pods } from '../../api/generated/kinds.ts';
import { type Key, keyOf } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import type { CacheEvent, Caches } from '../../client/cache.ts';
import { type Controller, mapped, owned, primary, type Watch } from '../../runtime/controller.ts';
import { orphaned } from '../../workloads/watch.ts';
import { judgeOf, shouldRun } from './eligibility.ts';
import { type Memory, type Observed, observe } from './observe.ts';
import { plan } from './plan.ts';

/** One pod per eligible node. */
export const daemonsetController: Controller<Observed, Memory> = {
  name: 'daemonset',
  watches: [
    primary(daemonsets),
    owned(pods, daemonsets),
    orphaned(pods, daemonsets),
    knownRevisions(),
    orphaned(controllerrevisions, daemonsets),
    mapped(nodes, daemonsetsConcernedBy),
  ],
  observe,
  plan,
};

/**
 * A new revision of its own wakes no DaemonSet: it made it, or somebody works on its history by hand, who would lose one of two
 * that are alike at once. As upstream, the next change is soon enough.
 */
function knownRevisions(): Watch<ControllerRevision> {
  const all = owned(controllerrevisions, daemonsets);
  return { type: all.type, keysOf: (event, caches) => (event.type === 'added' ? [] : all.keysOf(event, caches)) };
}

/**
 * A node wakes the DaemonSets for which it makes a difference: those that should run on a new node or have run on a
 * deleted one (their count of desired pods changes, and pods not yet bound lose their node), and those whose verdict
 * flips. Only labels and taints can flip one, so a node's heartbeats cost nothing.
 */
export function* daemonsetsConcernedBy(event: CacheEvent<Node>, caches: Caches): Iterable<Key> {
  const { object, previous } = event;
  if (event.type === 'updated' && hasSameTraits(event.previous, object)) return;
  for (const daemonset of caches.of(daemonsets).values()) {
    const concerns =
      event.type === 'updated' && previous !== undefined
        ? flips(daemonset, { before: previous, after: object })
        : shouldRun(daemonset, object).runs;
    if (concerns) yield keyOf(daemonset);
  }
}

function hasSameTraits(before: Node, after: Node): boolean {
  return (
    equal(before.metadata.labels ?? {}, after.metadata.labels ?? {}) &&
    equal(before.spec?.taints ?? [], after.spec?.taints ?? [])
  );
}

function flips(daemonset: DaemonSet, { before, after }: { readonly before: Node; readonly after: Node }): boolean {
  const judge = judgeOf(daemonset.spec.template);
  const was = judge(before);
  const is = judge(after);
  return was.runs !== is.runs || was.stays !== is.stays;
}
