import type { Node, PersistentVolume, Pod } from '../../api/generated/core-v1.ts';
import { volumeattachments } from '../../api/generated/kinds.ts';
import type { VolumeAttachment } from '../../api/generated/storage-v1.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { attachmentName, driverVolumeOf, isExclusive } from '../../resources/storage/attaching.ts';
import type { Action, Plan } from '../../runtime/plan.ts';
import { isGoing, isHealthy, isInUse, isListed, isOutOfService, isWanted, type VolumeFacts } from './facts.ts';
import { attachFailed, elsewhere, tooLate } from './words.ts';

export interface Observed extends VolumeFacts {
  readonly memory: Memory | undefined;
}

/** Kept for volumes of which something is waited for. By node. */
export interface Memory {
  /** Since when nobody there wants what is attached. */
  readonly unwantedMs: ReadonlyMap<string, number>;
  /** What the pods there were told last of why they wait. */
  readonly told: ReadonlyMap<string, string>;
}

/** How long a node that is not ready may keep what nobody wants there any more. */
const unmountMsMax = 6 * 60_000;
/** How long a driver may take until it is told; upstream gives up then, and tries again. */
const attachMsMax = 2 * 60_000;

const noMemory: Memory = { unwantedMs: new Map(), told: new Map() };

/** Where the volume is to be attached, and what is let go. One that only one node may have is never attached to a second. */
export function plan(observed: Observed, nowMs: number): Plan<Memory> {
  const { attachments, memory = noMemory } = observed;
  const unwanted = attachments.filter((each) => !isGoing(each) && !isWanted(each, observed));
  const unwantedMs = new Map(
    unwanted.map(({ spec: { nodeName } }) => [nodeName, memory.unwantedMs.get(nodeName) ?? nowMs]),
  );
  const leaving = unwanted.map((each) => {
    const untilMs = (unwantedMs.get(each.spec.nodeName) ?? nowMs) + unmountMsMax;
    return { attachment: each, wait: waitOf(each, { node: observed.nodes.get(each.spec.nodeName), untilMs, nowMs }) };
  });
  const waiting = waits(observed, nowMs);
  const news = waiting.filter(({ node, said }) => said !== memory.told.get(node));
  const told = new Map(waiting.map(({ node, said }) => [node, said]));
  const againInMs = Math.min(
    ...leaving.map(({ wait }) => wait ?? Number.POSITIVE_INFINITY),
    ...waiting.map(({ inMs }) => inMs),
  );
  return {
    actions: [
      ...leaving.filter(({ wait }) => wait === undefined).map(({ attachment }) => detach(attachment)),
      ...attach(observed),
      ...news.flatMap(({ events }) => events),
    ],
    againInMs: againInMs === Number.POSITIVE_INFINITY ? undefined : againInMs,
    memory: unwantedMs.size > 0 || told.size > 0 ? { unwantedMs, told } : undefined,
  };
}

interface Leaving {
  /** Undefined: it is gone. */
  readonly node: Node | undefined;
  readonly untilMs: number;
  readonly nowMs: number;
}

/** How long until it may be let go; undefined: now. Infinity: until its node says so. */
function waitOf(attachment: VolumeAttachment, { node, untilMs, nowMs }: Leaving): number | undefined {
  if (node !== undefined && isOutOfService(node)) return undefined;
  const isForced = untilMs <= nowMs && !(node !== undefined && isHealthy(node));
  if (isForced) return undefined;
  if (node === undefined || (isInUse(attachment, node) && !isHealthy(node))) return Math.max(0, untilMs - nowMs);
  // A node is told that it cannot count on it before that is so.
  return isInUse(attachment, node) || isListed(attachment, node) ? Number.POSITIVE_INFINITY : undefined;
}

function detach(attachment: VolumeAttachment): Action {
  return { do: 'delete', type: volumeattachments, target: attachment };
}

