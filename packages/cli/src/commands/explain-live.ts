import { namespaces, within } from '@signalbox/cluster';
import {
  type AgentView,
  asTold,
  defaultComponents,
  type MonitorExplanation,
  readTargets,
  type SelectorView,
  type TargetExplanation,
  type TargetQuery,
  type Told,
  unaskedNotes,
  withTargetHealth,
  withToldFinds,
  worldOf,
} from '@signalbox/telemetry';
import { type Connected, connect } from '../io/connect.ts';
import { oneLine } from '../io/errors.ts';
import type { Io } from '../io/io.ts';
import { listed } from '../io/listed.ts';
import { discoveryTypes, typesOf } from '../io/types.ts';
import type { ExplainCommand, Place } from './explain.ts';

/** Answers from a running cluster. */
export async function withLiveWorld(
  command: Pick<ExplainCommand, 'context' | 'kubeconfig' | 'namespace'>,
  io: Io,
  answer: (place: Place) => Promise<number>,
): Promise<number> {
  const connected = await connect({ ...command, prefersLocal: true }, io);
  const { client, namespace } = connected;
  try {
    const types = [...new Set([...typesOf(defaultComponents()), ...discoveryTypes])];
    const world = worldOf((await Promise.all(types.map((type) => listed(client, type, io)))).flat());
    return await answer({
      world,
      findings: [],
      refused: [],
      namespace: command.namespace ?? namespace ?? 'default',
      namespaces: world.list(namespaces).map(({ metadata }) => metadata.name),
      askedMonitor: (explanation) => askedMonitor(explanation, connected, io),
      askedTarget: (explanation, query) => askedTarget(explanation, query, { connected, io }),
    });
  } finally {
    await connected.close();
  }
}

async function askedMonitor(
  explanation: MonitorExplanation,
  connected: Connected,
  io: Io,
): Promise<MonitorExplanation> {
  const told = await tell(explanation.selectors.flatMap(agentsWithTargets), connected, io);
  return asTold(explanation, told);
}

async function askedTarget(
  explanation: TargetExplanation,
  query: TargetQuery,
  { connected, io }: { readonly connected: Connected; readonly io: Io },
): Promise<TargetExplanation> {
  const having = explanation.finds.flatMap(({ agents, target }) => (target.fate.kept ? agents : []));
  // Who is known to scrape it is enough.
  const asked = explanation.outcome === 'scraped' ? having : explanation.open.flatMap(({ agents }) => agents);
  const told = await tell(asked, connected, io);
  const finds = explanation.finds.map((find) => ({
    ...find,
    target: withTargetHealth(
      find.target,
      { name: find.job },
      told.filter(({ agent }) => find.agents.some(({ path }) => path === agent.path)),
    ),
  }));
  const notes = [...explanation.notes, ...unaskedNotes(told)];
  return withToldFinds({ ...explanation, notes, finds }, query, told);
}

/** Of all shards: one may have what the rules give to another. */
function agentsWithTargets({ agents, jobs }: SelectorView): readonly AgentView[] {
  return jobs.some(({ targets, unknown }) => unknown.length > 0 || targets.some(({ fate }) => fate.kept)) ? agents : [];
}

/** More than these are not asked. */
const askedMax = 40;
const answerMsMax = 10_000;

async function tell(
  agents: readonly AgentView[],
  { read }: Connected,
  { clock, signal }: Io,
): Promise<readonly Told[]> {
  const each = [...new Map(agents.map((agent) => [agent.path, agent])).values()].slice(0, askedMax);
  return Promise.all(
    each.map(async (agent): Promise<Told> => {
      try {
        const work = (until: AbortSignal): Promise<string> => read(agent.path, { signal: until });
        const text = await within(answerMsMax, { clock, signal, work });
        return { agent, answer: readTargets(text) };
      } catch (error) {
        signal.throwIfAborted();
        return { agent, answer: oneLine(error instanceof Error ? error.message : String(error)) };
      }
    }),
  );
}
