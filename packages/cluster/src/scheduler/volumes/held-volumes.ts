import type { Key } from '../../api/meta.ts';

/** Which volume a claim gets, or on which node one is made for it. */
export type VolumeChoice =
  | { readonly claim: Key; readonly volume: string }
  | { readonly claim: Key; readonly onNode: string };

/** What has been chosen for pods that are on their way to their nodes, and cannot be seen in the API yet. */
export interface HeldVolumes {
  choiceFor(claim: Key): VolumeChoice | undefined;
  claimOf(volume: string): Key | undefined;
}

export interface LiveHeldVolumes extends HeldVolumes {
  /** For as long as the pod is on its way. */
  hold(uid: string, choices: readonly VolumeChoice[]): void;
  release(uid: string): void;
}

export function createHeldVolumes(): LiveHeldVolumes {
  const byPod = new Map<string, readonly VolumeChoice[]>();
  const byClaim = new Map<Key, { readonly choice: VolumeChoice; readonly pods: Set<string> }>();
  const byVolume = new Map<string, Key>();
  return {
    choiceFor: (claim) => byClaim.get(claim)?.choice,
    claimOf: (volume) => byVolume.get(volume),
    hold(uid, choices) {
      byPod.set(uid, choices);
      for (const choice of choices) {
        const held = byClaim.get(choice.claim) ?? { choice, pods: new Set() };
        byClaim.set(choice.claim, held);
        held.pods.add(uid);
        if ('volume' in choice) byVolume.set(choice.volume, choice.claim);
      }
    },
    release(uid) {
      for (const choice of byPod.get(uid) ?? []) {
        const held = byClaim.get(choice.claim);
        held?.pods.delete(uid);
        // Others may be on their way to the same volume.
        if (held === undefined || held.pods.size > 0) continue;
        byClaim.delete(choice.claim);
        if ('volume' in choice) byVolume.delete(choice.volume);
      }
      byPod.delete(uid);
    },
  };
}
