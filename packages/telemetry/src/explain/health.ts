import { type Pod, pods, statefulsets } from '@signalbox/cluster';
import type { LabelSet } from '../relabel/execute.ts';
import { targetsPathOf } from '../sharding/agents.ts';
import { targetsIn } from '../sharding/targets-page.ts';
import type { World } from '../world/world.ts';
import { describeTarget } from './discovery/discover.ts';
import type { AgentView, Health, JobView, MonitorExplanation, SelectorView, TargetView } from './explanation.ts';
import type { BuiltRoot } from './selectors.ts';

/** The pods of a root's shards that run, each with the path of the API server that leads to its answer. */
export function agentsOf({ desired, root }: BuiltRoot, world: World): readonly AgentView[] {
  const door = desired?.agentDoor;
  if (desired === undefined || door === undefined) return [];
  const sets = desired.objects.filter(({ kind }) => kind === 'StatefulSet');
  return sets.flatMap(({ metadata }, shard) => {
    const namespace = root.metadata.namespace ?? '';
    const set = world.get(statefulsets, `${namespace}/${metadata.name ?? ''}`);
    const running = world.owned(pods, set?.metadata.uid ?? '').filter(isRunning);
    return running.map(({ metadata: { name } }) => ({
      pod: `${namespace}/${name}`,
      shard,
      path: `/api/v1/namespaces/${namespace}/pods/${door.scheme}:${name}:${door.port}/proxy${targetsPathOf(door)}`,
    }));
  });
}

function isRunning({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase === 'Running';
}

/** What an agent says of one target. */
export interface ToldTarget {
  readonly job: string;
  readonly address: string;
  readonly discovered: LabelSet;
  /** As it is scraped. */
  readonly labels: LabelSet;
  readonly state: string;
  readonly lastError: string;
}

/** The targets of an answer of Prometheus, vmagent or the Grafana Agent. Throws when it is none. */
export function readTargets(text: string): readonly ToldTarget[] {
  const listed = targetsIn(JSON.parse(text)) ?? [];
  return listed.map((target) => {
    const discovered = target.discoveredLabels ?? target.discovered_labels ?? {};
    return {
      // vmagent calls the pool by what rules have made of the name.
      job: discovered['job'] ?? target.scrapePool ?? target.target_group ?? '',
      address: discovered['__address__'] ?? '',
      discovered,
      labels: target.labels ?? {},
      state: target.health ?? target.state ?? '',
      lastError: target.lastError ?? target.scrape_error ?? '',
    };
  });
}

/** What the agent of a pod said; a text: why it did not. */
export interface Told {
  readonly agent: AgentView;
  readonly answer: readonly ToldTarget[] | string;
}

/** The view with what its agents say of every target that they should scrape. */
export function withHealth(view: SelectorView, told: readonly Told[]): SelectorView {
  const own = told.filter(({ agent }) => view.agents.some(({ path }) => path === agent.path));
  return {
    ...view,
    jobs: view.jobs.map((job) => ({
      ...job,
      targets: [...job.targets.map((target) => checked(target, job, own)), ...toldTargets(job, own)],
    })),
  };
}

/** The targets of a job that nobody could foretell, as its agents have them. */
export function toldTargets(
  { name, unknown, targets }: Pick<JobView, 'name' | 'targets' | 'unknown'>,
  told: readonly Told[],
): readonly TargetView[] {
  if (unknown.length === 0) return [];
  const known = new Set(targets.map(({ address }) => address));
  const found = new Map<string, TargetView>();
  for (const { agent, answer } of told) {
    if (typeof answer === 'string') continue;
    for (const { job, address, discovered, labels, state, lastError } of answer) {
      if (job !== name || known.has(address)) continue;
      const before = found.get(address);
      const shards = before?.fate.kept === true ? before.fate.shards : [];
      found.set(address, {
        of: describeTarget(discovered),
        address,
        isImagined: false,
        discovered: { __address__: address },
        fate: {
          kept: true,
          labels,
          shards: shards.includes(agent.shard) ? shards : [...shards, agent.shard].toSorted((a, b) => a - b),
        },
        health: [...(before?.health ?? []), { pod: agent.pod, state, lastError }],
      });
    }
  }
  return [...found.values()];
}

/** The explanation with what the agents say: also of targets that could not be foretold. */
export function asTold(explanation: MonitorExplanation, told: readonly Told[]): MonitorExplanation {
  const selectors = explanation.selectors.map((view) => withHealth(view, told));
  const notes = [...explanation.notes, ...unaskedNotes(told)];
  if (explanation.outcome !== 'unknown') return { ...explanation, notes, selectors };
  const isFound = selectors.some(({ jobs }) => jobs.some(({ targets }) => targets.some(({ fate }) => fate.kept)));
  if (isFound) return { ...explanation, notes, selectors, outcome: 'scraped', cause: '', mend: '' };
  const isAnswered = told.some(({ answer }) => typeof answer !== 'string');
  return { ...explanation, notes, selectors, mend: isAnswered ? 'no agent has any: see their logs' : explanation.mend };
}

export function checked(target: TargetView, { name }: Pick<JobView, 'name'>, told: readonly Told[]): TargetView {
  const { fate } = target;
  if (!fate.kept) return target;
  const having = told.flatMap(({ agent, answer }): readonly Health[] => {
    if (typeof answer === 'string') return [];
    const found = answer.find(
      (each) => each.job === name && each.address === target.address && isSamePod(each, target),
    );
    if (found === undefined) return [];
    const isAstray = !fate.shards.includes(agent.shard);
    return [
      { pod: agent.pod, state: found.state, lastError: found.lastError, ...(isAstray && { shard: agent.shard }) },
    ];
  });
  // Where another one has it, that says enough.
  const lacking = told.filter(
    ({ agent, answer }) => having.length === 0 && typeof answer !== 'string' && fate.shards.includes(agent.shard),
  );
  const health = [
    ...having,
    ...lacking.map(({ agent }) => ({
      pod: agent.pod,
      state: 'unknown',
      lastError: 'it does not have this target, or not yet',
    })),
  ];
  return health.length === 0 ? target : { ...target, health };
}

const podName = '__meta_kubernetes_pod_name';

function isSamePod({ discovered }: ToldTarget, target: TargetView): boolean {
  return (discovered[podName] ?? '') === (target.discovered[podName] ?? '');
}

/** Once for all that could not be asked. */
export function unaskedNotes(told: readonly Told[]): readonly string[] {
  const silent = told.filter(({ answer }) => typeof answer === 'string');
  const [first] = silent;
  if (first === undefined) return [];
  if (silent.every(({ answer }) => (answer as string).includes('simulated node')))
    return ['the agents are simulated: how their targets are nobody can say'];
  return [
    `${silent.length} of ${told.length} agents cannot be asked how their targets are; ${first.agent.pod}: ${first.answer as string}`,
  ];
}
