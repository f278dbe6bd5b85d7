import { createHash } from 'node:crypto';
import { RE2JS } from 're2js';
import { compileGoRegex, type GoRegex } from './go-regex.ts';
import type { RelabelRule } from './rule.ts';

/*
 * Prometheus' relabelling, executed. It tells which shard scrapes a target before any Prometheus runs. Regular
 * expressions are RE2's, match the whole text, and a dot matches line breaks too.
 */

export type LabelSet = Readonly<Record<string, string>>;

/** The labels that are left; undefined: the target, or the series, is dropped. Empty labels do not exist. */
export function executeRelabelling(labels: LabelSet, rules: readonly RelabelRule[]): LabelSet | undefined {
  let current: LabelSet | undefined = withoutEmpty(labels);
  for (const rule of rules) {
    current = step(current, rule);
    if (current === undefined) return undefined;
  }
  return current;
}

/** Which of `modulus` a text hashes to: the last eight bytes of its MD5, the highest first. */
export function hashedShard(text: string, modulus: number): number {
  const tail = createHash('md5').update(text, 'utf8').digest().readBigUInt64BE(8);
  return Number(tail % BigInt(modulus));
}

function step(labels: LabelSet, rule: RelabelRule): LabelSet | undefined {
  const { source_labels = [], separator = ';', target_label = '', action = 'replace', modulus = 0 } = rule;
  const value = source_labels.map((name) => valueIn(labels, name)).join(separator);
  const regex = compiled(rule.regex ?? '(.*)');
  switch (action) {
    case 'replace':
      return replaced(labels, { ...rule, value, regex });
    case 'keep':
      return regex.regex.matches(value) ? labels : undefined;
    case 'drop':
      return regex.regex.matches(value) ? undefined : labels;
    case 'keepequal':
      return valueIn(labels, target_label) === value ? labels : undefined;
    case 'dropequal':
      return valueIn(labels, target_label) === value ? undefined : labels;
    case 'hashmod':
      return withLabel(labels, target_label, String(hashedShard(value, modulus)));
    case 'lowercase':
      return withLabel(labels, target_label, value.toLowerCase());
    case 'uppercase':
      return withLabel(labels, target_label, value.toUpperCase());
    case 'labelmap':
      return mapped(labels, regex, rule.replacement ?? '$1');
    case 'labeldrop':
      return filtered(labels, (name) => !regex.regex.matches(name));
    case 'labelkeep':
      return filtered(labels, (name) => regex.regex.matches(name));
    default:
      throw new TypeError(`"${action}" is no relabelling action`);
  }
}

interface Replacing extends Pick<RelabelRule, 'replacement' | 'target_label'> {
  readonly value: string;
  readonly regex: GoRegex;
}

function replaced(labels: LabelSet, { value, regex, target_label = '', replacement = '$1' }: Replacing): LabelSet {
  const groups = groupsOf(regex, value);
  if (groups === undefined) return labels;
  const target = expanded(target_label, groups);
  if (!labelName.test(target)) return labels;
  return withLabel(labels, target, expanded(replacement, groups));
}

const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

function mapped(labels: LabelSet, regex: GoRegex, replacement: string): LabelSet {
  let result = labels;
  for (const [name, value] of Object.entries(labels)) {
    const groups = groupsOf(regex, name);
    if (groups !== undefined) result = withLabel(result, expanded(replacement, groups), value);
  }
  return result;
}

function filtered(labels: LabelSet, keeps: (name: string) => boolean): LabelSet {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => keeps(name)));
}

type Groups = ReadonlyMap<string, string>;

/** Groups by number and name; undefined when the text does not match. */
function groupsOf({ regex, names }: GoRegex, text: string): Groups | undefined {
  const matcher = regex.matcher(text);
  if (!matcher.matches()) return undefined;
  const groups = new Map<string, string>();
  for (let index = 0; index <= matcher.groupCount(); index++) groups.set(String(index), matcher.group(index) ?? '');
  // Of several groups with one name the first that took part counts.
  for (const [index, name] of names.entries()) {
    const found = matcher.group(index) ?? undefined;
    if (name !== undefined && found !== undefined && !groups.has(name)) groups.set(name, found);
  }
  return groups;
}

/** Go's templates: `$1`, `${name}`, `$$`; the longest possible name counts, and an unknown one is empty. */
function expanded(template: string, groups: Groups): string {
  return template.replace(/\$(?:\$|(\w+)|\{(\w+)\})/g, (whole, plain?: string, braced?: string) =>
    whole === '$$' ? '$' : (groups.get(plain ?? braced ?? '') ?? ''),
  );
}

function withLabel(labels: LabelSet, name: string, value: string): LabelSet {
  if (value !== '') return { ...labels, [name]: value };
  const { [name]: _gone, ...rest } = labels;
  return rest;
}

function withoutEmpty(labels: LabelSet): LabelSet {
  return filtered(labels, (name) => valueIn(labels, name) !== '');
}

function valueIn(labels: LabelSet, name: string): string {
  return Object.hasOwn(labels, name) ? (labels[name] ?? '') : '';
}

const compiledMax = 1_024;
const cache = new Map<string, GoRegex>();

function compiled(text: string): GoRegex {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (cache.size >= compiledMax) cache.clear();
  const regex = compileGoRegex(text, RE2JS.DOTALL);
  cache.set(text, regex);
  return regex;
}
