import type { Pod } from '../api/generated/core-v1.ts';
import { isPodTerminal } from '../resources/core/pod/facts.ts';
import type { Explanation, Group } from './explanation.ts';
import { placementGroups, strangerFor } from './placement.ts';
import type { ExplainWorld } from './world.ts';

/** What is to be said beside how a pod is on its own node: the end of the sentence, and a row. */
type Aside = Pick<Explanation, 'summary' | 'groups'>;

/**
 * Of a pod that has its node and is asked about with another one: what that one would say if the pod came anew. Undefined: it is its
 * own.
 */
export function elsewhere(
  pod: Pod,
  { node, world }: { readonly node: string; readonly world: ExplainWorld },
): Aside | undefined {
  const { nodeName = '' } = pod.spec;
  if (node === nodeName) return undefined;
  if (!world.nodes.has(node)) return { summary: `, not on node ${node}, which is not there`, groups: [] };
  if (nodeName === '' || pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod))
    return { summary: `, not on node ${node}`, groups: [] };
  const stranger = strangerFor(pod, world);
  if (stranger !== undefined) return { summary: `, not on node ${node}: ${stranger.why ?? ''}`, groups: [] };
  const { nodeName: _, ...spec } = pod.spec;
  const judgement = world.judge({ ...pod, spec });
  if (judgement.rejected !== undefined) {
    const { plugin, message } = judgement.rejected;
    return { summary: `${refused(node)}: ${plugin}: ${message}`, groups: [] };
  }
  const groups = placementGroups(judgement, { nodes: [node], tell: 'all' });
  return { summary: `${verdictOf(groups, node)}`, groups };
}

function verdictOf([group]: readonly Group[], node: string): string {
  if (group === undefined || group.state === 'fits') return `; node ${node} would take it, too`;
  return `${refused(node)}: ${group.why}`;
}

function refused(node: string): string {
  return `; node ${node} would not take it`;
}
