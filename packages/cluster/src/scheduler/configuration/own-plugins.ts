import { isObject } from '../../api/record.ts';
import { defaultPlugins } from '../default-plugins.ts';
import { guarded } from '../guarded.ts';
import type { PlacementEvent, SchedulerPlugin } from '../plugin.ts';
import { builtIn } from './plugin-points.ts';
import { Fault } from './reading.ts';

/** Plugins that somebody brings along, ready to be asked. Throws a `Fault` for what would be wrong with all pods alike. */
export function ownPlugins(given: readonly SchedulerPlugin[]): readonly SchedulerPlugin[] {
  const names = new Set<string>();
  for (const [index, plugin] of given.entries()) {
    const fault = faultOf(plugin, names);
    if (fault !== undefined) throw new Fault(`plugins[${index}]: ${fault}`);
    names.add(plugin.name);
  }
  return given.map(guarded);
}

const taken: ReadonlySet<string> = new Set([...defaultPlugins.map(({ name }) => name), ...builtIn]);

/** Who writes no TypeScript may give anything. */
function faultOf(plugin: unknown, before: ReadonlySet<string>): string | undefined {
  if (!isObject(plugin)) return 'a plugin is an object { name, wakesOn, filter, … }';
  const { name, wakesOn } = plugin;
  if (typeof name !== 'string' || name === '')
    return 'name: it is missing; reasons and configurations name a plugin by it';
  if (taken.has(name)) return `name: ${JSON.stringify(name)} is a plugin of the scheduler itself; choose another name`;
  if (before.has(name)) return `name: there are two plugins of the name ${JSON.stringify(name)}`;
  if (!Array.isArray(wakesOn))
    return `wakesOn of ${JSON.stringify(name)}: it must be a list of what could help a pod that it rejects: ${known}`;
  const strange = (wakesOn as readonly unknown[]).find((event) => !Object.hasOwn(placementEvents, String(event)));
  if (strange !== undefined)
    return `wakesOn of ${JSON.stringify(name)}: there is no event ${JSON.stringify(strange)}; there are ${known}`;
  const deaf = points.find((point) => plugin[point] !== undefined && typeof plugin[point] !== 'function');
  return deaf === undefined ? undefined : `${deaf} of ${JSON.stringify(name)}: it must be a function`;
}

/** All of them: one that is missing here does not compile. */
const placementEvents: Readonly<Record<PlacementEvent, true>> = {
  'node/added': true,
  'node/updated': true,
  'node/removed': true,
  'pod/added': true,
  'pod/relabelled': true,
  'pod/stopping': true,
  'pod/shrunk': true,
  'pod/removed': true,
};

const known = Object.keys(placementEvents).join(', ');

const points: readonly string[] = [
  'prepare',
  'filter',
  'score',
  'rank',
  'helps',
  'details',
  'beforeBinding',
  'isIndifferent',
] satisfies readonly (keyof SchedulerPlugin)[];
