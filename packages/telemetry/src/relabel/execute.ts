import { hash } from 'node:crypto';
import { compiled, type Expression, type Groups } from './expression.ts';
import type { RelabelRule } from './rule.ts';

/*
 * Prometheus' relabelling, executed. It tells which shard scrapes a target before any Prometheus runs. Regular
 * expressions are RE2's, match the whole text, and a dot matches line breaks too.
 */

export type LabelSet = Readonly<Record<string, string>>;

/** The labels that are left, or where it ended: the index of the first rule that drops, and the labels that it saw. */
export type Relabelled =
  | { readonly kept: true; readonly labels: LabelSet }
  | { readonly kept: false; readonly labels: LabelSet; readonly droppedBy: number };

/** What becomes of a target, or a series. Empty labels do not exist. */
export function relabelled(labels: LabelSet, rules: readonly RelabelRule[]): Relabelled {
  const work: Work = { base: labels, written: new Map() };
  const droppedBy = firstDrop(work, rules);
  return droppedBy < 0 ? { kept: true, labels: settled(work) } : { kept: false, labels: settled(work), droppedBy };
}

/** The labels that are left; undefined: the target, or the series, is dropped. */
export function executeRelabelling(labels: LabelSet, rules: readonly RelabelRule[]): LabelSet | undefined {
  const work: Work = { base: labels, written: new Map() };
  return firstDrop(work, rules) < 0 ? settled(work) : undefined;
}

/** Whether it passes all rules. */
export function isKept(labels: LabelSet, rules: readonly RelabelRule[]): boolean {
  return firstDrop({ base: labels, written: new Map() }, rules) < 0;
}

/** One label of those that are left; undefined: the target is dropped. Costs less than all of them. */
export function labelAfter(labels: LabelSet, rules: readonly RelabelRule[], name: string): string | undefined {
  const work: Work = { base: labels, written: new Map() };
  return firstDrop(work, rules) < 0 ? valueIn(work, name) : undefined;
}

/** Labels that have come through rules, and may go on through others, each time from here. */
export interface Passage {
  /** Whether they pass these rules as well. */
  isKept(rules: readonly RelabelRule[]): boolean;
  /** Undefined: they are dropped. */
  after(rules: readonly RelabelRule[]): LabelSet | undefined;
  /** The values of these labels alone; empty: there is none. */
  valuesAfter(rules: readonly RelabelRule[], names: readonly string[]): readonly string[] | undefined;
}

/** Undefined: they are dropped. `given` holds what is there besides, unless the labels say otherwise. */
export function passage(
  labels: LabelSet,
  { given, rules }: { readonly given: LabelSet; readonly rules: readonly RelabelRule[] },
): Passage | undefined {
  const written = new Map<string, string>();
  for (const name of Object.keys(given)) if (!Object.hasOwn(labels, name)) written.set(name, given[name] ?? '');
  const passed: Work = { base: labels, written };
  if (firstDrop(passed, rules) >= 0) return undefined;
  const { base } = passed;
  const onward = (): Work => ({ base, before: written, written: new Map() });
  return {
    isKept: (others) => firstDrop(onward(), others) < 0,
    after(others) {
      const work = onward();
      return firstDrop(work, others) < 0 ? settled(work) : undefined;
    },
    valuesAfter(others, names) {
      const work = onward();
      return firstDrop(work, others) < 0 ? names.map((name) => valueIn(work, name)) : undefined;
    },
  };
}

function firstDrop(work: Work, rules: readonly RelabelRule[]): number {
  const steps = stepsOf(rules);
  for (let index = 0; index < steps.length; index++) if (steps[index]?.(work) === false) return index;
  return -1;
}

/** What a rule compares: its source labels, joined. */
export function comparedBy(rule: RelabelRule, labels: LabelSet): string {
  return sourceOf(rule)({ base: labels, written: new Map() });
}

/** Which of `modulus` a text hashes to: the last eight bytes of its MD5, the highest first. */
export function hashedShard(text: string, modulus: number): number {
  return partOf(digestOf(text), modulus);
}

function partOf({ high, low }: Digest, modulus: number): number {
  // In two halves, since their product with a modulus of 16 bits is still exact.
  if (modulus > 0 && modulus <= 0xffff) return ((high % modulus) * (2 ** 32 % modulus) + low) % modulus;
  return Number((BigInt(high) * 2n ** 32n + BigInt(low)) % BigInt(modulus));
}

interface Digest {
  readonly high: number;
  readonly low: number;
}

function digestOf(text: string): Digest {
  // As text: that costs less than half of what bytes do.
  const digits = hash('md5', text, 'hex');
  return { high: Number.parseInt(digits.slice(16, 24), 16), low: Number.parseInt(digits.slice(24), 16) };
}

/** The targets of a job are hashed by one way to share, then by another one. */
const heldMax = 1_024;
const held = new Map<string, Digest>();

function heldDigest(text: string): Digest {
  const known = held.get(text);
  if (known !== undefined) return known;
  const digest = digestOf(text);
  if (held.size >= heldMax) held.clear();
  held.set(text, digest);
  return digest;
}

/** Labels on their way: what was written over those that came. An empty text: the label is gone. */
interface Work {
  base: LabelSet;
  /** Written by rules that others go on from: over those that came, and under what is written now. */
  before?: ReadonlyMap<string, string> | undefined;
  readonly written: Map<string, string>;
}