/** For the nodes of the oldest pods first. */
function attach({ volume, users, attachments, nodes }: VolumeFacts): readonly Action[] {
  const known = volume && driverVolumeOf(volume);
  if (volume === undefined || known === undefined) return [];
  const taken = new Set(attachments.map(({ spec }) => spec.nodeName));
  const missing = [...users].filter(([node]) => nodes.has(node) && !taken.has(node)).sort(byAge);
  if (isExclusive(volume)) missing.splice(taken.size > 0 ? 0 : 1);
  return missing.map(([node]) => ({
    do: 'create',
    type: volumeattachments,
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: attachmentName(known, node) },
      spec: { attacher: known.driver, nodeName: node, source: { persistentVolumeName: volume.metadata.name } },
    },
    unless: ['AlreadyExists'],
  }));
}

type Users = readonly [node: string, pods: readonly Pod[]];

function byAge([aNode, a]: Users, [bNode, b]: Users): number {
  const [aMs, bMs] = [bornMs(a), bornMs(b)];
  return aMs === bMs ? (aNode < bNode ? -1 : 1) : aMs - bMs;
}

function bornMs(pods: readonly Pod[]): number {
  return Math.min(...pods.map(({ metadata }) => fromTimestamp(metadata.creationTimestamp)));
}

interface Waiting {
  readonly node: string;
  /** In one word, so that it is told once. */
  readonly said: string;
  readonly events: readonly Action[];
  /** When there is more to be told. */
  readonly inMs: number;
}

/** What pods are told that wait for the volume. */
function waits(facts: VolumeFacts, nowMs: number): readonly Waiting[] {
  const { volume, users, attachments } = facts;
  if (volume === undefined) return [];
  return [...users].flatMap(([node, pods]) => {
    const own = attachments.find(({ spec }) => spec.nodeName === node);
    if (own === undefined) return facts.nodes.has(node) ? heldBack({ node, pods }, { ...facts, volume }) : [];
    return isGoing(own) || own.status?.attached === true ? [] : late(own, { volume, pods, nowMs });
  });
}

type Held = { readonly node: string; readonly pods: readonly Pod[] };

function heldBack(
  { node, pods }: Held,
  facts: VolumeFacts & { readonly volume: PersistentVolume },
): readonly Waiting[] {
  const { volume, users, attachments } = facts;
  const holders = attachments.filter((each) => each.status?.attached === true && !isGoing(each));
  if (!isExclusive(volume) || holders.length === 0) return [];
  const there = holders.flatMap(({ spec }) => users.get(spec.nodeName) ?? []);
  return [
    {
      node,
      said: 'elsewhere',
      events: pods.map((pod) => warning(pod, elsewhere(volume, { pod, there }))),
      inMs: Number.POSITIVE_INFINITY,
    },
  ];
}

interface Late {
  readonly volume: PersistentVolume;
  readonly pods: readonly Pod[];
  readonly nowMs: number;
}

/** Its driver has said why not, or nothing for too long. */
function late({ metadata, spec, status }: VolumeAttachment, { volume, pods, nowMs }: Late): readonly Waiting[] {
  const node = spec.nodeName;
  const sinceMs = fromTimestamp(metadata.creationTimestamp);
  const periods = Math.floor((nowMs - sinceMs) / attachMsMax);
  const inMs = sinceMs + (periods + 1) * attachMsMax - nowMs;
  const { attachError } = status ?? {};
  const tell = (note: string): readonly Action[] => pods.map((pod) => warning(pod, note));
  if (attachError !== undefined) {
    const { time, message = '' } = attachError;
    return [
      { node, said: `${time} ${message}`, events: tell(attachFailed(volume, message)), inMs: Number.POSITIVE_INFINITY },
    ];
  }
  return [{ node, said: `late ${periods}`, events: periods === 0 ? [] : tell(tooLate(volume)), inMs }];
}

function warning(regarding: Pod, note: string): Action {
  return { do: 'emit', regarding, type: 'Warning', reason: 'FailedAttachVolume', note };
}
