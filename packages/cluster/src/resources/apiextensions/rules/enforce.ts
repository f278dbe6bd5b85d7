import type { FieldPath, Issue } from '../../../api/issue.ts';
import { isObject, own } from '../../../api/record.ts';
import { correlatedItems, isSameBySchema } from '../../../api/schema/correlate.ts';
import type { CelRule, SchemaNode } from '../../../api/schema/node.ts';
import { placeOf } from '../../../api/schema/rule-path.ts';
import type { Outcome, Program, Variables } from '../../../cel/compile.ts';
import { Optional, type Value } from '../../../cel/values/value.ts';
import type { CompiledRule } from './compile-rule.ts';
import { messageSizeMax, objectCostMax, runCostMax } from './limits.ts';
import type { RuleTree } from './rule-tree.ts';

export interface Judged {
  readonly value: unknown;
  /** What it replaces; undefined at creation. */
  readonly old: unknown;
  readonly at: FieldPath;
}

/** What a value breaks of the rules of its schema. What it broke before, and has not changed, only warns. */
export function enforceRules(tree: RuleTree, { value, old, at }: Judged): readonly Issue[] {
  const run: Running = { issues: [], budget: objectCostMax };
  const change = old === undefined ? undefined : { value, old, schema: tree.schema };
  enforce(run, tree, { value, old, at, change, around: undefined });
  return run.issues;
}

interface Running {
  readonly issues: Issue[];
  /** What is left; below zero nothing more is looked at. */
  budget: number;
}

interface Place {
  readonly value: unknown;
  /** Undefined where there was none, or none that could be told to be the same. */
  readonly old: unknown;
  readonly at: FieldPath;
  /** The value and the one before it. Undefined where they cannot be told to be the same thing. */
  readonly change: Change | undefined;
  /** The same of what is around a value whose own past is not known. */
  readonly around: Change | undefined;
}

interface Change {
  readonly value: unknown;
  readonly old: unknown;
  readonly schema: SchemaNode;
}

function enforce(run: Running, tree: RuleTree, place: Place): void {
  const { value, old } = place;
  if (value === null || value === undefined) return;
  enforceOwn(run, tree, place);
  if (Array.isArray(value)) enforceItems(run, tree, { ...place, value });
  else if (isObject(value)) {
    const before = isObject(old) ? old : {};
    for (const key of Object.keys(value)) {
      if (run.budget < 0) return;
      const property = tree.properties.get(key);
      const part = property ?? tree.additional;
      if (part === undefined) continue;
      const at = property === undefined ? place.at.key(key) : place.at.field(key);
      enforce(run, part, {
        value: value[key],
        old: own(before, key),
        at,
        ...deeper(place, { key, schema: part.schema }),
      });
    }
  }
}

function deeper(
  { change, around }: Place,
  { key, schema }: { key: string; schema: SchemaNode },
): Pick<Place, 'change' | 'around'> {
  if (change === undefined) return { change, around };
  const { value, old } = change;
  const isKnown = isObject(value) && isObject(old) && Object.hasOwn(old, key);
  return { change: isKnown ? { value: value[key], old: old[key], schema } : undefined, around: change };
}

function enforceItems(
  run: Running,
  { items, schema }: RuleTree,
  place: Place & { readonly value: readonly unknown[] },
): void {
  if (items === undefined) return;
  const { value, old, change, around, at } = place;
  const before = correlatedItems(schema, Array.isArray(old) ? old : []);
  for (const [index, item] of value.entries()) {
    if (run.budget < 0) return;
    const same = before(item);
    const own =
      change === undefined || same === undefined ? undefined : { value: item, old: same, schema: items.schema };
    enforce(run, items, { value: item, old: same, at: at(index), change: own, around: change ?? around });
  }
}

function enforceOwn(run: Running, tree: RuleTree, place: Place): void {
  const { declared, rules, schema } = tree;
  if (rules.length === 0 || declared === undefined || run.budget < 0) return;
  const type = schema.type ?? '';
  if (run.budget <= 0) {
    exhausted(run, place.at, type);
    return;
  }
  let self: Value | undefined;
  let oldSelf: Value | undefined;
  const readSelf = (): Value => (self ??= declared.read(place.value));
  const readOld = (): Value => (oldSelf ??= declared.read(place.old));
  const isNew = place.old === undefined || place.old === null;
  for (const compiled of rules) {
    if (run.budget < 0) return;
    const isOptional = compiled.rule.optionalOldSelf === true;
    if (compiled.usesOldSelf && isNew && !isOptional) continue;
    const given: Variables = (name) => {
      if (name === 'self') return readSelf();
      // A message knows what was before where its rule does.
      if (!compiled.usesOldSelf) return undefined;
      if (isOptional) return isNew ? Optional.none : Optional.of(readOld());
      return isNew ? undefined : readOld();
    };
    enforceOne(run, compiled, { place, given, type });
  }
}

