import { isLabelName, ruleProblem } from '../relabel/problem.ts';
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
    const problem = ruleProblem(rule, leaf.labelNames);
    if (problem !== undefined) leaf.reject('InvalidField', `${at}[${index}].${problem.field}`, problem.message);
    return rule;
  });
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
  const every = durationMs(interval || defaultInterval);
  const within = timeout ? durationMs(timeout) : undefined;
  if (every !== undefined && within !== undefined && within > every)
    leaf.reject(
      'InvalidField',
      fields.timeout,
      `${timeout} is longer than the scrape interval of ${interval || defaultInterval}`,
    );
}

export function checkDuration(text: string | undefined, { leaf, at }: Place): void {
  const read = asRead(text, leaf);
  if (read !== undefined && durationMs(read) === undefined)
    leaf.reject('InvalidField', at, `"${text}" is no duration such as 30s or 1m30s`);
}

/** The agent's own settings and Promtail's are Go's durations, which have fractions but no days. */
export function checkGoDuration(text: string | undefined, { leaf, at }: Place): void {
  const read = asRead(text, leaf);
  if (read !== undefined && goDurationMs(read) === undefined)
    leaf.reject('InvalidField', at, `"${text}" is no duration such as 500ms or 1h30m`);
}

/** Undefined: nothing is given, or nobody knows yet what it comes to. */
function asRead(text: string | undefined, leaf: Leaf): string | undefined {
  return text === undefined || text === '' ? undefined : leaf.asRead(text);
}

export function checkRegex(text: string | undefined, { leaf, at }: Place): void {
  const problem = text === undefined ? undefined : regexProblem(text);
  if (problem !== undefined) leaf.reject('InvalidField', at, `is no regular expression of RE2: ${problem}`);
}

/** For fields that the definitions demand but do not look into. */
export function checkFilled(text: string | undefined, { leaf, at }: Place): void {
  if (text === undefined || text === '') leaf.reject('InvalidField', at, 'must not be empty');
}

export function checkLabelNames(labels: Readonly<Record<string, string>> | undefined, { leaf, at }: Place): void {
  for (const name of Object.keys(labels ?? {})) checkLabelName(name, { leaf, at: `${at}[${name}]` });
}

export function checkLabelName(name: string, { leaf, at }: Place): void {
  if (!isLabelName(name, leaf.labelNames)) leaf.reject('InvalidField', at, `"${name}" is no label name`);
}

export function checkUrl(text: string | undefined, { leaf, at }: Place): void {
  const read = asRead(text, leaf);
  // The text itself may hold a password.
  if (read !== undefined && !isUrl(read)) leaf.reject('InvalidField', at, 'is no URL');
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
