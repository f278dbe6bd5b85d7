import { isKept, type LabelSet, type Passage } from '../relabel/execute.ts';
import type { RelabelRule } from '../relabel/rule.ts';

/*
 * Which shards keep a target. Each shard runs its own rules, which differ in little but its number: what all of them run
 * alike is run once, and what is left to each is judged once for all targets that look the same to it. Who decides are the
 * rules themselves, executed on the labels that they look at.
 */

/** The numbers of the shards that keep what has come so far. */
export type ShardChoice = (passed: Passage) => readonly number[];

type OwnRules = (shard: number) => readonly RelabelRule[];

// Ten thousand jobs end in the same rules.
const remembered = new WeakMap<OwnRules, Map<number, ShardChoice>>();

/** Of so many shards, each of which runs its own rules. Their rules differ at most in what they say, not in their order. */
export function shardChoice(own: OwnRules, shards: number): ShardChoice {
  const known = remembered.get(own) ?? new Map<number, ShardChoice>();
  remembered.set(own, known);
  const choice = known.get(shards) ?? choiceOf(Array.from({ length: shards }, (_, shard) => own(shard)));
  known.set(shards, choice);
  return choice;
}

function choiceOf(ways: readonly (readonly RelabelRule[])[]): ShardChoice {
  const split = splitOf(ways);
  if (split === undefined) return (passed) => ways.flatMap((rules, shard) => (passed.isKept(rules) ? [shard] : []));
  const { alike, lanes, asked } = split;
  const answers = new Map<string, readonly number[]>();
  return (passed) => {
    const values = passed.valuesAfter(alike, asked);
    if (values === undefined) return none;
    let look = '';
    for (const value of values) look += `${value.length} ${value}`;
    const known = answers.get(look);
    if (known !== undefined) return known;
    const labels = Object.fromEntries(asked.map((name, index) => [name, values[index] ?? '']));
    const found = lanes
      .filter(({ last, written }) => isKept({ ...labels, ...Object.fromEntries(written) }, last))
      .map(({ shard }) => shard);
    if (answers.size >= answersMax) answers.clear();
    answers.set(look, found);
    return found;
  };
}

const none: readonly number[] = Object.freeze([]);
/** As many as there may be slots. */
const answersMax = 16_384;

interface Split {
  /** What all shards run alike, and write by what all of them have. */
  readonly alike: readonly RelabelRule[];
  readonly lanes: readonly Lane[];
  /** The labels that the last rules look at, beside those that each shard writes for itself. */
  readonly asked: readonly string[];
}

/** A shard that may keep something. */
interface Lane {
  readonly shard: number;
  /** What its rules write whatever the target is. */
  readonly written: Map<string, string>;
  /** The last rule, if it is its own. */
  last: readonly RelabelRule[];
}

/** Undefined: its rules do not come apart like this. */
function splitOf(ways: readonly (readonly RelabelRule[])[]): Split | undefined {
  const [first = []] = ways;
  const alike: RelabelRule[] = [];
  let lanes = ways.map((_, shard): Lane => ({ shard, written: new Map(), last: [] }));
  let asked: readonly string[] = [];
  const own = new Set<string>();
  for (const [index, rule] of first.entries()) {
    const rules = ways.map((each) => each[index] ?? rule);
    const ruleOf = ({ shard }: Lane): RelabelRule => rules[shard] ?? rule;
    const { source_labels = [], target_label = '' } = rule;
    const looksAtOwn = source_labels.some((name) => own.has(name));
    if (rules.every(isConstant) && rules.every((each) => each.target_label === target_label)) {
      for (const lane of lanes) lane.written.set(target_label, ruleOf(lane).replacement ?? '');
      own.add(target_label);
    } else if (rules.every((each) => each === rule) && !looksAtOwn && isSimple(rule)) {
      alike.push(rule);
      if (own.delete(target_label)) for (const { written } of lanes) written.delete(target_label);
    } else if (rules.every((each) => decides(each) && isSameList(each.source_labels, source_labels))) {
      if (source_labels.length > 0 && source_labels.every((name) => own.has(name)))
        lanes = lanes.filter((lane) => isKept(ownLabels(lane), [ruleOf(lane)]));
      else if (index === first.length - 1) {
        asked = source_labels.filter((name) => !own.has(name));
        for (const lane of lanes) lane.last = Object.freeze([ruleOf(lane)]);
      } else return undefined;
    } else return undefined;
  }
  return { alike: Object.freeze(alike), lanes, asked };
}

function ownLabels({ written }: Lane): LabelSet {
  return Object.fromEntries(written);
}

/** Writes the same whatever the target is. */
function isConstant({
  action = 'replace',
  source_labels = [],
  regex,
  target_label = '',
  replacement,
}: RelabelRule): boolean {
  const isWritten = replacement !== undefined && !replacement.includes('$') && labelName.test(target_label);
  return action === 'replace' && source_labels.length === 0 && regex === undefined && isWritten;
}

/** Drops, or writes one label whose name is known. */
function isSimple(rule: RelabelRule): boolean {
  const { action = 'replace', target_label = '' } = rule;
  return decides(rule) || ((action === 'replace' || action === 'hashmod') && labelName.test(target_label));
}

function decides({ action }: RelabelRule): boolean {
  return action === 'keep' || action === 'drop';
}

const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

function isSameList(a: readonly string[] = [], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
