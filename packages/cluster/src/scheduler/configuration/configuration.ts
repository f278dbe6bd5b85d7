import { parseYamlDocuments } from '../../api/codec/yaml.ts';
import { isObject, type JsonObject } from '../../api/record.ts';
import { defaultSchedulerName } from '../../resources/core/pod/defaults.ts';
import { createPlugins } from '../default-plugins.ts';
import type { SchedulerOptions } from '../loop.ts';
import type { SchedulerPlugin } from '../plugin.ts';
import type { Profile } from '../profile.ts';
import { ownPlugins } from './own-plugins.ts';
import { argsOf } from './plugin-args.ts';
import { enabledPlugins } from './plugin-points.ts';
import { configurationVersion, countOf, Fault, listAt, objectAt, onlyFields, textOf } from './reading.ts';

/** What a scheduler is told: upstream's configuration, and plugins that somebody brings along. */
export interface SchedulerSettings {
  /** A `KubeSchedulerConfiguration` of `kubescheduler.config.k8s.io/v1`. Without one there is one profile with all plugins. */
  readonly configuration?: unknown;
  /** Rules of one's own. They come after ours in every profile, unless its configuration says otherwise. */
  readonly plugins?: readonly SchedulerPlugin[];
}

/** Reads a file. Throws an Error of one line that says where it is wrong. */
export function parseSchedulerConfiguration(text: string, { source }: { readonly source: string }): unknown {
  const [document, more] = parseYamlDocuments(text, { source });
  if (document === undefined || !isObject(document.value))
    throw new Error(`${source}: there is no configuration in it`);
  if (more !== undefined) throw new Error(`${source}: there is more than one document in it`);
  try {
    schedulerOptions({ configuration: document.value });
  } catch (error) {
    // Names of plugins that the caller brings along are judged again when the scheduler is made.
    if (error instanceof Fault) throw new Error(`${source}: ${error.message}`, { cause: error });
    throw error;
  }
  return document.value;
}

/** What the scheduler is made of. Throws a one-line Error where the configuration, or a plugin that comes along, is wrong. */
export function schedulerOptions({ configuration = {}, plugins: own = [] }: SchedulerSettings): SchedulerOptions {
  const plugins = ownPlugins(own);
  if (!isObject(configuration)) throw new Fault('it must be an object');
  const { apiVersion = configurationVersion, kind = 'KubeSchedulerConfiguration' } = configuration;
  if (apiVersion !== configurationVersion || kind !== 'KubeSchedulerConfiguration')
    throw new Fault(`it is no KubeSchedulerConfiguration of ${configurationVersion}`);
  if (listAt(configuration, { field: 'extenders', at: '' }).length > 0)
    throw new Fault(
      'extenders: nobody is asked over HTTP where pods go; a rule of one’s own is a plugin in the process',
    );
  onlyFields(configuration, { at: '', known: [...judged, ...leftOut] });
  const percentage = percentageOf(configuration, '');
  countOf(configuration, { field: 'parallelism', at: '', min: 1 });
  const given = listAt(configuration, { field: 'profiles', at: '' });
  // Where there are several, each says its name.
  const needsName = given.length > 1;
  const profiles = (given.length === 0 ? [{}] : given).map((each, index) =>
    profileOf(objectAt(each, `profiles[${index}]`), {
      at: `profiles[${index}].`,
      ...{ own: plugins, percentage, needsName },
    }),
  );
  const names = profiles.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Fault(`profiles: there are two of the name ${JSON.stringify(twice)}`);
  const initial = countOf(configuration, { field: 'podInitialBackoffSeconds', at: '', min: 1 }) ?? 1;
  const longest = countOf(configuration, { field: 'podMaxBackoffSeconds', at: '', min: 1 }) ?? 10;
  if (longest < initial) throw new Fault('podMaxBackoffSeconds: it must not be less than podInitialBackoffSeconds');
  return { profiles, queue: { backoffInitialMs: initial * 1000, backoffMaxMs: longest * 1000 } };
}

const judged = [
  'apiVersion',
  'kind',
  'profiles',
  'percentageOfNodesToScore',
  'podInitialBackoffSeconds',
  'podMaxBackoffSeconds',
];
/** About a process of its own: here the scheduler is a part of one. */
const leftOut = [
  ...['clientConnection', 'leaderElection', 'parallelism', 'enableProfiling', 'enableContentionProfiling'],
  ...['healthzBindAddress', 'metricsBindAddress', 'delayCacheUntilActive', 'extenders'],
];

interface ProfilePlace {
  readonly at: string;
  readonly own: readonly SchedulerPlugin[];
  readonly percentage: number | undefined;
  readonly needsName: boolean;
}

function profileOf(given: JsonObject, { at, own, percentage, needsName }: ProfilePlace): Profile {
  onlyFields(given, { at, known: ['schedulerName', 'plugins', 'pluginConfig', 'percentageOfNodesToScore'] });
  const args = argsOf(listAt(given, { field: 'pluginConfig', at }), { at: `${at}pluginConfig`, own });
  const all = [...createPlugins(args.plugins), ...own];
  const name = textOf(given, { field: 'schedulerName', at });
  if (name === undefined && (needsName || given['schedulerName'] === ''))
    throw new Fault(`${at}schedulerName: it is missing`);
  const { plugins, preempts } = enabledPlugins(given['plugins'] ?? {}, { at: `${at}plugins`, all });
  return {
    name: name ?? defaultSchedulerName,
    plugins,
    percentageOfNodesToScore: percentageOf(given, at) ?? percentage ?? 0,
    preemption: preempts ? args.preemption : undefined,
  };
}

function percentageOf(given: JsonObject, at: string): number | undefined {
  return countOf(given, { field: 'percentageOfNodesToScore', at, max: 100 });
}
