import { isLabelName, type LabelNames, type RuleProblem, ruleProblem } from '../relabel/problem.ts';
import { regexProblem } from '../relabel/regex.ts';
import { type RelabelRule, toRelabelRule } from '../relabel/rule.ts';
import type { RelabelConfig } from '../resources/fields.ts';
import { durationMs, goDurationMs } from './duration.ts';
import type { Leaf } from './leaf.ts';

/**
 * What the agent would refuse. It reads its file as a whole: one wrong value of one monitor, and nobody's changes are
 * taken in any more. So whatever is wrong is found here and costs its own leaf only.
 */

/** Where a value stands: whose it is, and its field. */
export interface Place {
  readonly leaf: Leaf;
  readonly at: string;
}

/** The rules of a resource; a wrong one rejects the leaf. */
export function relabelRules(
  configs: readonly RelabelConfig[] | undefined,
  { leaf, at }: Place,
): readonly RelabelRule[] {
  return (configs ?? []).map((config, index) => {
    const rule = toRelabelRule(config);
    const problem = problemAsRead(rule, leaf);
    if (problem !== undefined) leaf.reject('InvalidField', `${at}[${index}].${problem.field}`, problem.message);
    fieldsOfRules.set(rule, `${at}[${index}]`);
    return rule;
  });
}

/** The field that a rule was read from; undefined: nobody wrote it, the operator made it. */
export function fieldOfRule(rule: RelabelRule): string | undefined {
  return fieldsOfRules.get(rule);
}

// Beside the rules and not in them: what is in a rule stands in the configuration.
const fieldsOfRules = new WeakMap<RelabelRule, string>();

/** Why the rule would be refused as it is read in some pod; what nobody knows before passes. */
export function problemAsRead(
  rule: RelabelRule,
  leaf: Leaf,
  labelNames: LabelNames = leaf.labelNames,
): RuleProblem | undefined {
  const read = leaf.readings(rule);
  for (const each of read.length > 0 ? read : [certainPart(rule, leaf)]) {
    const problem = ruleProblem(each, labelNames);
    if (problem === undefined) continue;
    return each === rule ? problem : { ...problem, message: `${problem.message}, once its variables are filled in` };
  }
  return undefined;
}

/** Where nobody knows what a field comes to, there stands something that is fine. */
function certainPart(rule: RelabelRule, leaf: Leaf): RelabelRule {
  const isKnown = (text: string | undefined): boolean => text === undefined || leaf.readings(text).length > 0;
  const { source_labels, target_label, regex, replacement, action, ...rest } = rule;
  if (!isKnown(action)) return { action: 'keep' };
  return {
    ...rest,
    ...(source_labels !== undefined && { source_labels: source_labels.filter(isKnown) }),
    ...(target_label !== undefined && { target_label: isKnown(target_label) ? target_label : 'known_later' }),
    ...(regex !== undefined && isKnown(regex) && { regex }),
    ...(replacement !== undefined && isKnown(replacement) && { replacement }),
    ...(action !== undefined && { action }),
  };
}

export interface ScrapeTimes {
  readonly interval: string | undefined;
  readonly timeout: string | undefined;
  /** What holds where the monitor names none. */
  readonly defaultInterval: string;
  readonly fields: { readonly interval: string; readonly timeout: string };
}

export function checkScrapeTimes({ interval, timeout, defaultInterval, fields }: ScrapeTimes, leaf: Leaf): void {
  checkDuration(interval, { leaf, at: fields.interval });
  checkDuration(timeout, { leaf, at: fields.timeout });
  const isLonger = leaf
    .readings({ every: interval || defaultInterval, within: timeout ?? '' })
    .some(({ every, within }) => (durationMs(within) ?? 0) > (durationMs(every) ?? Number.POSITIVE_INFINITY));
  if (isLonger)
    leaf.reject(
      'InvalidField',
      fields.timeout,
      `${timeout} is longer than the scrape interval of ${interval || defaultInterval}`,
    );
}

export function checkDuration(text: string | undefined, { leaf, at }: Place): void {
  if (isWrong(text, { leaf, by: (read) => durationMs(read) === undefined }))
    leaf.reject('InvalidField', at, `"${text}" is no duration such as 30s or 1m30s`);
}

/** The agent's own settings and Promtail's are Go's durations, which have fractions but no days. */
export function checkGoDuration(text: string | undefined, { leaf, at }: Place): void {
  if (isWrong(text, { leaf, by: (read) => goDurationMs(read) === undefined }))
    leaf.reject('InvalidField', at, `"${text}" is no duration such as 500ms or 1h30m`);
}

interface Judge {
  readonly leaf: Leaf;
  readonly by: (read: string) => boolean;
}

/** Neither what is not given nor what nobody knows before. */
function isWrong(text: string | undefined, { leaf, by }: Judge): boolean {
  return text !== undefined && text !== '' && leaf.readings(text).some(by);
}

export function checkRegex(text: string | undefined, { leaf, at }: Place): void {
  const [problem] = leaf.readings(text ?? '').flatMap((read) => regexProblem(read) ?? []);
  if (problem !== undefined) leaf.reject('InvalidField', at, `is no regular expression of RE2: ${problem}`);
}

/** For fields that the definitions demand but do not look into. */
export function checkFilled(text: string | undefined, { leaf, at }: Place): void {
  if (text === undefined || text === '') leaf.reject('InvalidField', at, 'must not be empty');
}

/** Nothing in the key of a map is expanded: it is read as it is written. */
export function checkLabelNames(labels: Readonly<Record<string, string>> | undefined, { leaf, at }: Place): void {
  for (const name of Object.keys(labels ?? {})) checkLabelName(name, { leaf, at: `${at}[${name}]` });
}

export function checkLabelName(name: string, { leaf, at }: Place): void {
  if (!isLabelName(name, leaf.labelNames)) leaf.reject('InvalidField', at, `"${name}" is no label name`);
}

export function checkUrl(text: string | undefined, { leaf, at }: Place): void {
  // The text itself may hold a password.
  if (isWrong(text, { leaf, by: (read) => !isUrl(read) })) leaf.reject('InvalidField', at, 'is no URL');
}

/**
 * By browsers' rules, which mend what Go refuses: control characters, blanks at the ends, broken escapes, and what belongs
 * into no host or user name.
 */
function isUrl(text: string): boolean {
  if (!URL.canParse(text) || /\p{Cc}|^\s|\s$|%(?![0-9a-fA-F]{2})/u.test(text)) return false;
  const [, authority = ''] = /^[^:/?#]+:\/\/([^/?#]*)/.exec(text) ?? [];
  const end = authority.lastIndexOf('@');
  return /^[\w.:~!$&'()*+,;=%@-]*$/.test(authority.slice(0, Math.max(0, end))) && isHost(authority.slice(end + 1));
}

function isHost(text: string): boolean {
  // Of escapes only those of letters beyond ASCII, and that of the sign before a zone.
  return /^(?:[\w.~!$&'()*+,;=:[\]<>"-]|%[89a-fA-F][0-9a-fA-F]|%25|[^\p{ASCII}])*$/u.test(text);
}
