import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Node, NodeSelectorTerm, PodTemplateSpec, Taint, Toleration } from '../../api/generated/core-v1.ts';
import { matchesNodeSelectorTerms } from '../../api/selector/selector.ts';
import { formatTaint, untolerated } from '../../api/tolerations.ts';
import { withAutomaticTolerations } from './tolerations.ts';

/**
 * Whether a node gets a pod of a DaemonSet, and the first rule that says no. Resources, ports, pod affinity, readiness
 * and `spec.unschedulable` are no rules here: the scheduler judges them.
 */
export type Verdict =
  | { readonly runs: true; readonly stays: true }
  | {
      readonly runs: false;
      /** Whether a pod that is there already may stay. */
      readonly stays: boolean;
      readonly rule: Rule;
    };

export type Rule =
  | { readonly rule: 'nodeName'; readonly wants: string }
  | { readonly rule: 'nodeSelector'; readonly key: string; readonly wants: string; readonly has: string | undefined }
  | { readonly rule: 'nodeAffinity' }
  | { readonly rule: 'taint'; readonly taint: Taint };

/** The verdict of a DaemonSet on a node. Remembered per template and node, for as long as both are in use. */
export function shouldRun(daemonset: DaemonSet, node: Node): Verdict {
  return judgeOf(daemonset.spec.template)(node);
}

/** The verdict as one sentence for people. */
export function describeVerdict(verdict: Verdict): string {
  if (verdict.runs) return 'the node gets a pod';
  const { rule } = verdict;
  switch (rule.rule) {
    case 'nodeName':
      return `the pod template names another node in spec.nodeName: ${rule.wants}`;
    case 'nodeSelector':
      return rule.has === undefined
        ? `the pod template's nodeSelector wants the label ${rule.key}=${rule.wants}, which the node does not have`
        : `the pod template's nodeSelector wants the label ${rule.key}=${rule.wants}, but the node has ${rule.key}=${rule.has}`;
    case 'nodeAffinity':
      return "the node does not match the pod template's required node affinity";
    case 'taint':
      return `the pod template does not tolerate the taint ${formatTaint(rule.taint)}${
        verdict.stays ? '; a pod that is there already may stay' : ''
      }`;
    default:
      return rule satisfies never;
  }
}

type Judge = (node: Node) => Verdict;

const runs: Verdict = Object.freeze({ runs: true, stays: true });
const judges = new WeakMap<PodTemplateSpec, Judge>();

/** The judge of one template; fetch it once when many nodes are to be judged. */
export function judgeOf(template: PodTemplateSpec): Judge {
  const known = judges.get(template);
  if (known !== undefined) return known;
  const judge = createJudge(template);
  judges.set(template, judge);
  return judge;
}

function createJudge({ spec }: PodTemplateSpec): Judge {
  const tolerations = withAutomaticTolerations(spec);
  const nodeName = spec?.nodeName ?? '';
  const labels = Object.entries(spec?.nodeSelector ?? {});
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const judge: Judge = (node) =>
    byNodeName(nodeName, node) ??
    byNodeSelector(labels, node) ??
    byAffinity(terms, node) ??
    byTaints(tolerations, node);
  const selective = nodeName !== '' || labels.length > 0 || terms !== undefined;
  return selective ? remembered(judge) : (node) => byTaints(tolerations, node);
}

function remembered(judge: Judge): Judge {
  const verdicts = new WeakMap<Node, Verdict>();
  return (node) => {
    const known = verdicts.get(node);
    if (known !== undefined) return known;
    const verdict = judge(node);
    verdicts.set(node, verdict);
    return verdict;
  };
}

function byNodeName(wants: string, { metadata }: Node): Verdict | undefined {
  if (wants === '' || wants === metadata.name) return undefined;
  return { runs: false, stays: false, rule: { rule: 'nodeName', wants } };
}

function byNodeSelector(labels: readonly (readonly [string, string])[], { metadata }: Node): Verdict | undefined {
  for (const [key, wants] of labels) {
    const has = metadata.labels?.[key];
    if (has !== wants) return { runs: false, stays: false, rule: { rule: 'nodeSelector', key, wants, has } };
  }
  return undefined;
}

function byAffinity(terms: readonly NodeSelectorTerm[] | undefined, { metadata }: Node): Verdict | undefined {
  if (terms === undefined) return undefined;
  const { name, labels } = metadata;
  if (matchesNodeSelectorTerms(terms, { labels, fields: { 'metadata.name': name } })) return undefined;
  return { runs: false, stays: false, rule: { rule: 'nodeAffinity' } };
}

const hardEffects = ['NoSchedule', 'NoExecute'];

function byTaints(tolerations: readonly Toleration[], { spec }: Node): Verdict {
  const taints = spec?.taints;
  if (taints === undefined || taints.length === 0) return runs;
  const hurting = untolerated(taints, tolerations, hardEffects);
  const [taint] = hurting;
  if (taint === undefined) return runs;
  const stays = hurting.every(({ effect }) => effect !== 'NoExecute');
  return { runs: false, stays, rule: { rule: 'taint', taint } };
}
