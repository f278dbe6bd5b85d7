import type { KubeObject, LabelSelector } from '../api/meta.ts';
import { compileSelector, isEmptySelector } from '../api/selector/selector.ts';

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
