import { type KubeObject, keyOf, type Pod, pods, type ResourceType, services } from '@signalbox/cluster';
import type { LabelSet } from '../relabel/execute.ts';
import { podlogs } from '../resources/pod-logs.ts';
import { podmonitors } from '../resources/pod-monitor.ts';
import { probes } from '../resources/probe.ts';
import { scrapeconfigs } from '../resources/scrape-config.ts';
import { servicemonitors } from '../resources/service-monitor.ts';
import type { World } from '../world/world.ts';
import { jobsByHand, leadsTo, wouldSelect } from './by-hand.ts';
import { type AgentView, describeRef, type JobView, type ObjectRef, type TargetView } from './explanation.ts';
import { type Told, toldTargets } from './health.ts';
import { jobViews, type Only } from './job.ts';
import { type Explaining, idleSummary } from './monitor.ts';
import { prospectOf } from './scraped.ts';
import { buildRoots, type ExplainOptions, refOf, selectorViews, type ViewsOf } from './selectors.ts';

/** What is looked for: an address with or without a port, or labels of the target or of what it stands for. */
export interface TargetQuery {
  readonly address?: string;
  readonly labels?: LabelSet;
}

/** Every kind that brings targets. */
export const monitorTypes: readonly ResourceType[] = [servicemonitors, podmonitors, probes, scrapeconfigs, podlogs];

export interface TargetExplanation {
  readonly outcome: 'dropped' | 'not found' | 'scraped' | 'unmonitored';
  readonly cause: string;
  readonly mend: string;
  readonly notes: readonly string[];
  /** Pods and Services that the query names. */
  readonly objects: readonly ObjectRef[];
  /** Whoever finds it: those that keep it, then those that drop it, the furthest first. */
  readonly finds: readonly TargetFind[];
  readonly open: readonly OpenJob[];
  /** Monitors that would find it, if only somebody collected them. */
  readonly idle: readonly { readonly monitor: ObjectRef; readonly cause: string; readonly mend: string }[];
}

/** A job that may scrape it: how its targets are found nobody can foretell, and its agents can be asked. */
export interface OpenJob {
  readonly monitor: ObjectRef;
  readonly root: ObjectRef;
  readonly by: ObjectRef;
  readonly job: string;
  readonly shards: number;
  /** `consul_sd_configs` */
  readonly unknown: readonly string[];
  readonly agents: readonly AgentView[];
}

export interface TargetFind {
  /** The monitor, or the Secret in which somebody wrote the job. */
  readonly monitor: ObjectRef;
  readonly root: ObjectRef;
  readonly by: ObjectRef;
  readonly job: string;
  readonly shards: number;
  readonly target: TargetView;
  readonly agents: readonly AgentView[];
}

/** Who scrapes a target, or why nobody does. Pure. */
export function explainTarget(world: World, query: TargetQuery, options: ExplainOptions): TargetExplanation {
  const roots = buildRoots(world, options);
  const objects = objectsOf(world, query);
  const byHand = jobsByHand(roots, world);
  const finds: TargetFind[] = byHand.flatMap((each) => findsOf({ ...each, monitor: each.secret }, query));
  const open = byHand.flatMap((each) => openJobs([each.job], { ...each, monitor: each.secret }));
  const idle: TargetExplanation['idle'][number][] = [];
  // Most of what most jobs discover is not what was asked for, so their rules need not be run on it.
  const only: Only = { takes: (discovered) => isDiscovered(discovered, query), known: new Map() };
  const asked = viewing(world, { only });
  for (const type of monitorTypes)
    for (const monitor of world.list(type)) {
      const { found, unused, unforetold } = look(monitor, { world, type, roots, query, objects, viewsOf: asked });
      finds.push(...found);
      idle.push(...unused);
      open.push(...unforetold);
    }
  if (!finds.some(isKept)) finds.push(...relabelled(world, { roots, query, objects }));
  const sorted = finds.sort((a, b) => distance(a.target) - distance(b.target));
  return {
    ...summaryOf({ sorted, idle, objects, world }, query),
    notes: sorted[0]?.target.fate.kept === true ? [] : limited(open.map(openNote)),
    open,
    objects: objects.map(refOf),
    finds: sorted,
    idle,
  };
}

