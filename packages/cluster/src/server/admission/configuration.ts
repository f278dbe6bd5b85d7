/** The file that configures rules of admission, as upstream's API server reads it. */
import { parseYamlDocuments } from '../../api/codec/yaml.ts';
import { isObject, type JsonObject } from '../../api/record.ts';
import { type EventLimit, limitTypes } from './event-rate-limit.ts';
import { eventRateLimitName } from './plugin-choice.ts';

export interface AdmissionConfiguration {
  /** Of the rule `EventRateLimit`; absent: nothing is said of it. */
  readonly eventLimits?: readonly EventLimit[];
}

interface Reading {
  /** Named in faults. */
  readonly source: string;
  /** The text of a file that an entry names by its path, which is relative to the file's own. */
  readonly read: (path: string) => Promise<string>;
}

const fileVersions = ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'];
const limitsVersion = 'eventratelimit.admission.k8s.io/v1alpha1';

/** Rejects with an Error of one line that says where it is wrong, and quotes no value. */
export async function readAdmissionConfiguration(text: string, reading: Reading): Promise<AdmissionConfiguration> {
  const { source } = reading;
  const value = documentIn(text, { source, kind: 'AdmissionConfiguration', versions: fileVersions });
  const { plugins = [] } = value;
  throwFirst(source, unknownFields(value, { at: '', known: ['apiVersion', 'kind', 'plugins'] }));
  if (!Array.isArray(plugins)) throw new Error(`${source}: plugins: it must be a list`);
  let eventLimits: readonly EventLimit[] | undefined;
  for (const [index, plugin] of plugins.entries()) {
    const at = `plugins[${index}]`;
    if (!isObject(plugin)) throw new Error(`${source}: ${at}: it must be an object`);
    throwFirst(source, unknownFields(plugin, { at: `${at}.`, known: ['name', 'path', 'configuration'] }));
    if (plugin['name'] !== eventRateLimitName)
      throw new Error(`${source}: ${at}.name: of the rules here only ${eventRateLimitName} has a configuration`);
    // As upstream: the first of a name counts.
    eventLimits ??= limitsIn(await configurationOf(plugin, { ...reading, at }), { source, at });
  }
  return eventLimits === undefined ? {} : { eventLimits };
}

async function configurationOf(
  { configuration, path }: JsonObject,
  { source, read, at }: Reading & { readonly at: string },
): Promise<JsonObject> {
  const versions = [limitsVersion];
  if (isObject(configuration)) {
    checkKind(configuration, { source: `${source}: ${at}.configuration`, kind: 'Configuration', versions });
    return configuration;
  }
  if (typeof path !== 'string' || path === '') throw new Error(`${source}: ${at}: it has no configuration`);
  return documentIn(await read(path), { source: path, kind: 'Configuration', versions });
}

function limitsIn(
  configuration: JsonObject,
  { source, at }: { readonly source: string; readonly at: string },
): readonly EventLimit[] {
  throwFirst(`${source}: ${at}`, limitFaults(configuration));
  return configuration['limits'] as unknown as readonly EventLimit[];
}

function* limitFaults(configuration: JsonObject): Iterable<string> {
  yield* unknownFields(configuration, { at: '', known: ['apiVersion', 'kind', 'limits'] });
  const { limits = [] } = configuration;
  if (!Array.isArray(limits)) return yield 'limits: it must be a list';
  if (limits.length === 0) return yield 'limits: Invalid value: null: must not be empty';
  for (const [index, limit] of limits.entries()) {
    const where = `limits[${index}]`;
    if (!isObject(limit)) return yield `${where}: it must be an object`;
    yield* unknownFields(limit, { at: `${where}.`, known: ['type', 'qps', 'burst', 'cacheSize'] });
    const { type, qps = 0, burst = 0, cacheSize = 0 } = limit;
    if (!limitTypes.some((each) => each === type)) yield `${where}.type: it must be one of ${limitTypes.join(', ')}`;
    if (!isWhole(burst) || burst <= 0) yield `${where}.burst: must be positive`;
    if (!isWhole(qps) || qps <= 0) yield `${where}.qps: must be positive`;
    if (type !== 'Server' && (!isWhole(cacheSize) || cacheSize < 0)) yield `${where}.cacheSize: must not be negative`;
  }
}

interface Wanted {
  readonly source: string;
  readonly kind: string;
  readonly versions: readonly string[];
}

function documentIn(text: string, wanted: Wanted): JsonObject {
  const { source } = wanted;
  const [document, more] = parseYamlDocuments(text, { source });
  if (document === undefined || !isObject(document.value)) throw new Error(`${source}: there is nothing in it`);
  if (more !== undefined) throw new Error(`${source}: there is more than one document in it`);
  checkKind(document.value, wanted);
  return document.value;
}

function checkKind(value: JsonObject, { source, kind, versions }: Wanted): void {
  if (value['kind'] !== kind || !versions.some((version) => version === value['apiVersion']))
    throw new Error(`${source}: it is no ${kind} of ${versions.join(' or ')}`);
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31;
}

function* unknownFields(
  object: JsonObject,
  { at, known }: { readonly at: string; readonly known: readonly string[] },
): Iterable<string> {
  for (const key of Object.keys(object)) if (!known.includes(key)) yield `${at}${key}: there is no such field`;
}

function throwFirst(source: string, faults: Iterable<string>): void {
  for (const fault of faults) throw new Error(`${source}: ${fault}`);
}