/** Changes the labels; false: they are dropped. */
type Step = (work: Work) => boolean;

// The same rules meet every target of a job; only those that cannot change are remembered.
const remembered = new WeakMap<readonly RelabelRule[], readonly Step[]>();
const rememberedSteps = new WeakMap<RelabelRule, Step>();

function stepsOf(rules: readonly RelabelRule[]): readonly Step[] {
  const known = remembered.get(rules);
  if (known !== undefined) return known;
  const steps = rules.map((rule) => rememberedSteps.get(rule) ?? stepOf(rule));
  if (Object.isFrozen(rules)) remembered.set(rules, steps);
  return steps;
}

function stepOf(rule: RelabelRule): Step {
  const step = newStep(rule);
  if (Object.isFrozen(rule)) rememberedSteps.set(rule, step);
  return step;
}

function newStep(rule: RelabelRule): Step {
  const { target_label = '', action = 'replace', modulus = 0 } = rule;
  const value = sourceOf(rule);
  const regex = compiled(rule.regex ?? '(.*)');
  switch (action) {
    case 'replace':
      return replacing(rule, { value, regex });
    case 'keep':
      return (work) => regex.matches(value(work));
    case 'drop':
      return (work) => !regex.matches(value(work));
    case 'keepequal':
      return (work) => valueIn(work, target_label) === value(work);
    case 'dropequal':
      return (work) => valueIn(work, target_label) !== value(work);
    case 'hashmod':
      return writing(target_label, (work) => String(partOf(heldDigest(value(work)), modulus)));
    case 'lowercase':
      return writing(target_label, (work) => value(work).toLowerCase());
    case 'uppercase':
      return writing(target_label, (work) => value(work).toUpperCase());
    case 'labelmap':
      return mapping(regex, templateOf(rule.replacement ?? '$1'));
    case 'labeldrop':
      return filtering((name) => !regex.matches(name));
    case 'labelkeep':
      return filtering((name) => regex.matches(name));
    default:
      throw new TypeError(`"${action}" is no relabelling action`);
  }
}

type Value = (work: Work) => string;

function sourceOf({ source_labels = [], separator = ';' }: RelabelRule): Value {
  const [first = '', ...others] = source_labels;
  return (work) => {
    let text = valueIn(work, first);
    for (const name of others) text += separator + valueIn(work, name);
    return text;
  };
}

function writing(label: string, value: Value): Step {
  return (work) => {
    work.written.set(label, value(work));
    return true;
  };
}

function replacing(
  { target_label = '', replacement = '$1' }: RelabelRule,
  { value, regex }: { readonly value: Value; readonly regex: Expression },
): Step {
  const [target, text] = [templateOf(target_label), templateOf(replacement)];
  const { whatIsOpen } = regex;
  // What most rules do: they copy one label, or a part of it, to another.
  if (whatIsOpen !== undefined && isFirstGroup.test(replacement) && labelName.test(target_label))
    return (work) => {
      const found = whatIsOpen(value(work));
      if (found !== undefined) work.written.set(target_label, found);
      return true;
    };
  return (work) => {
    const groups = regex.groups(value(work));
    if (groups === undefined) return true;
    const name = target(groups);
    if (labelName.test(name)) work.written.set(name, text(groups));
    return true;
  };
}

const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const isFirstGroup = /^\$(?:1|\{1\})$/;

function mapping(regex: Expression, template: Template): Step {
  return (work) => {
    for (const [name, value] of Object.entries(settled(work))) {
      const groups = regex.groups(name);
      if (groups !== undefined) work.written.set(template(groups), value);
    }
    return true;
  };
}

function filtering(keeps: (name: string) => boolean): Step {
  return (work) => {
    work.base = Object.fromEntries(Object.entries(settled(work)).filter(([name]) => keeps(name)));
    work.before = undefined;
    work.written.clear();
    return true;
  };
}

type Template = (groups: Groups) => string;

/** Go's templates: `$1`, `${name}`, `$$`; the longest possible name counts, and an unknown one is empty. */
function templateOf(template: string): Template {
  const [, plain, braced] = /^\$(?:(\w+)|\{(\w+)\})$/.exec(template) ?? [];
  const only = plain ?? braced;
  if (only !== undefined) return (groups) => groups.get(only) ?? '';
  if (!template.includes('$')) return () => template;
  return (groups) =>
    template.replace(/\$(?:\$|(\w+)|\{(\w+)\})/g, (whole, name?: string, inBraces?: string) =>
      whole === '$$' ? '$' : (groups.get(name ?? inBraces ?? '') ?? ''),
    );
}

function settled({ base, before = nothing, written }: Work): LabelSet {
  const labels: Record<string, string> = {};
  for (const [name, value] of Object.entries(base))
    if (value !== '' && !written.has(name) && !before.has(name)) labels[name] = value;
  for (const [name, value] of before) if (value !== '' && !written.has(name)) labels[name] = value;
  for (const [name, value] of written) if (value !== '') labels[name] = value;
  return labels;
}

const nothing: ReadonlyMap<string, string> = new Map();

function valueIn({ base, before, written }: Work, name: string): string {
  return written.get(name) ?? before?.get(name) ?? (Object.hasOwn(base, name) ? (base[name] ?? '') : '');
}