/** As many jobs are named into which nobody can look. */
const notesMax = 5;

function limited(notes: readonly string[]): readonly string[] {
  const rest = notes.length - notesMax;
  return rest > 0 ? [...notes.slice(0, notesMax), `so could ${rest} more jobs that cannot be foretold`] : notes;
}

function openNote({ monitor, by, job, unknown }: OpenJob): string {
  return `${finderOf({ monitor, by, job })} could scrape it, which cannot be foretold: ${unknown.join(', ')}`;
}

function openJobs(jobs: readonly JobView[], { monitor, root, by, agents }: Omit<Finding, 'job'>): readonly OpenJob[] {
  return jobs
    .filter(({ unknown }) => unknown.length > 0)
    .map(({ name, shards, unknown }) => ({ monitor, root, by, job: name, shards, unknown, agents }));
}

/** With what the agents say of jobs that could not be looked into. */
export function withToldFinds(
  explanation: TargetExplanation,
  query: TargetQuery,
  told: readonly Told[],
): TargetExplanation {
  const found = explanation.open.flatMap(({ unknown, ...place }) => {
    const own = told.filter(({ agent }) => place.agents.some(({ path }) => path === agent.path));
    return toldTargets({ name: place.job, unknown, targets: [] }, own)
      .filter((target) => isAsked(target, query))
      .map((target): TargetFind => ({ ...place, target }));
  });
  if (found.length === 0 || explanation.outcome === 'scraped') return explanation;
  return {
    ...explanation,
    outcome: 'scraped',
    cause: '',
    mend: '',
    notes: [],
    finds: [...found, ...explanation.finds],
  };
}

function viewing(world: World, options: { readonly only: Only } | { readonly prospectOf: typeof prospectOf }): ViewsOf {
  return (collected, { root, desired }) =>
    jobViews(collected, { world, root, shards: desired?.shards ?? 1, ...options });
}

/** Those that are called so only by the rules of their jobs. */
function relabelled(world: World, looking: Pick<Looking, 'objects' | 'query' | 'roots'>): readonly TargetFind[] {
  const viewsOf = viewing(world, { prospectOf });
  return monitorTypes.flatMap((type) =>
    world.list(type).flatMap((monitor) => look(monitor, { ...looking, world, type, viewsOf }).found.filter(isKept)),
  );
}

function isKept({ target }: TargetFind): boolean {
  return target.fate.kept;
}

interface Looking extends Explaining {
  readonly viewsOf: ViewsOf;
  readonly query: TargetQuery;
  readonly objects: readonly KubeObject[];
}

function look(
  monitor: KubeObject,
  { world, type, roots, query, objects, viewsOf }: Looking,
): {
  readonly found: readonly TargetFind[];
  readonly unused: TargetExplanation['idle'];
  readonly unforetold: readonly OpenJob[];
} {
  const selectors = selectorViews(monitor, roots, { world, type, viewsOf });
  const idle = idleSummary(monitor, selectors);
  const ref = refOf(monitor);
  const found = selectors.flatMap(({ jobs, ...place }) =>
    jobs.flatMap((job) => findsOf({ ...place, monitor: ref, job }, query)),
  );
  const unforetold = selectors.flatMap(({ jobs, ...place }) => openJobs(jobs, { ...place, monitor: ref }));
  const would = idle !== undefined && objects.some((object) => wouldSelect(monitor, object));
  return { found, unforetold, unused: would ? [{ monitor: ref, cause: idle.cause, mend: idle.mend }] : [] };
}

interface Finding {
  readonly monitor: ObjectRef;
  readonly root: ObjectRef;
  readonly by: ObjectRef;
  readonly job: JobView;
  readonly agents: readonly AgentView[];
}

function findsOf({ monitor, root, by, job, agents }: Finding, query: TargetQuery): readonly TargetFind[] {
  return job.targets
    .filter((target) => isAsked(target, query))
    .map((target) => ({ monitor, root, by, job: job.name, shards: job.shards, target, agents }));
}

