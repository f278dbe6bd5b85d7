import { regexProblem } from './regex.ts';
import type { RelabelRule } from './rule.ts';

/** Which field of a rule is wrong, as the custom resources spell it, and why. */
export interface RuleProblem {
  readonly field: string;
  readonly message: string;
}

const labelNamePattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** A label name with `$1` or `${name}` in it. */
const targetPattern = /^(?:(?:[a-zA-Z_]|\$(?:\{\w+\}|\w+))+\w*)+$/;

/**
 * Why Prometheus would refuse the rule; undefined when it takes it. One rule that it refuses makes it refuse the whole
 * file, so the rule's owner has to hear of it before everybody else does.
 */
export function ruleProblem(rule: RelabelRule): RuleProblem | undefined {
  const { source_labels = [], regex, target_label, action = 'replace' } = rule;
  const badSource = source_labels.find((name) => !isLabelName(name));
  if (badSource !== undefined) return { field: 'sourceLabels', message: `"${badSource}" is no label name` };
  const problem = regex === undefined ? undefined : regexProblem(regex);
  if (problem !== undefined) return { field: 'regex', message: `is no regular expression of RE2: ${problem}` };
  switch (action) {
    case 'replace':
      return target_label !== undefined && targetPattern.test(target_label) ? undefined : noTarget(rule);
    case 'hashmod':
      if (rule.modulus === undefined || rule.modulus <= 0)
        return { field: 'modulus', message: 'hashmod needs a modulus' };
      return namedTarget(rule);
    case 'lowercase':
    case 'uppercase':
      return namedTarget(rule);
    case 'keepequal':
    case 'dropequal':
      return namedTarget(rule) ?? onlyFields(rule, ['source_labels', 'target_label', 'action']);
    case 'labelmap':
      return rule.replacement === undefined || targetPattern.test(rule.replacement)
        ? undefined
        : { field: 'replacement', message: `"${rule.replacement}" makes no label name` };
    case 'labeldrop':
    case 'labelkeep':
      return onlyFields(rule, ['regex', 'action']);
    case 'keep':
    case 'drop':
      return undefined;
    default:
      return { field: 'action', message: `"${action}" is no action` };
  }
}

export function isLabelName(text: string): boolean {
  return labelNamePattern.test(text);
}

function namedTarget(rule: RelabelRule): RuleProblem | undefined {
  return rule.target_label !== undefined && isLabelName(rule.target_label) ? undefined : noTarget(rule);
}

function noTarget({ target_label, action = 'replace' }: RelabelRule): RuleProblem {
  return {
    field: 'targetLabel',
    message: target_label === undefined ? `${action} needs a target label` : `"${target_label}" is no label name`,
  };
}

function onlyFields(rule: RelabelRule, allowed: readonly (keyof RelabelRule)[]): RuleProblem | undefined {
  const extra = (Object.keys(rule) as (keyof RelabelRule)[]).find((field) => !allowed.includes(field));
  if (extra === undefined) return undefined;
  const field = extra.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return { field, message: `${rule.action} takes no ${field}` };
}
