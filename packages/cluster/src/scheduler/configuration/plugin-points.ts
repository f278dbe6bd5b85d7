import type { JsonObject } from '../../api/record.ts';
import type { SchedulerPlugin } from '../plugin.ts';
import { countOf, Fault, listAt, objectAt, onlyFields, textOf } from './reading.ts';

/** Points at which plugins have a say here; the others are taken and are as they are. */
const points = ['preFilter', 'filter', 'postFilter', 'preScore', 'score'] as const;
type Point = (typeof points)[number];
const otherPoints = ['preEnqueue', 'queueSort', 'reserve', 'permit', 'preBind', 'bind', 'postBind'];

/** Upstream's plugins that are no values here: what they do is done by other parts, or there is nothing to do. */
export const builtIn: readonly string[] = [
  ...['SchedulingGates', 'PrioritySort', 'DefaultPreemption', 'DefaultBinder'],
  ...['DynamicResources', 'EBSLimits', 'GCEPDLimits', 'AzureDiskLimits'],
];
/** Without these no pod ever gets its node. */
const needed: Readonly<Record<string, string>> = { queueSort: 'PrioritySort', bind: 'DefaultBinder' };

interface Choice {
  readonly enabled: readonly { readonly name: string; readonly weight: number | undefined }[];
  readonly disabled: ReadonlySet<string>;
}

export interface Enabled {
  readonly plugins: readonly SchedulerPlugin[];
  readonly preempts: boolean;
}

/**
 * The plugins of a profile, each with what it may say. `multiPoint` is about all points; what a single point says of a plugin
 * counts more, and those that it names come first there.
 */
export function enabledPlugins(
  given: unknown,
  { at, all }: { readonly at: string; readonly all: readonly SchedulerPlugin[] },
): Enabled {
  const object = objectAt(given, at);
  onlyFields(object, { at: `${at}.`, known: ['multiPoint', ...points, ...otherPoints] });
  const names = new Set([...all.map(({ name }) => name), ...builtIn]);
  const choice = (point: string): Choice => choiceOf(object[point] ?? {}, { at: `${at}.${point}`, names });
  for (const point of otherPoints) refuseWithout(point, { choice: choice(point), at });
  const multi = choice('multiPoint');
  const chosen = new Map(points.map((point) => [point, choice(point)]));
  refuseMute(chosen, { at, all });
  const isOn = (name: string, point: Point): boolean => isEnabled(name, { multi, single: chosen.get(point) ?? multi });
  const first = (chosen.get('filter') ?? multi).enabled.map(({ name }) => name);
  const ordered = [...first.flatMap((name) => all.filter((each) => each.name === name)), ...all];
  const plugins = [...new Set(ordered)].flatMap((plugin) => {
    const weight = weightOf(plugin.name, { multi, single: chosen.get('score') ?? multi });
    return partOf(plugin, { isOn: (point) => isOn(plugin.name, point), weight });
  });
  return { plugins, preempts: isOn('DefaultPreemption', 'postFilter') };
}

function choiceOf(given: unknown, { at, names }: { readonly at: string; readonly names: ReadonlySet<string> }): Choice {
  const object = objectAt(given, at);
  onlyFields(object, { at: `${at}.`, known: ['enabled', 'disabled'] });
  const named = (field: 'enabled' | 'disabled') =>
    listAt(object, { field, at: `${at}.` }).map((each, index) =>
      pluginNamed(objectAt(each, `${at}.${field}[${index}]`), { at: `${at}.${field}[${index}].`, names, field }),
    );
  const enabled = named('enabled');
  const twice = enabled.findIndex(({ name }, index) => enabled.findIndex((each) => each.name === name) !== index);
  if (twice >= 0) throw new Fault(`${at}.enabled[${twice}].name: it is there twice`);
  return { enabled, disabled: new Set(named('disabled').map(({ name }) => name)) };
}

