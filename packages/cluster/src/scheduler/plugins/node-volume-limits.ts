import { csinodes, persistentvolumeclaims, persistentvolumes, storageclasses } from '../../api/generated/kinds.ts';
import { classOfClaim } from '../../resources/core/volume-binding.ts';
import { abstains, fits, type PluginState, rejects, type SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';
import type { Snapshot } from '../snapshot.ts';

/** A node can have so many volumes of a CSI driver attached as its CSINode says. A volume of several pods counts once. */
export const nodeVolumeLimits: SchedulerPlugin<Wanted | undefined> = {
  name: 'NodeVolumeLimits',
  reads: [csinodes, persistentvolumeclaims],
  consults: [persistentvolumes, storageclasses],
  wakesOn: ['node/added', 'pod/removed'],
  prepare(pod, snapshot) {
    if (pod.claims.length === 0 || snapshot.of(csinodes).size === 0) return abstains;
    const volumes = volumesOf(pod, snapshot);
    return volumes.size === 0 ? abstains : { state: wantedOf(volumes, snapshot) };
  },
  filter(_, { name, pods }, state) {
    const limits = state?.snapshot.of(csinodes).get(name)?.spec.drivers ?? [];
    if (state === undefined || limits.length === 0) return fits;
    const attached = new Map([...pods.values()].flatMap((pod) => [...volumesOf(pod, state.snapshot)]));
    for (const { name: driver, allocatable } of limits) {
      const wanted = [...state.volumes].filter(([volume, by]) => by === driver && !attached.has(volume)).length;
      const there = [...attached.values()].filter((by) => by === driver).length;
      if (wanted > 0 && there + wanted > (allocatable?.count ?? Number.POSITIVE_INFINITY)) return full;
    }
    return fits;
  },
};

const full = rejects('node(s) exceed max volume count');

interface Wanted extends PluginState {
  readonly volumes: ReadonlyMap<string, string>;
  readonly snapshot: Snapshot;
}

/** Which pods a node has stands in its view. */
function wantedOf(volumes: Wanted['volumes'], snapshot: Snapshot): Wanted {
  const state: Wanted = { volumes, snapshot, with: () => state, without: () => state };
  return state;
}

/** What the pod's claims stand for → its driver; a claim without a volume stands for the one that is made for it. */
function volumesOf({ claims }: PodView, snapshot: Snapshot): ReadonlyMap<string, string> {
  const volumes = new Map<string, string>();
  for (const { key } of claims) {
    const claim = snapshot.of(persistentvolumeclaims).get(key);
    if (claim === undefined) continue;
    const { volumeName = '' } = claim.spec;
    if (volumeName === '') {
      const driver = snapshot.of(storageclasses).get(classOfClaim(claim) ?? '')?.provisioner;
      if (driver !== undefined) volumes.set(`claim ${key}`, driver);
    } else {
      const csi = snapshot.of(persistentvolumes).get(volumeName)?.spec.csi;
      if (csi !== undefined) volumes.set(`${csi.driver} ${csi.volumeHandle}`, csi.driver);
    }
  }
  return volumes;
}
