import type { FieldPath, Issue } from '../../api/issue.ts';

interface WithConditions {
  readonly conditions?: readonly { readonly type?: string }[];
}

/** Each type once. `at` is the path of the status. */
export function* conditionTypes(status: WithConditions | undefined, at: FieldPath): Iterable<Issue> {
  const seen = new Set<string>();
  for (const [index, { type = '' }] of (status?.conditions ?? []).entries()) {
    const place = at('conditions', index, 'type');
    if (seen.has(type)) yield place.duplicate(type);
    seen.add(type);
    if (type === '') yield place.required();
  }
}