function exhausted(run: Running, at: FieldPath, type: string): void {
  run.issues.push(
    at.invalid(type, 'validation failed due to running out of cost budget, no further validation rules will be run'),
  );
  run.budget = -1;
}

interface Asking {
  readonly place: Place;
  readonly given: Variables;
  /** What the value is called where it is told of. */
  readonly type: string;
}

function enforceOne(run: Running, compiled: CompiledRule, asking: Asking): void {
  const { rule, program } = compiled;
  const { place, given, type } = asking;
  const { at } = place;
  if ('problem' in program) {
    run.issues.push(at.invalid(type, `rule compile error: ${program.problem}`));
    return;
  }
  const outcome = program.run(given, { costMax: runCostMax });
  if (outcome.cost > run.budget) {
    exhausted(run, at, type);
    return;
  }
  run.budget -= outcome.cost;
  if ('error' in outcome) {
    run.issues.push(at.invalid(type, errorWords(outcome, rule)));
    if (outcome.isCostExceeded === true) run.budget = -1;
    return;
  }
  if (outcome.value === true) return;
  const issue = failure(run, compiled, asking);
  const isRatcheted = !compiled.usesOldSelf && isUnchanged(place);
  run.issues.push(isRatcheted ? { ...issue, onlyWarns: true } : issue);
}

/** What was stored before a rule was written, or was let in by another, may stay as it is. */
function isUnchanged({ change, around }: Place): boolean {
  const pair = change ?? around;
  return pair !== undefined && isSameBySchema(pair.value, pair.old, pair.schema);
}

function ruleWords({ rule, message = '' }: CelRule): string {
  return message === '' ? rule.trim() : message.trim();
}

function errorWords({ error, isCostExceeded }: Extract<Outcome, { readonly error: string }>, rule: CelRule): string {
  const words = ruleWords(rule);
  if (isCostExceeded === true)
    return `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${words}`;
  if (error.startsWith('no such overload'))
    return `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${words}`;
  return `${error} evaluating rule: ${words}`;
}

function failure(run: Running, compiled: CompiledRule, { place, given, type }: Asking): Issue {
  const { rule, message, place: path } = compiled;
  const at = path === undefined ? place.at : placeOf(place.at, path);
  const plain = (rule.message ?? '') === '' ? `failed rule: ${ruleWords(rule)}` : ruleWords(rule);
  if (message === undefined || 'problem' in message) return issueFor(at, { type, detail: plain, reason: rule.reason });
  const told = messageOf(run, message, { given, source: rule.messageExpression ?? '' });
  if ('problem' in told) {
    run.budget = -1;
    return at.invalid(type, told.problem);
  }
  return issueFor(at, { type, detail: told.text ?? plain, reason: rule.reason });
}

interface Telling {
  readonly given: Variables;
  readonly source: string;
}

/** Without a text where the expression gives none that could be shown: then the message stands for it. */
function messageOf(
  run: Running,
  program: Program,
  { given, source }: Telling,
): { readonly text: string | undefined } | { readonly problem: string } {
  const outcome = program.run(given, { costMax: runCostMax });
  if (outcome.cost > run.budget)
    return {
      problem:
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    };
  run.budget -= outcome.cost;
  if ('error' in outcome) {
    if (outcome.isCostExceeded !== true) return { text: undefined };
    return {
      problem: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(source)}`,
    };
  }
  const text = typeof outcome.value === 'string' ? outcome.value.trim() : '';
  const isShown = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= messageSizeMax;
  return { text: isShown ? text : undefined };
}

function issueFor(
  at: FieldPath,
  { type, detail, reason }: { readonly type: string; readonly detail: string; readonly reason: string | undefined },
): Issue {
  switch (reason) {
    case 'FieldValueForbidden':
      return at.forbidden(detail);
    case 'FieldValueRequired':
      return at.required(detail);
    case 'FieldValueDuplicate':
      return at.duplicate(type);
    default:
      return at.invalid(type, detail);
  }
}