function isAsked({ address, discovered, fate }: TargetView, { address: asked, labels = {} }: TargetQuery): boolean {
  if (asked !== undefined) {
    const own = [address, ...(fate.kept ? [fate.labels['instance'] ?? ''] : [])];
    return own.some((each) => each === asked || hostOf(each) === asked);
  }
  return Object.entries(labels).every(([name, value]) =>
    [
      fate.kept ? fate.labels[name] : undefined,
      discovered[name],
      discovered[`__meta_kubernetes_${name}`],
      discovered[`__meta_kubernetes_${name}_name`],
    ].includes(value),
  );
}

/** Before any rule could have changed it. */
function isDiscovered(discovered: LabelSet, query: TargetQuery): boolean {
  const fate = { kept: false, by: undefined, reason: '' } as const;
  return isAsked({ of: '', address: discovered['__address__'] ?? '', isImagined: false, discovered, fate }, query);
}

function hostOf(address: string): string {
  return address.replace(/^https?:\/\//, '').replace(/[:/][^\]]*$/, '');
}

/** What the query names, and the Services that lead to it. */
function objectsOf(world: World, { address, labels = {} }: TargetQuery): readonly KubeObject[] {
  const named = (kind: string, { metadata }: KubeObject): boolean =>
    labels[kind] === metadata.name && (labels['namespace'] ?? metadata.namespace) === metadata.namespace;
  const isPod = (pod: Pod): boolean => {
    if (address === undefined) return named('pod', pod);
    const ip = pod.status?.podIP ?? '';
    return ip !== '' && (address === ip || hostOf(address) === ip);
  };
  const found = world.list(pods).filter(isPod);
  const leading = world
    .list(services)
    .filter((service) => named('service', service) || found.some((pod) => leadsTo(service, pod)));
  return [...found, ...leading];
}

/** How far a target came: 0 is kept. */
function distance({ fate }: TargetView): number {
  if (fate.kept) return 0;
  return fate.by === undefined ? 1 : 2 + fate.by.of - fate.by.number;
}

function finderOf({ monitor, by, job }: Pick<TargetFind, 'by' | 'job' | 'monitor'>): string {
  return monitor.kind === 'Secret'
    ? `job ${job} of ${describeRef(monitor)} (${describeRef(by)})`
    : describeRef(monitor);
}

interface Found {
  readonly sorted: readonly TargetFind[];
  readonly idle: TargetExplanation['idle'];
  readonly objects: readonly KubeObject[];
  readonly world: World;
}

function summaryOf(
  { sorted, idle, objects, world }: Found,
  { address, labels = {} }: TargetQuery,
): Pick<TargetExplanation, 'cause' | 'mend' | 'outcome'> {
  const [best] = sorted;
  if (best?.target.fate.kept === true) return { outcome: 'scraped', cause: '', mend: '' };
  const [unused] = idle;
  if (unused !== undefined)
    return {
      outcome: 'unmonitored',
      cause: `${describeRef(unused.monitor)} would find it, but: ${unused.cause}`,
      mend: unused.mend,
    };
  if (best !== undefined && !best.target.fate.kept)
    return {
      outcome: 'dropped',
      cause: `${finderOf(best)} finds it, and drops it: ${best.target.fate.reason}`,
      mend: '',
    };
  const [object] = objects;
  if (object === undefined) {
    const asked =
      address ??
      Object.entries(labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(',');
    return {
      outcome: 'not found',
      cause: `nothing that could be a target has ${asked}`,
      mend: namesake(world, address) ?? 'see kubectl get pods -A -o wide',
    };
  }
  const hasService = objects.some(({ kind }) => kind === 'Service');
  return {
    outcome: 'unmonitored',
    cause: `it is ${object.kind} ${keyOf(object)}, and no monitor looks for it${hasService ? '' : '; no Service leads to it either'}`,
    mend: hasService
      ? 'create a ServiceMonitor for its Service'
      : 'create a PodMonitor, or a Service and a ServiceMonitor',
  };
}

/** Who asks by a name instead of an address is told how to. */
function namesake(world: World, address: string | undefined): string | undefined {
  const types: readonly ResourceType[] = [pods, services];
  const type = types.find((each) => world.list(each).some(({ metadata }) => metadata.name === address));
  return type && `a name is no address: ask for ${type.kind.toLowerCase()}=${address}`;
}
