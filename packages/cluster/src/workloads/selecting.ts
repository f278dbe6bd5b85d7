import type { KubeObject, LabelSelector } from '../api/meta.ts';
import { compileSelector } from '../api/selector/selector.ts';

/** An object that manages others by a label selector. */
export type Selecting = KubeObject & { readonly spec: { readonly selector: LabelSelector } };

/** Whether the owner's selector matches. An empty selector selects nothing here: it would take everything. */
export function selects(owner: Selecting, object: Pick<KubeObject, 'metadata'>): boolean {
  return selectionOf(owner)(object);
}

/** {@link selects} for many objects. */
export function selectionOf({ spec: { selector } }: Selecting): (object: Pick<KubeObject, 'metadata'>) => boolean {
  if (isEmptySelector(selector)) return () => false;
  const matches = compileSelector(selector);
  return ({ metadata }) => matches(metadata.labels);
}

/** True for `{}`, which matches every object. */
export function isEmptySelector({ matchLabels, matchExpressions }: LabelSelector): boolean {
  for (const _ in matchLabels) return false;
  return matchExpressions === undefined || matchExpressions.length === 0;
}
