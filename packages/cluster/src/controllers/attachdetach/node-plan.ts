import type { Node, NodeStatus, PersistentVolume, Pod } from '../../api/generated/core-v1.ts';
import { nodes } from '../../api/generated/kinds.ts';
import type { VolumeAttachment } from '../../api/generated/storage-v1.ts';
import { equal } from '../../base/equal.ts';
import { attachmentName, driverVolumeOf, parseStatusName, statusName } from '../../resources/storage/attaching.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';
import { isGoing, isInUse, isWanted, type VolumeFacts } from './facts.ts';
import { attached } from './words.ts';

export interface Observed {
  readonly node: Node;
  readonly attached: readonly Attached[];
}

/** What of a volume is attached to the node, or is to be. */
export interface Attached {
  readonly attachment: VolumeAttachment;
  readonly facts: VolumeFacts;
}

/** What the node may count on. What is about to be let go is taken out of its status first. */
export function plan({ node, attached: all }: Observed): Plan {
  const staying = all.filter((each) => stays(each, node));
  const names = new Set(staying.map(({ attachment }) => attachment.metadata.name));
  const before = node.status.volumesAttached ?? [];
  const kept = before.filter(({ name }) => {
    const volume = parseStatusName(name);
    return volume === undefined || names.has(attachmentName(volume, node.metadata.name));
  });
  const known = new Set(kept.map(({ name }) => name));
  const added = staying.flatMap((each) => {
    const volume = each.facts.volume && driverVolumeOf(each.facts.volume);
    const name = volume && statusName(volume);
    return name === undefined || known.has(name) ? [] : [{ ...each, name }];
  });
  const next = [...kept, ...added.map(({ name }) => ({ name, devicePath: '' }))];
  if (equal(next, before)) return nothingToDo;
  const actions = [report(node, next), ...added.flatMap(({ facts }) => tell(facts, node))];
  return { actions: [{ do: 'inOrder', actions }] };
}

function stays({ attachment, facts }: Attached, node: Node): boolean {
  if (isGoing(attachment) || attachment.status?.attached !== true) return false;
  return isWanted(attachment, facts) || isInUse(attachment, node);
}

function report(node: Node, volumesAttached: NonNullable<NodeStatus['volumesAttached']>): Action {
  const body = { status: { volumesAttached: volumesAttached.length === 0 ? null : volumesAttached } };
  return { do: 'patch', type: nodes, target: node, patchType: 'merge', subresource: 'status', body };
}

function tell({ volume, users }: VolumeFacts, { metadata }: Node): readonly Action[] {
  if (volume === undefined) return [];
  return (users.get(metadata.name) ?? []).map((pod) => succeeded(pod, volume));
}

function succeeded(regarding: Pod, volume: PersistentVolume): Action {
  return { do: 'emit', regarding, type: 'Normal', reason: 'SuccessfulAttachVolume', note: attached(volume) };
}
