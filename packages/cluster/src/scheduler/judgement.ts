import type { Node, Pod } from '../api/generated/core-v1.ts';
import type { Caches } from '../client/cache.ts';
import { beginCycle, type Cycle } from './cycle.ts';
import { defaultPlugins } from './default-plugins.ts';
import { fits, type SchedulerPlugin, type Verdict } from './plugin.ts';
import { podView } from './pod-view.ts';
import { scoresOf } from './schedule.ts';
import { createSnapshot } from './snapshot.ts';

/** What there is, for who asks beside a running scheduler. */
export interface JudgedWorld {
  readonly nodes: Iterable<Node>;
  /** All pods, also the one that is asked about. */
  readonly pods: Iterable<Pod>;
  /** Of what plugins read besides: claims, volumes, namespaces, Services and workloads. */
  readonly caches?: Caches;
  readonly plugins?: readonly SchedulerPlugin[];
}

export interface PluginVerdict {
  readonly plugin: string;
  readonly verdict: Verdict;
}

/** What the plugins that decide say of one pod. */
export interface Judgement {
  /** Who rejects it whatever the node, and why; then nobody is asked about nodes. */
  readonly rejected: { readonly plugin: string; readonly message: string } | undefined;
  /** What every plugin that filters says of the node, in their order; the scheduler stops at the first that rejects. */
  on(node: string): readonly PluginVerdict[];
  /** What every plugin gives the nodes, before its weight; of those that have an opinion. */
  scores(
    nodes: readonly string[],
  ): readonly { readonly plugin: string; readonly weight: number; readonly scores: readonly number[] }[];
}

/**
 * Asks the scheduler's own plugins about a pod, on every node that the caller likes: what `explain` shows. Room that is
 * promised to other pods counts as free here.
 */
export function judgePod(pod: Pod, { nodes, pods, caches, plugins = defaultPlugins }: JudgedWorld): Judgement {
  const snapshot = createSnapshot(caches);
  for (const node of nodes) snapshot.setNode(node);
  for (const other of pods) if (other.metadata.uid !== pod.metadata.uid) snapshot.setPod(other);
  const begun = beginCycle(podView(pod), snapshot, plugins);
  if (begun.rejected !== undefined) {
    const rejected = { plugin: begun.by.name, message: begun.rejected };
    return { rejected, on: () => [], scores: () => [] };
  }
  const { cycle, narrowed } = begun;
  const excludes = (plugin: SchedulerPlugin, node: string): boolean =>
    narrowed?.by === plugin && !narrowed.names.has(node);
  return {
    rejected: undefined,
    on: (node) => verdictsOn(node, { cycle, excludes }),
    scores: (names) => {
      const views = names.flatMap((name) => snapshot.node(name) ?? []);
      return cycle.steps.flatMap(({ plugin, state }) => {
        const scores = scoresOf(plugin, { pod: cycle.pod, nodes: views, snapshot, state });
        return scores === undefined ? [] : [{ plugin: plugin.name, weight: plugin.weight ?? 1, scores }];
      });
    },
  };
}

interface Asking {
  readonly cycle: Cycle;
  excludes(plugin: SchedulerPlugin, node: string): boolean;
}

function verdictsOn(name: string, { cycle, excludes }: Asking): readonly PluginVerdict[] {
  const node = cycle.snapshot.node(name);
  if (node === undefined) return [];
  return cycle.steps.flatMap(({ plugin, state, abstains }) => {
    if (plugin.filter === undefined) return [];
    const isSilent = (abstains || state?.isMoot === true) && !excludes(plugin, name);
    const verdict = isSilent ? fits : plugin.filter(cycle.pod, node, state);
    return [{ plugin: plugin.name, verdict }];
  });
}
