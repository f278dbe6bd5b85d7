import { daemonsets, explainedTypes, type KubeObject, pods, type ResourceType } from '@signalbox/cluster';
import {
  defaultComponents,
  explainMonitor,
  explainRefused,
  explainTarget,
  type Finding,
  findingsOf,
  type MonitorExplanation,
  monitorTypes,
  type TargetExplanation,
  type TargetQuery,
  takeIn,
  type World,
  withImagined,
  worldOf,
} from '@signalbox/telemetry';
import { formatMonitorExplanation, formatTargetExplanation } from '../format/explain.ts';
import { CommandError } from '../io/errors.ts';
import { colorsFor, type Io, writeLine } from '../io/io.ts';
import { idOf, readManifests, withIdentity } from '../io/manifests.ts';
import { withLiveWorld } from './explain-live.ts';
import { missingNamespace } from './missing-namespace.ts';

export interface ExplainCommand {
  readonly what: string;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  /** Manifests instead of a cluster. */
  readonly file: readonly string[] | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Of a DaemonSet or a pod: only what is to be said of this node. */
  readonly node: string | undefined;
  /** By which rules the cluster's scheduler decides: a KubeSchedulerConfiguration. */
  readonly schedulerConfig: string | undefined;
  readonly output: 'text' | 'json';
}

/** Where it is looked, and what is known besides. */
export interface Place {
  readonly world: World;
  /** What a server would say of the manifests. */
  readonly findings: readonly Finding[];
  /** Manifests that a server would refuse. */
  readonly refused: readonly KubeObject[];
  readonly namespace: string;
  /** Those that there are, where a cluster says it. */
  readonly namespaces: readonly string[];
  /** Adds what the agents say of the targets. */
  askedMonitor(explanation: MonitorExplanation): Promise<MonitorExplanation>;
  askedTarget(explanation: TargetExplanation, query: TargetQuery): Promise<TargetExplanation>;
}

const wrongUsage = 2;
const notScraped = 3;

/** Says why something runs or waits, is scraped or is not. Resolves with the exit code. */
export async function explain(command: ExplainCommand, io: Io): Promise<number> {
  const { kind, name } = namesOf(command);
  const object = explainedTypes.find((each) => spellings(each).includes(kind));
  if (object !== undefined) return explainRunning(object, name, { command, io });
  const misplaced =
    command.node !== undefined
      ? '--node is about daemonset and pod'
      : command.schedulerConfig !== undefined
        ? '--scheduler-config is about what a scheduler gives nodes'
        : undefined;
  if (misplaced !== undefined) {
    writeLine(io.stderr, `error: ${misplaced}; see signalbox explain --help`);
    return wrongUsage;
  }
  const type = monitorTypes.find((each) => spellings(each).includes(kind));
  if (kind !== 'target' && type === undefined) {
    writeLine(io.stderr, `error: ${notExplained(kind, name)}`);
    return wrongUsage;
  }
  if (name === undefined) {
    const example = kind === 'target' ? 'its address, or labels: pod=web-1' : 'its name';
    writeLine(io.stderr, `error: explain ${kind} needs ${example}; see signalbox explain --help`);
    return wrongUsage;
  }
  if (kind === 'target' && isHalfLabel(name)) {
    writeLine(io.stderr, `error: "${name}" is no label with a value: pod=web-1; see signalbox explain --help`);
    return wrongUsage;
  }
  const answer = (place: Place): Promise<number> =>
    type === undefined ? answerTarget(name, place, { command, io }) : answerMonitor(name, place, { command, io, type });
  return command.file === undefined
    ? withLiveWorld(command, io, answer)
    : answer(await worldOfFiles(command.file, command, io));
}

/** What runs is asked of a cluster: manifests alone do not tell. */
async function explainRunning(
  type: ResourceType,
  name: string | undefined,
  { command, io }: Answering,
): Promise<number> {
  const kind = type.kind.toLowerCase();
  const isOfNodes = nodewise.includes(type.resource);
  const problem =
    name === undefined
      ? `explain ${kind} needs its name`
      : command.file !== undefined
        ? `explain ${kind} asks a running cluster: leave out -f${type === pods ? `, or ask who scrapes it: signalbox explain target pod=${name} -n NAMESPACE` : ''}`
        : command.node !== undefined && !isOfNodes
          ? '--node is about daemonset and pod'
          : undefined;
  if (name === undefined || problem !== undefined) {
    writeLine(io.stderr, `error: ${problem}; see signalbox explain --help`);
    return wrongUsage;
  }
  const { explainObject } = await import('./explain-object.ts');
  return explainObject({ ...command, type, name }, io);
}

