import { isLabelName, ruleProblem } from '../../relabel/problem.ts';
import { type RelabelRule, toRelabelRule } from '../../relabel/rule.ts';
import type { RelabelConfig } from '../../resources/fields.ts';
import { durationMs } from '../duration.ts';
import type { Leaf } from './leaf.ts';

/**
 * What the agent would refuse. It reads its file as a whole: one wrong value of one monitor, and nobody's changes are
 * taken in any more. So whatever is wrong is found here and costs its own leaf only.
 */

interface Place {
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
    const problem = ruleProblem(rule);
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
  if (text !== undefined && text !== '' && durationMs(text) === undefined)
    leaf.reject('InvalidField', at, `"${text}" is no duration such as 30s or 1m30s`);
}

export function checkLabelNames(labels: Readonly<Record<string, string>> | undefined, { leaf, at }: Place): void {
  for (const name of Object.keys(labels ?? {}))
    if (!isLabelName(name)) leaf.reject('InvalidField', `${at}[${name}]`, `"${name}" is no label name`);
}

export function checkUrl(text: string | undefined, { leaf, at }: Place): void {
  // The text itself may hold a password.
  if (text !== undefined && text !== '' && !URL.canParse(text)) leaf.reject('InvalidField', at, 'is no URL');
}
