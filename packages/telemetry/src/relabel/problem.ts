import { regexProblem } from './regex.ts';
import type { RelabelRule } from './rule.ts';

/** Which field of a rule is wrong, as the custom resources spell it, and why. */
export interface RuleProblem {
  readonly field: string;
  readonly message: string;
}

/**
 * What counts as a label name: letters, digits and underscores, or any text at all, as Prometheus has it from version 3 on
 * unless it is told to keep to the old names.
 */
export type LabelNames = 'legacy' | 'utf8';

const labelNamePattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const defaultReplacement = '$1';
/** Spelled out, they say nothing. A regular expression is not among them: Prometheus compares it by where it stands. */
const defaults: RelabelRule = { separator: ';', replacement: defaultReplacement };
/** A label name with `$1` or `${name}` in it. */
const targetPattern = /^(?:(?:[a-zA-Z_]|\$(?:\{\w+\}|\w+))+\w*)+$/;

/**
 * Why Prometheus would refuse the rule; undefined when it takes it. One rule that it refuses makes it refuse the whole
 * file, so the rule's owner has to hear of it before everybody else does.
 */
export function ruleProblem(rule: RelabelRule, names: LabelNames = 'legacy'): RuleProblem | undefined {
  const { source_labels = [], regex, target_label, modulus = 0, replacement, action = 'replace' } = rule;
  const badSource = source_labels.find((name) => !isLabelName(name, names));
  if (badSource !== undefined) return { field: 'sourceLabels', message: `"${badSource}" is no label name` };
  const problem = regex === undefined ? undefined : regexProblem(regex);
  if (problem !== undefined) return { field: 'regex', message: `is no regular expression of RE2: ${problem}` };
  if (modulus < 0) return { field: 'modulus', message: 'must not be negative' };
  switch (action) {
    case 'replace':
      return target_label !== undefined && isTarget(target_label, names) ? undefined : noTarget(rule);
    case 'hashmod':
      if (modulus === 0) return { field: 'modulus', message: 'hashmod needs a modulus' };
      return namedTarget(rule, names);
    case 'lowercase':
    case 'uppercase':
      if (replacement !== undefined && replacement !== defaultReplacement)
        return { field: 'replacement', message: `${action} takes no replacement` };
      return namedTarget(rule, names);
    case 'keepequal':
    case 'dropequal':
      return namedTarget(rule, names) ?? onlyFields(rule, ['source_labels', 'target_label', 'action']);
    case 'labelmap':
      return replacement === undefined || isTarget(replacement, names)
        ? undefined
        : { field: 'replacement', message: `"${replacement}" makes no label name` };
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

export function isLabelName(text: string, names: LabelNames = 'legacy'): boolean {
  return names === 'utf8' ? text !== '' && !/\p{Cs}/u.test(text) : labelNamePattern.test(text);
}

function isTarget(text: string, names: LabelNames): boolean {
  return names === 'utf8' ? isLabelName(text, names) : targetPattern.test(text);
}

function namedTarget(rule: RelabelRule, names: LabelNames): RuleProblem | undefined {
  return rule.target_label !== undefined && isLabelName(rule.target_label, names) ? undefined : noTarget(rule);
}

function noTarget({ target_label, action = 'replace' }: RelabelRule): RuleProblem {
  return {
    field: 'targetLabel',
    message: target_label === undefined ? `${action} needs a target label` : `"${target_label}" is no label name`,
  };
}

function onlyFields(rule: RelabelRule, allowed: readonly (keyof RelabelRule)[]): RuleProblem | undefined {
  const extra = (Object.keys(rule) as (keyof RelabelRule)[]).find(
    (field) => !allowed.includes(field) && rule[field] !== defaults[field],
  );
  if (extra === undefined) return undefined;
  const field = extra.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return { field, message: `${rule.action} takes no ${field}` };
}