const nodewise: readonly string[] = [daemonsets.resource, pods.resource];

/** With what answers it: people ask for what they see, and a pod is not what is configured. */
function notExplained(kind: string, name = 'NAME'): string {
  const target = targetKinds[kind];
  if (target !== undefined)
    return `a ${target} is found by monitors: signalbox explain target ${target}=${name} -n NAMESPACE says by which, or why by none`;
  const isRoot = defaultComponents().some(({ rootType }) => spellings(rootType).includes(kind));
  if (isRoot)
    return `"${kind}" collects, and is not scraped: signalbox tree shows what it collects, signalbox explain servicemonitor NAME why not`;
  const known = [...[...explainedTypes, ...monitorTypes].map((each) => each.kind.toLowerCase()), 'target'].join(', ');
  return `"${kind}" cannot be explained, only ${known}; see signalbox explain --help`;
}

const targetKinds: Readonly<Record<string, 'service'>> = {
  service: 'service',
  services: 'service',
  svc: 'service',
};

/** Nobody has an address with an equals sign. */
function isHalfLabel(text: string): boolean {
  if (isUrl(text) || !text.includes('=')) return text.trim() === '';
  const rest = text.replaceAll(labelPattern, '').replaceAll(/[{},\s]/g, '');
  return rest !== '' || Object.values(queryOf(text, undefined).labels ?? {}).every((value) => value === '');
}

/** What a Probe asks may have anything in it. */
function isUrl(text: string): boolean {
  return /^https?:\/\//.test(text);
}

