import { persistentvolumeclaims, persistentvolumes } from '../../api/generated/kinds.ts';
import type { Labels } from '../../api/selector/selector.ts';
import { abstains, fits, type PluginState, rejectsForGood, type SchedulerPlugin } from '../plugin.ts';
import type { Snapshot } from '../snapshot.ts';
import { somewhere, volumesOf } from './volumes.ts';

/** Zones and regions by their labels; each has an older name that means the same. */
const places: Readonly<Record<string, string>> = {
  'topology.kubernetes.io/zone': 'failure-domain.beta.kubernetes.io/zone',
  'topology.kubernetes.io/region': 'failure-domain.beta.kubernetes.io/region',
};

/** A volume that says by its labels in which zone it is can be reached from there only. */
export const volumeZone: SchedulerPlugin<Zones | undefined> = {
  name: 'VolumeZone',
  reads: [persistentvolumeclaims, persistentvolumes],
  wakesOn: ['node/added', 'node/updated'],
  prepare(pod, snapshot) {
    const wanted = volumesOf(pod, snapshot).flatMap(({ name, volume }) =>
      zonesOf(volume.metadata.labels ?? {}).map((zone) => ({ name, ...zone })),
    );
    return wanted.length === 0 ? abstains : { state: stateOf(wanted, snapshot) };
  },
  filter: (_, { labels }, state) => (state === undefined || isThere(labels, state.wanted) ? fits : elsewhere),
  details: (_, { labels }, state) =>
    (state?.wanted ?? []).flatMap((zone) => {
      if (isThere(labels, [zone])) return [];
      const text = `its volume ${zone.name} is in ${zone.key}=${zone.values.join(' or ')}`;
      // Where there are nodes, what keeps the pod from them is what matters.
      return [state?.isReached() === true ? { text } : { text, mend: 'add a node there, or mount another volume' }];
    }),
};

function isThere(labels: Labels, wanted: readonly Wanted[]): boolean {
  // A node that says nothing of zones is in a cluster without them.
  if (Object.keys(places).every((key) => placeOf(labels, key) === undefined)) return true;
  return wanted.every(({ key, values }) => values.includes(placeOf(labels, key) ?? ''));
}

const elsewhere = rejectsForGood('node(s) had no available volume zone');

interface Wanted {
  readonly name: string;
  readonly key: string;
  readonly values: readonly string[];
}

interface Zones extends PluginState {
  readonly wanted: readonly Wanted[];
  /** From any node. */
  isReached(): boolean;
}

function stateOf(wanted: readonly Wanted[], snapshot: Snapshot): Zones {
  const isReached = somewhere(snapshot, ({ labels }) => isThere(labels, wanted));
  const state: Zones = { wanted, isReached, with: () => state, without: () => state };
  return state;
}

/** A volume in several zones has them all in one label. */
function zonesOf(labels: Labels): readonly Omit<Wanted, 'name'>[] {
  return Object.keys(places).flatMap((key) => {
    const value = placeOf(labels, key);
    return value === undefined ? [] : [{ key, values: value.split('__') }];
  });
}

function placeOf(labels: Labels, key: string): string | undefined {
  return labels[key] ?? labels[places[key] ?? ''];
}
