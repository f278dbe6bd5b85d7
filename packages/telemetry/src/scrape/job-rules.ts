import type { RelabelRule } from '../relabel/rule.ts';
import type { Section } from './http.ts';

/** The relabelling rules of a job, as they were read back from its text: what looks like a number was read as one. */
export function rulesOfJob(job: Section): readonly RelabelRule[] {
  return ((job['relabel_configs'] ?? []) as readonly RelabelRule[]).map(asTexts);
}

function asTexts(rule: RelabelRule): RelabelRule {
  const { regex, replacement } = rule as { readonly regex?: string | number; readonly replacement?: string | number };
  return {
    ...rule,
    ...(regex !== undefined && { regex: String(regex) }),
    ...(replacement !== undefined && { replacement: String(replacement) }),
  };
}
