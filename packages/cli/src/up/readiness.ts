import {
  controllerOf,
  daemonsets,
  deployments,
  type Event,
  type Job,
  jobs,
  type KubeObject,
  leases,
  type Node,
  type NodeCondition,
  nodes,
  statefulsets,
} from '@signalbox/cluster';
import {
  podProblem,
  podsOf,
  progressOf,
  progressOfJob,
  type RootComponent,
  type Workload,
  type World,
} from '@signalbox/telemetry';

/** One object on its way: a root of a hierarchy or a workload. */
export interface Step {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** `2 of 2 pods ready`. */
  readonly how: string;
  /** Empty: it is ready. */
  readonly why: readonly string[];
  /** It will never be ready: nobody need wait for it. */
  readonly isFinal?: true;
}

interface Seeing {
  readonly components: readonly RootComponent[];
  /** A node of this machine, and whether its agent runs by now. */
  readonly realNode?: { readonly name: string; readonly isUp: boolean } | undefined;
  /** When the cluster was started: what nodes have told before says nothing of now. Absent: nobody asks. */
  readonly sinceMs?: number;
  /** What the cluster has said about objects. Absent: nobody asks for reasons, so no pod is looked at. */
  readonly events?: readonly Event[];
}

/** Every workload and every root that the world holds, and what it waits for. Pure. */
export function stepsOf(world: World, { components, events, realNode, sinceMs }: Seeing): readonly Step[] {
  const workloads: readonly Workload[] = [
    ...world.list(daemonsets),
    ...world.list(statefulsets),
    ...world.list(deployments),
  ];
  const silent = sinceMs === undefined ? new Set<string>() : silentNodes(world, sinceMs);
  return [
    ...(realNode === undefined ? [] : [nodeStep(realNode, { world, silent })]),
    ...workloads.map((workload) => workloadStep(workload, { world, events, silent })),
    ...world
      .list(jobs)
      .filter(isAwaited)
      .map((job) => jobStep(job, events)),
    ...components.flatMap((component) => world.list(component.rootType).map((root) => rootStep(root, component))),
  ];
}

export function isReady({ why }: Step): boolean {
  return why.length === 0;
}

/** Ready, or past help. */
export function isSettled(step: Step): boolean {
  return isReady(step) || step.isFinal === true;
}

function nodeStep(
  { name, isUp }: NonNullable<Seeing['realNode']>,
  { world, silent }: { readonly world: World; readonly silent: ReadonlySet<string> },
): Step {
  const place = { kind: 'Node', name, how: 'pods are processes of this machine' };
  if (!isUp) return { ...place, why: ['its agent has not started yet'] };
  if (silent.has(name)) return { ...place, why: ['its agent has not told yet how its pods are'] };
  const ready = readyCondition(world.list(nodes).find(({ metadata }) => metadata.name === name));
  if (ready?.status === 'True') return { ...place, why: [] };
  return {
    ...place,
    why: [[ready?.reason ?? 'its agent has not said how it is', ready?.message ?? ''].filter(Boolean).join(': ')],
  };
}

function readyCondition(node: Node | undefined): NodeCondition | undefined {
  return node?.status?.conditions?.find(({ type }) => type === 'Ready');
}

/**
 * Nodes whose pods may have ended since they were last told of. One that is told to be unwell is none of them: what it runs is told to
 * be unready with it.
 */
function silentNodes(world: World, sinceMs: number): ReadonlySet<string> {
  const isSilent = ({ metadata }: Node): boolean => {
    const lease = world.get(leases, `${leaseNamespace}/${metadata.name}`);
    return !(Date.parse(lease?.spec?.renewTime ?? '') >= sinceMs);
  };
  const silent = world.list(nodes).filter((node) => readyCondition(node)?.status === 'True' && isSilent(node));
  return new Set(silent.map(({ metadata }) => metadata.name));
}

const leaseNamespace = 'kube-node-lease';

const podReasonsMax = 3;

