import type { Pod } from '../api/generated/core-v1.ts';
import { persistentvolumeclaims, persistentvolumes, pods as podsType } from '../api/generated/kinds.ts';
import { controllerOf } from '../api/meta.ts';
import type { MountedClaim } from '../resources/core/pod/claims.ts';
import { isPodTerminal } from '../resources/core/pod/facts.ts';
import { podView } from '../scheduler/pod-view.ts';
import { placeOf } from './claim.ts';
import { whyMountedWaits } from './claims.ts';
import { drivenOut } from './driven-out.ts';
import { elsewhere } from './elsewhere.ts';
import type { Cause, Explanation, Group } from './explanation.ts';
import { grouped, namesOf, naming, type Said } from './groups.ts';
import { failureOf, nodesFor, placementGroups, strangerFor, whyUnplaced } from './placement.ts';
import { podState } from './pod-state.ts';
import { placementCauses } from './preemption.ts';
import type { ExplainWorld, Subject } from './world.ts';

/** Why it has no node, with every rule of the scheduler; or why it is not ready, or does not go. */
export function explainPod(
  { namespace = '', name }: Subject,
  { world, node }: { readonly world: ExplainWorld; readonly node: string | undefined },
): Explanation | undefined {
  const pod = world.caches.of(podsType).get(`${namespace}/${name}`);
  if (pod === undefined) return undefined;
  const isWaiting =
    (pod.spec.nodeName ?? '') === '' && pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod);
  const isNowhere = node !== undefined && !world.nodes.has(node);
  const nodes = node === undefined ? [...nodesFor(pod, world)] : isNowhere ? [] : [node];
  const said = !isWaiting
    ? podState(pod, world)
    : isNowhere
      ? { state: 'waits for a node', why: `there is no node ${node}` }
      : whyUnplaced(pod, world, nodes);
  const isSettled = said.state === 'ready' || said.state === 'has succeeded';
  const judged = isWaiting && strangerFor(pod, world) === undefined ? world.judge(pod) : undefined;
  // One that is rejected whatever the node has nothing to say of nodes.
  const judgement = judged?.rejected === undefined ? judged : undefined;
  const there = isWaiting || node === undefined ? undefined : elsewhere(pod, { node, world });
  const groups = [
    ...claimGroups(pod, world),
    ...(judgement === undefined ? [] : placementGroups(judgement, { nodes, tell: 'all' })),
    ...(there?.groups ?? []),
  ];
  const { why = '', mend = '' } = said;
  const first: Cause = { cause: why, mend: naming(mend, [pod.spec.nodeName ?? node ?? '']) };
  const out = evictionCauses(pod, world);
  const failure = isWaiting ? failureOf(pod) : undefined;
  return {
    subject: { kind: 'Pod', namespace, name },
    outcome: isSettled && out.length === 0 ? 'settled' : said.state === 'has failed' ? 'failed' : 'waits',
    summary: `${summaryOf(pod, said.state)}${there?.summary ?? ''}`,
    causes: [
      ...(isSettled || why === '' ? [] : [first]),
      ...(failure === undefined || why.includes(failure.why ?? '') ? [] : [{ cause: failure.why, mend: failure.mend }]),
      ...out,
      ...(judgement === undefined || isNowhere ? [] : placementCauses(pod, { judgement, groups, node, world })),
    ],
    facts: factsOf(pod),
    groups,
  };
}

function summaryOf({ spec }: Pod, state: string): string {
  const words = state === 'ready' ? 'is ready' : state;
  return (spec.nodeName ?? '') === '' ? words : `${words} on node ${spec.nodeName}`;
}

/** That its node will send it away, while nobody has yet. */
function evictionCauses(pod: Pod, { nodes, nowMs }: ExplainWorld): readonly Cause[] {
  const node = nodes.get(pod.spec.nodeName ?? '');
  if (node === undefined || pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod)) return [];
  const out = drivenOut(pod, { node, nowMs });
  const mend = `signalbox explain node ${node.metadata.name}`;
  return out === undefined ? [] : [{ cause: `it will be driven out: ${out.why}`, mend }];
}

function claimGroups(pod: Pod, world: ExplainWorld): readonly Group[] {
  const items = podView(pod).claims.map((mounted) => ({ name: mounted.key, said: claimSaid(mounted, { pod, world }) }));
  return grouped('claim', items);
}

function claimSaid(mounted: MountedClaim, { pod, world }: { readonly pod: Pod; readonly world: ExplainWorld }): Said {
  const said = whyMountedWaits(mounted, { pod, world });
  if (said !== undefined) return said;
  const claim = world.caches.of(persistentvolumeclaims).get(mounted.key);
  if (claim?.status.phase !== 'Bound') return { state: 'waits', why: 'it gets a volume with the node of the pod' };
  const { volumeName = '' } = claim.spec;
  const place = placeOf(world.caches.of(persistentvolumes).get(volumeName));
  return place === undefined
    ? { state: 'is bound' }
    : { state: 'is bound', why: `its volume ${volumeName} can only be reached from nodes with ${place}` };
}

function factsOf(pod: Pod): Explanation['facts'] {
  const { spec, status, metadata } = pod;
  const { requests, pinnedTo } = podView(pod);
  const { cpuMilli, memoryBytes } = requests;
  const owner = controllerOf(pod);
  const restarts = (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
  return {
    phase: status.phase ?? 'Pending',
    ...(pinnedTo !== undefined && { meantFor: namesOf([...pinnedTo]) }),
    ...(owner !== undefined && { controller: `${owner.kind} ${owner.name}` }),
    ...(cpuMilli > 0 && { cpuMilli }),
    ...(memoryBytes > 0 && { memoryBytes }),
    ...(spec.priority !== undefined && spec.priority !== 0 && { priority: spec.priority }),
    ...(spec.schedulerName !== undefined &&
      spec.schedulerName !== 'default-scheduler' && { schedulerName: spec.schedulerName }),
    ...(status.nominatedNodeName !== undefined && { nominatedNode: status.nominatedNodeName }),
    ...(restarts > 0 && { restarts }),
    ...(metadata.deletionTimestamp !== undefined && {
      deletionTimestamp: metadata.deletionTimestamp,
      gracePeriodSeconds: metadata.deletionGracePeriodSeconds ?? 0,
    }),
    ...((metadata.finalizers ?? []).length > 0 && { finalizers: (metadata.finalizers ?? []).join(', ') }),
  };
}
