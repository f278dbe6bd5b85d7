import { csinodes, persistentvolumeclaims, persistentvolumes, storageclasses } from '../../api/generated/kinds.ts';
import { classOfClaim } from '../../resources/core/volume-binding.ts';
import type { Shortage } from '../detail.ts';
import type { NodeView } from '../node-view.ts';
import { abstains, fits, type PluginState, rejects, type SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';
import type { Snapshot } from '../snapshot.ts';
import { type DrivenVolume, driverOfClass, isDrivenOn, migratedVolume } from '../volumes/migrated.ts';

/**
 * A node can have so many volumes of a CSI driver attached as its CSINode says, those of kinds that have gone over to a driver
 * included. A volume of several pods counts once.
 */
export const nodeVolumeLimits: SchedulerPlugin<Wanted | undefined> = {
  name: 'NodeVolumeLimits',
  reads: [csinodes, persistentvolumeclaims],
  consults: [persistentvolumes, storageclasses],
  wakesOn: ['node/added', 'pod/removed'],
  prepare(pod, snapshot) {
    if (snapshot.of(csinodes).size === 0) return abstains;
    const volumes = volumesOf(pod, snapshot);
    return volumes.size === 0 ? abstains : { state: wantedOf(volumes, snapshot) };
  },
  filter: (_, node, state) => (state === undefined || exceeded(node, state).length === 0 ? fits : full),
  details: (_, node, state) =>
    (state === undefined ? [] : exceeded(node, state)).map((shortage) => {
      const { driver, wanted, whole } = shortage;
      const more = wanted === 1 ? '1 more volume' : `${wanted} more volumes`;
      const text = `${more} of ${driver} ${wanted === 1 ? 'is' : 'are'} wanted, and the node takes ${whole} altogether`;
      return { text, mend: 'move pods with such volumes away, or add nodes', shortage };
    }),
};

interface Exceeded extends Shortage {
  readonly driver: string;
}

/** Of which drivers the node cannot have so many more. */
function exceeded({ name, pods }: NodeView, { volumes, snapshot }: Wanted): readonly Exceeded[] {
  const machine = snapshot.of(csinodes).get(name);
  const limits = machine?.spec.drivers ?? [];
  if (machine === undefined || limits.length === 0) return none;
  const attached = new Map([...pods.values()].flatMap((pod) => [...volumesOf(pod, snapshot)]));
  return limits.flatMap(({ name: driver, allocatable }): readonly Exceeded[] => {
    const isCounted = (volume: Driven): boolean => volume.driver === driver && isDrivenOn(volume, machine);
    const wanted = [...volumes].filter(([id, volume]) => isCounted(volume) && !attached.has(id)).length;
    const there = [...attached.values()].filter(isCounted).length;
    const whole = allocatable?.count ?? Number.POSITIVE_INFINITY;
    return wanted === 0 || there + wanted <= whole
      ? none
      : [{ driver, resource: `volumes of ${driver}`, wanted, free: whole - there, whole }];
  });
}

const none: readonly never[] = [];
const full = rejects('node(s) exceed max volume count');

type Driven = Omit<DrivenVolume, 'handle'>;

interface Wanted extends PluginState {
  readonly volumes: ReadonlyMap<string, Driven>;
  readonly snapshot: Snapshot;
}

/** Which pods a node has stands in its view. */
function wantedOf(volumes: Wanted['volumes'], snapshot: Snapshot): Wanted {
  const state: Wanted = { volumes, snapshot, with: () => state, without: () => state };
  return state;
}

/** What drivers attach for the pod; a claim without a volume stands for the one that is made for it. */
function volumesOf({ pod, claims }: PodView, snapshot: Snapshot): ReadonlyMap<string, Driven> {
  const volumes = new Map<string, Driven>();
  for (const source of pod.spec.volumes ?? []) add(volumes, migratedVolume(source));
  for (const { key } of claims) {
    const claim = snapshot.of(persistentvolumeclaims).get(key);
    if (claim === undefined) continue;
    const { volumeName = '' } = claim.spec;
    if (volumeName === '') {
      const maker = snapshot.of(storageclasses).get(classOfClaim(claim) ?? '')?.provisioner;
      if (maker !== undefined) volumes.set(`claim ${key}`, driverOfClass(maker));
      continue;
    }
    const spec = snapshot.of(persistentvolumes).get(volumeName)?.spec;
    const { csi } = spec ?? {};
    add(volumes, csi === undefined ? spec && migratedVolume(spec) : { driver: csi.driver, handle: csi.volumeHandle });
  }
  return volumes;
}

function add(volumes: Map<string, Driven>, volume: DrivenVolume | undefined): void {
  if (volume !== undefined) volumes.set(`${volume.driver} ${volume.handle}`, volume);
}