interface WorkloadSeen {
  readonly world: World;
  readonly events: readonly Event[] | undefined;
  /** Nodes of which only old things are known. */
  readonly silent: ReadonlySet<string>;
}

function workloadStep(workload: Workload, { world, events, silent }: WorkloadSeen): Step {
  const { ready, wanted, waitsFor } = progressOf(workload);
  const how = `${ready} of ${wanted} pods ready`;
  if (waitsFor === '') {
    const late =
      silent.size === 0 ? undefined : podsOf(workload, world).find(({ spec }) => silent.has(spec.nodeName ?? ''));
    const why = `the node ${late?.spec.nodeName} has not told since this start how its pods are`;
    return { ...placeOf(workload), how, why: late === undefined ? [] : [why] };
  }
  if (events === undefined) return { ...placeOf(workload), how, why: [waitsFor] };
  const pods = podsOf(workload, world);
  const reasons = new Map<string, string>();
  for (const pod of pods) {
    const problem = podProblem(pod);
    if (problem !== undefined && !reasons.has(problem)) reasons.set(problem, `pod ${pod.metadata.name}: ${problem}`);
  }
  const told = ready < wanted && pods.length < wanted ? warningsAbout(workload, events) : [];
  return {
    ...placeOf(workload),
    how,
    why: [waitsFor, ...[...reasons.values()].slice(0, podReasonsMax), ...told.slice(-podReasonsMax)],
  };
}

/** Jobs that come by the clock come again and again, and one that is suspended waits for somebody. */
function isAwaited(job: Job): boolean {
  return controllerOf(job)?.kind !== 'CronJob' && job.spec.suspend !== true;
}

/** A Job is ready when it is complete. One that has failed stays as it is, and says why. */
function jobStep(job: Job, events: readonly Event[] | undefined): Step {
  const { state, how, failure } = progressOfJob(job);
  if (state === 'complete') return { ...placeOf(job), how, why: [] };
  if (state === 'failed') return { ...placeOf(job), how, why: [`it has failed: ${failure}`], isFinal: true };
  const told = events === undefined ? [] : warningsAbout(job, events).slice(-podReasonsMax);
  return { ...placeOf(job), how, why: [how, ...told] };
}

/** What the cluster has warned of, each message once, the latest last. */
function warningsAbout({ metadata }: KubeObject, events: readonly Event[]): readonly string[] {
  const about = events.filter(({ type, involvedObject }) => type === 'Warning' && involvedObject.uid === metadata.uid);
  const timeOf = ({ lastTimestamp, eventTime }: Event): string => lastTimestamp ?? eventTime ?? '';
  const sorted = [...about].sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
  return [...new Set(sorted.map(({ reason = '', message = '' }) => `${reason}: ${message}`))];
}

interface Conditioned {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
      readonly observedGeneration?: number;
    }[];
  };
}

function rootStep(root: KubeObject, component: RootComponent): Step {
  if (component.foreignBecause?.(root) !== undefined)
    return { ...placeOf(root), how: 'left to another operator', why: [] };
  if (component.isPaused?.(root) === true) return { ...placeOf(root), how: 'paused', why: [] };
  const { conditions = [] } = (root as Conditioned).status ?? {};
  if (conditions.length === 0) return { ...placeOf(root), how: '', why: ['the operator has not seen it yet'] };
  const why = conditions.flatMap(({ type, status, reason = '', message = '', observedGeneration = 0 }) => {
    if (observedGeneration < (root.metadata.generation ?? 0))
      return [`${type}: the operator has not seen its last change yet`];
    if (status === 'True') return [];
    return [`${type}: ${[reason, message].filter((part) => part !== '').join(': ')}`];
  });
  return { ...placeOf(root), how: conditions.map(({ type }) => type).join(', '), why };
}

function placeOf({ kind, metadata }: KubeObject): Pick<Step, 'kind' | 'namespace' | 'name'> {
  const { namespace, name } = metadata;
  return { kind, ...(namespace !== undefined && { namespace }), name };
}