const labelPattern = /([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*(?:"([^"]*)"|([^,}\s]*))/g;

function namesOf({ what, name }: ExplainCommand): { readonly kind: string; readonly name: string | undefined } {
  const slash = what.indexOf('/');
  if (slash < 0 || name !== undefined) return { kind: what.toLowerCase(), name };
  return { kind: what.slice(0, slash).toLowerCase(), name: what.slice(slash + 1) };
}

const shortNames: Readonly<Record<string, string>> = {
  cronjobs: 'cj',
  daemonsets: 'ds',
  deployments: 'deploy',
  nodes: 'no',
  persistentvolumeclaims: 'pvc',
  pods: 'po',
  replicasets: 'rs',
  replicationcontrollers: 'rc',
  statefulsets: 'sts',
  servicemonitors: 'smon',
  podmonitors: 'pmon',
  probes: 'prb',
  scrapeconfigs: 'scfg',
};

/** As kubectl takes them: `pod`, `pods.v1.`, `deployment.apps`, `deploy.v1.apps`. */
function spellings(type: ResourceType): readonly string[] {
  const { kind, resource, group, version } = type;
  const names = new Set([kind.toLowerCase(), resource, shortNames[resource] ?? resource]);
  const places = group === '' ? ['', `.${version}`, `.${version}.`] : ['', `.${group}`, `.${version}.${group}`];
  return [...names].flatMap((name) => places.map((place) => `${name}${place}`));
}

async function worldOfFiles(paths: readonly string[], { namespace }: ExplainCommand, io: Io): Promise<Place> {
  const read = (await readManifests(paths, io)).map(({ object }) => object as KubeObject);
  // A later one replaces an earlier one, as a second `apply` would.
  const manifests = [...new Map(read.map((manifest) => [idOf(manifest), manifest])).values()];
  const { objects, findings } = takeIn(manifests);
  const refused = manifests.filter((manifest) =>
    findingsOf(manifest, findings).some(({ severity }) => severity === 'error'),
  );
  return {
    world: worldOf(withImagined(objects.map(withIdentity))),
    findings,
    refused,
    namespace: namespace ?? 'default',
    namespaces: [],
    askedMonitor: async (explanation) => explanation,
    askedTarget: async (explanation) => explanation,
  };
}

interface Answering {
  readonly command: ExplainCommand;
  readonly io: Io;
}

async function answerMonitor(
  name: string,
  place: Place,
  { command, io, type }: Answering & { readonly type: ResourceType },
): Promise<number> {
  const options = { components: defaultComponents(), nowMs: io.clock.nowMs() };
  const manifest = place.refused.find(
    ({ kind, metadata }) =>
      kind === type.kind && metadata.name === name && (metadata.namespace ?? 'default') === place.namespace,
  );
  const found =
    manifest === undefined
      ? explainMonitor(place.world, { type, key: `${place.namespace}/${name}` }, options)
      : explainRefused(manifest, findingsOf(manifest, place.findings));
  if (found === undefined) throw new CommandError(missing(name, place, type));
  const explanation = await place.askedMonitor(withFindings(found, place));
  if (command.output === 'json') writeLine(io.stdout, JSON.stringify(explanation, null, 2));
  else io.stdout.write(formatMonitorExplanation(explanation, colorsFor(io.stdout, io)));
  return explanation.outcome === 'scraped' ? 0 : notScraped;
}

/** What a server would say of it, and of roots that it would refuse. */
function withFindings(explanation: MonitorExplanation, { findings }: Place): MonitorExplanation {
  const { monitor } = explanation;
  const told = findings
    .filter(({ regarding, severity }) =>
      severity === 'error' ? explanation.outcome !== 'refused' : isOf(regarding, monitor),
    )
    .map(({ regarding, field, message, severity }) => {
      const { namespace = 'default', name } = regarding.metadata;
      const place = `${regarding.kind} ${namespace}/${name}`;
      return severity === 'error'
        ? `${place} would be refused: ${field}: ${message}`
        : `${place}: ${field}: ${message}, so it is left out`;
    });
  return { ...explanation, notes: [...new Set([...told, ...explanation.notes])] };
}

function isOf({ kind, metadata }: KubeObject, monitor: MonitorExplanation['monitor']): boolean {
  return (
    kind === monitor.kind &&
    metadata.name === monitor.name &&
    (metadata.namespace ?? 'default') === (monitor.namespace ?? 'default')
  );
}

/** With the namespaces that have one of that name. */
function missing(name: string, { world, namespace, namespaces: known }: Place, type: ResourceType): string {
  const elsewhere = world.list(type).filter(({ metadata }) => metadata.name === name);
  const others = world.list(type, namespace).map(({ metadata }) => metadata.name);
  if (elsewhere.length > 0)
    return `there is no ${type.kind} ${namespace}/${name}; there is one in ${elsewhere.map(({ metadata }) => metadata.namespace).join(', ')}: name it with -n`;
  const homeless = missingNamespace(`${type.kind} ${namespace}/${name}`, { namespace, known });
  if (homeless !== undefined) return homeless;
  const has =
    others.length === 0
      ? `namespace ${namespace} has none`
      : `namespace ${namespace} has ${others.slice(0, 5).join(', ')}`;
  return `there is no ${type.kind} ${namespace}/${name}; ${has}`;
}

async function answerTarget(text: string, place: Place, { command, io }: Answering): Promise<number> {
  const query = queryOf(text, command.namespace);
  const options = { components: defaultComponents(), nowMs: io.clock.nowMs() };
  const explanation = await place.askedTarget(explainTarget(place.world, query, options), query);
  if (command.output === 'json') writeLine(io.stdout, JSON.stringify(explanation, null, 2));
  else io.stdout.write(formatTargetExplanation(text, explanation, colorsFor(io.stdout, io)));
  switch (explanation.outcome) {
    case 'scraped':
      return 0;
    case 'not found':
      return 1;
    default:
      return notScraped;
  }
}

/** `pod=web-1,namespace=shop`, `{pod="web-1"}`, or an address. The namespace counts where the labels name none. */
function queryOf(text: string, namespace: string | undefined): TargetQuery {
  const labels = isUrl(text) ? [] : [...text.matchAll(labelPattern)];
  if (labels.length === 0) return { address: text };
  const named = Object.fromEntries(labels.map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? '']));
  return { labels: namespace === undefined ? named : { namespace, ...named } };
}
