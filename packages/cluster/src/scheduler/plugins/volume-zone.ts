import { persistentvolumeclaims, persistentvolumes } from '../../api/generated/kinds.ts';
import type { Labels } from '../../api/selector/selector.ts';
import { abstains, fits, type PluginState, rejectsForGood, type SchedulerPlugin } from '../plugin.ts';
import { volumesOf } from './volumes.ts';

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
    const wanted = volumesOf(pod, snapshot).flatMap(({ metadata }) => zonesOf(metadata.labels ?? {}));
    return wanted.length === 0 ? abstains : { state: stateOf(wanted) };
  },
  filter(_, { labels }, state) {
    // A node that says nothing of zones is in a cluster without them.
    if (state === undefined || Object.keys(places).every((key) => placeOf(labels, key) === undefined)) return fits;
    return state.wanted.every(({ key, values }) => values.includes(placeOf(labels, key) ?? '')) ? fits : elsewhere;
  },
};

const elsewhere = rejectsForGood('node(s) had no available volume zone');

interface Wanted {
  readonly key: string;
  readonly values: readonly string[];
}

interface Zones extends PluginState {
  readonly wanted: readonly Wanted[];
}

function stateOf(wanted: readonly Wanted[]): Zones {
  const state: Zones = { wanted, with: () => state, without: () => state };
  return state;
}

/** A volume in several zones has them all in one label. */
function zonesOf(labels: Labels): readonly Wanted[] {
  return Object.keys(places).flatMap((key) => {
    const value = placeOf(labels, key);
    return value === undefined ? [] : [{ key, values: value.split('__') }];
  });
}

function placeOf(labels: Labels, key: string): string | undefined {
  return labels[key] ?? labels[places[key] ?? ''];
}
