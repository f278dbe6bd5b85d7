import type { KubeObject, LabelSelector } from '../../api/meta.ts';
import { compileSelector } from '../../api/selector.ts';

/** An object that manages others by a label selector. */
export type Selecting = KubeObject & { readonly spec: { readonly selector: LabelSelector } };

/** Whether the owner's selector matches. An empty selector selects nothing here: it would take everything. */
export function selects({ spec: { selector } }: Selecting, { metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return !isEmptySelector(selector) && compileSelector(selector)(metadata.labels);
}

/** True for `{}`, which matches every object. */
export function isEmptySelector({ matchLabels, matchExpressions }: LabelSelector): boolean {
  for (const _ in matchLabels) return false;
  return matchExpressions === undefined || matchExpressions.length === 0;
}
