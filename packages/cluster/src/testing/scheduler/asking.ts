/** Asks single plugins about pods in worlds of tests. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { seededRandom } from '../../base/random.ts';
import { beginCycle, type Cycle } from '../../scheduler/cycle.ts';
import { defaultPlugins } from '../../scheduler/default-plugins.ts';
import { preemptionMessage } from '../../scheduler/message.ts';
import type { SchedulerPlugin } from '../../scheduler/plugin.ts';
import { podView } from '../../scheduler/pod-view.ts';
import { preempt } from '../../scheduler/preempt.ts';
import { schedule } from '../../scheduler/schedule.ts';
import { scoresOf } from '../../scheduler/scoring.ts';
import type { Snapshot } from '../../scheduler/snapshot.ts';

export interface Asked {
  readonly pod: Pod;
  readonly plugin: string;
  readonly plugins?: readonly SchedulerPlugin[];
}

/** Node → the plugin's first reason against it, or nothing. */
export function verdictIn(snapshot: Snapshot, asked: Asked): Readonly<Record<string, string>> {
  const cycle = cycleOf(snapshot, asked);
  const step = cycle.filters.find(({ plugin: { name } }) => name === asked.plugin);
  return Object.fromEntries(
    snapshot.nodes.map((node) => {
      const verdict = step?.plugin.filter?.(cycle.pod, node, step.state);
      return [node.name, verdict?.fits === false ? (verdict.reasons[0]?.text ?? '') : ''];
    }),
  );
}

/** Node → what the plugin gives it; undefined when it does not care. */
export function scoresIn(snapshot: Snapshot, asked: Asked): Readonly<Record<string, number>> | undefined {
  const { pod, steps } = cycleOf(snapshot, asked);
  const step = steps.find(({ plugin: { name } }) => name === asked.plugin);
  if (step === undefined) throw new Error(`there is no plugin ${asked.plugin}`);
  const { nodes } = snapshot;
  const scores = scoresOf(step.plugin, { pod, nodes, snapshot, state: step.state });
  return scores && Object.fromEntries(nodes.map(({ name }, index) => [name, scores[index] ?? 0]));
}

/** Who would have to go, and where: `a: low-1 low-2`, or why nobody. */
export function preemptionOf(pod: Pod, snapshot: Snapshot): string {
  const random = seededRandom('');
  const unplaced = schedule(podView(pod), snapshot, { plugins: defaultPlugins, random, startAt: 0 });
  if (unplaced.node !== undefined) return `fits on ${unplaced.node}`;
  if (unplaced.cycle === undefined) return `rejected for all: ${unplaced.rejectedForAll}`;
  const decision = preempt(unplaced.cycle, unplaced, { random: seededRandom('') });
  if (decision.outcome !== 'makesRoom') return preemptionMessage(decision);
  return `${decision.node}: ${decision.victims.map((victim) => victim.pod.metadata.name).join(' ')}`;
}

function cycleOf(snapshot: Snapshot, { pod, plugins = defaultPlugins }: Asked): Cycle {
  const begun = beginCycle(podView(pod), snapshot, plugins);
  if (begun.rejected !== undefined) throw new Error(`rejected: ${begun.rejected}`);
  return begun.cycle;
}