function pluginNamed(
  object: JsonObject,
  { at, names, field }: { readonly at: string; readonly names: ReadonlySet<string>; readonly field: string },
): Choice['enabled'][number] {
  onlyFields(object, { at, known: ['name', 'weight'] });
  const name = textOf(object, { field: 'name', at }) ?? '';
  // Who is not there is off already.
  if (field === 'enabled' && !names.has(name)) throw new Fault(`${at}name: there is no plugin ${JSON.stringify(name)}`);
  return { name, weight: countOf(object, { field: 'weight', at }) };
}

/** Whoever is named at a point has something to say there. */
function refuseMute(
  chosen: ReadonlyMap<Point, Choice>,
  { at, all }: { readonly at: string; readonly all: readonly SchedulerPlugin[] },
): void {
  const says: Partial<Record<Point, (plugin: SchedulerPlugin) => boolean>> = {
    filter: ({ filter, prepare }) => filter !== undefined || prepare !== undefined,
    // Upstream's has points for the room that is left on storage, which is not looked at.
    score: ({ name, score, rank }) => score !== undefined || rank !== undefined || name === 'VolumeBinding',
  };
  for (const [point, { enabled }] of chosen)
    for (const [index, { name }] of enabled.entries()) {
      const plugin = all.find((each) => each.name === name);
      if (plugin !== undefined && says[point]?.(plugin) === false)
        throw new Fault(`${at}.${point}.enabled[${index}].name: ${JSON.stringify(name)} has nothing to say there`);
    }
}

function refuseWithout(point: string, { choice, at }: { readonly choice: Choice; readonly at: string }): void {
  const wanted = needed[point];
  if (wanted === undefined) return;
  const isOff = choice.disabled.has(wanted) || choice.disabled.has('*');
  if (isOff && !choice.enabled.some(({ name }) => name === wanted))
    throw new Fault(`${at}.${point}: nothing else can take the place of ${wanted}`);
}

function isEnabled(name: string, { multi, single }: { readonly multi: Choice; readonly single: Choice }): boolean {
  if (single.enabled.some((each) => each.name === name)) return true;
  if (single.disabled.has(name) || single.disabled.has('*')) return false;
  if (multi.enabled.some((each) => each.name === name)) return true;
  return !multi.disabled.has(name) && !multi.disabled.has('*');
}

/** 0 says nothing. */
function weightOf(
  name: string,
  { multi, single }: { readonly multi: Choice; readonly single: Choice },
): number | undefined {
  const said = [single, multi].map(({ enabled }) => enabled.find((each) => each.name === name)?.weight ?? 0);
  return said.find((weight) => weight > 0);
}

interface Part {
  isOn(point: Point): boolean;
  readonly weight: number | undefined;
}

/** The plugin with what it may still say; nothing when it may say nothing. */
function partOf(plugin: SchedulerPlugin, { isOn, weight }: Part): readonly SchedulerPlugin[] {
  const filters = isOn('filter') && isOn('preFilter');
  const scores = isOn('score');
  const { prepare, filter, score, rank, isIndifferent, normalize, ...rest } = plugin;
  const hasFilter = filters && (prepare !== undefined || filter !== undefined);
  const hasScore = scores && (score !== undefined || rank !== undefined);
  if (!hasFilter && !hasScore) return [];
  return [
    {
      ...rest,
      ...(weight !== undefined && { weight }),
      ...(hasFilter && prepare !== undefined && { prepare: prepare.bind(plugin) }),
      ...(hasFilter && filter !== undefined && { filter: filter.bind(plugin) }),
      ...(hasScore && score !== undefined && { score: score.bind(plugin) }),
      ...(hasScore && rank !== undefined && { rank: rank.bind(plugin) }),
      ...(hasScore && isIndifferent !== undefined && { isIndifferent: isIndifferent.bind(plugin) }),
      ...(hasScore && normalize !== undefined && { normalize }),
    },
  ];
}
