import type { PersistentVolume, Pod } from '../api/generated/core-v1.ts';
import { keyOf } from '../api/meta.ts';
import { agreeing } from '../base/counted.ts';
import { isGoing, isListed, objectsIn, type VolumeFacts, volumeFacts } from '../controllers/attachdetach/facts.ts';
import { attachedVolumes, isExclusive, isManaged, managedAnnotation } from '../resources/storage/attaching.ts';
import { namesOf, type Said } from './groups.ts';
import { since } from './since.ts';
import type { ExplainWorld } from './world.ts';

type Why = Pick<Said, 'why' | 'mend'>;

/** Which of its volumes a pod waits for on its node. Undefined: none, or it has begun. */
export function whyNotAttached(pod: Pod, world: ExplainWorld): Why | undefined {
  if (hasBegun(pod)) return undefined;
  for (const volume of attachedVolumes(pod, objectsIn(world.caches))) {
    const facts = volumeFacts(volume.metadata.name, world.caches);
    const why = whyAway(volume, { node: pod.spec.nodeName ?? '', facts, world });
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Whether one of its containers has: its volumes are there then. */
export function hasBegun({ status }: Pod): boolean {
  const { containerStatuses = [], initContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses].some(({ state }) => state?.waiting === undefined);
}

interface Asked {
  readonly node: string;
  readonly facts: VolumeFacts;
  readonly world: ExplainWorld;
}

function whyAway(volume: PersistentVolume, { node: name, facts, world }: Asked): Why | undefined {
  const what = `volume ${volume.metadata.name}`;
  const node = world.nodes.get(name);
  const own = facts.attachments.find(({ spec }) => spec.nodeName === name);
  if (own === undefined) {
    if (node !== undefined && !isManaged(node))
      return { why: `${what} is not attached, and no controller attaches to node ${name}`, mend: managing(name) };
    return isExclusive(volume) ? (whyHeld(what, facts) ?? notYet(what)) : notYet(what);
  }
  const { attacher } = own.spec;
  if (isGoing(own)) return { why: `${what} is being detached from this node first`, mend: serving(attacher) };
  if (own.status?.attached === true)
    return node !== undefined && isListed(own, node) ? undefined : { why: `${what} was attached just now` };
  const said = own.status?.attachError?.message;
  if (said !== undefined)
    return { why: `${attacher} cannot attach ${what}: ${said}`, mend: 'see what its driver says' };
  const waited = since(own.metadata.creationTimestamp, world.nowMs);
  return { why: `${attacher} has not attached ${what} yet${waited}`, mend: serving(attacher) };
}

/** Another node has it, which lets it go when no pod needs it there and it is unmounted. */
function whyHeld(what: string, { attachments, users }: VolumeFacts): Why | undefined {
  const [holder] = attachments;
  if (holder === undefined) return undefined;
  const { nodeName, attacher } = holder.spec;
  if (isGoing(holder)) return { why: `${what} is being detached from node ${nodeName}`, mend: serving(attacher) };
  const there = (users.get(nodeName) ?? []).map(keyOf);
  const why = `${what} is attached to node ${nodeName}, and only one node may have it`;
  if (there.length > 0)
    return {
      why: `${why}: ${namesOf(there)} ${agreeing(there.length, 'uses')} it there`,
      mend: there.length === 1 ? 'that pod has to go first' : 'those pods have to go first',
    };
  return {
    why: `${why}: nobody needs it there any more, and the node has not let go of it`,
    mend: `it does when it is back; after six minutes without it, or at once when it is marked out of service: kubectl taint nodes ${nodeName} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
  };
}

function notYet(what: string): Why {
  return { why: `${what} is not attached`, mend: 'the controller persistentvolume-attach-detach has to run' };
}

function serving(attacher: string): string {
  return `whoever serves ${attacher} has to do it; that one is simulated says signalbox.dev/simulated: "true" on its CSIDriver`;
}

function managing(node: string): string {
  return `kubectl annotate node ${node} ${managedAnnotation}=true`;
}
