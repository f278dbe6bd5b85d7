import { type Later, later } from '../../../base/later.ts';

export interface RuleLanguage {
  readonly definitionRuleIssues: typeof import('./definition-rules.ts').definitionRuleIssues;
  readonly enforceRules: typeof import('./enforce.ts').enforceRules;
  readonly ruleTreeOf: typeof import('./rule-tree.ts').ruleTreeOf;
}

/** All that reads and runs rules: most clusters have none, and do not load it. */
export const ruleLanguage: Later<RuleLanguage> = later(async () => {
  const [{ definitionRuleIssues }, { enforceRules }, { ruleTreeOf }] = await Promise.all([
    import('./definition-rules.ts'),
    import('./enforce.ts'),
    import('./rule-tree.ts'),
  ]);
  return { definitionRuleIssues, enforceRules, ruleTreeOf };
});
