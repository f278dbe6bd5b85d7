/** Rules of roles, as a person would write them down. Pure. */
import type { PolicyRule } from '@signalbox/cluster';
import type { TemplateMap } from './template.ts';

/** What is allowed of one group in the same way stands in one rule; the order is that in which it is first said. */
export function grouped(rules: readonly PolicyRule[]): readonly TemplateMap[] {
  const verbsOf = new Map<string, { readonly rule: PolicyRule; readonly verbs: Set<string> }>();
  for (const rule of rules) {
    const id = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const known = verbsOf.get(id) ?? { rule, verbs: new Set<string>() };
    for (const verb of rule.verbs) known.verbs.add(verb);
    verbsOf.set(id, known);
  }
  const byVerbs = new Map<string, PolicyRule>();
  for (const { rule, verbs } of verbsOf.values()) {
    const id = JSON.stringify([rule.apiGroups, [...verbs], rule.resourceNames]);
    const { resources = [] } = byVerbs.get(id) ?? {};
    byVerbs.set(id, { ...rule, resources: [...resources, ...(rule.resources ?? [])], verbs: [...verbs] });
  }
  return [...byVerbs.values()].map(({ apiGroups = [], resources = [], resourceNames, verbs }) => ({
    ...{ apiGroups, resources },
    ...(resourceNames !== undefined && { resourceNames }),
    verbs,
  }));
}
