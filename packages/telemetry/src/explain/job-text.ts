import { freeze } from '@signalbox/cluster';
import type { RelabelRule } from '../relabel/rule.ts';
import type { Section } from '../scrape/http.ts';
import { rulesOfJob } from '../scrape/job-rules.ts';
import { parseYaml } from '../scrape/yaml.ts';
import { isPlain } from '../scrape/yaml-block.ts';

/*
 * A job as it stands in the configuration, read back. It is read line of the job by line, and rule by rule, as far as the
 * way goes in which we write it: of ten thousand jobs most lines and rules are the same, and are read once.
 */

export interface ReadJob {
  readonly name: string;
  /** All of it but its rules. */
  readonly section: Section;
  readonly rules: readonly RelabelRule[];
  /** The rules before the first that names a shard: all shards run them alike. */
  readonly common: readonly RelabelRule[];
  /** The rest of them, as a shard runs them. */
  readonly own: (shard: number) => readonly RelabelRule[];
  /** The rest only decides: all that it writes are labels of its own. */
  readonly onlyDecides: boolean;
  /** The text without that rest: jobs for which it is the same find the same. */
  readonly head: string;
}

const rulesName = 'relabel_configs';

export function readJob(text: string): ReadJob {
  return withTail(text).job;
}

/** Reads one job after another. One that differs from the last only in the rules of shards is mostly read already. */
export function createJobReader(): (text: string) => ReadJob {
  let last: WithTail | undefined;
  return (text) => {
    last = (last && readAlike(text, last)) ?? withTail(text);
    return last.job;
  };
}

/** Where in its text the rules of shards stand; both undefined: there are none. */
interface WithTail {
  readonly job: ReadJob;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function withTail(text: string): WithTail {
  const section: Record<string, unknown> = {};
  const head: string[] = [];
  let items: readonly string[] = [];
  let itemsAt = 0;
  let at = 0;
  for (const member of text.split(memberBorder)) {
    if (member.startsWith(`${rulesName}:\n`)) {
      itemsAt = at + rulesName.length + 2;
      items = member.slice(rulesName.length + 2).split(itemBorder);
    } else {
      head.push(member);
      Object.assign(section, readMember(member));
    }
    at += member.length + 1;
  }
  const read = items.map(readRule);
  const first = read.findIndex(({ isOfShard }) => isOfShard);
  const end = first < 0 ? items.length : first;
  const all = read.map(({ rule }) => rule);
  const tail = items.slice(end).join('\n');
  const tailAt = items.slice(0, end).reduce((sum, item) => sum + item.length + 1, itemsAt);
  const job = {
    name: String(section['job_name']),
    section,
    rules: all,
    // Frozen rules are made ready once, however many targets there are.
    common: Object.freeze(all.slice(0, end)),
    own: first < 0 ? nothingOwn : tails.of(tail).own,
    onlyDecides: all.slice(end).every(onlyDecides),
    head: [...head, ...items.slice(0, end)].join('\n'),
  };
  if (first < 0) return { job, before: undefined, after: undefined };
  return { job, before: text.slice(0, tailAt), after: text.slice(tailAt + tail.length) };
}

/** Undefined: more of it is different. */
function readAlike(text: string, { job, before, after }: WithTail): WithTail | undefined {
  if (before === undefined || after === undefined || text.length < before.length + after.length) return undefined;
  if (!text.startsWith(before) || !text.endsWith(after)) return undefined;
  const tail = text.slice(before.length, text.length - after.length);
  const { own, rules: others, isWhole } = tails.of(tail);
  if (!isWhole) return undefined;
  const changed = { own, rules: [...job.common, ...others], onlyDecides: others.every(onlyDecides) };
  return { job: { ...job, ...changed }, before, after };
}

/** Before whatever stands at the margin and is no item of a list. */
const memberBorder = /\n(?=[^ \n-])/;
const itemBorder = /\n(?=- )/;
const none: readonly RelabelRule[] = Object.freeze([]);
const nothingOwn = (): readonly RelabelRule[] => none;

// No text that is written holds it, unlike the shard's variable once its escapes have been read.
export const shardMark = '\uE000SHARD\uE000';

function parsed(text: string): unknown {
  return freeze(parseYaml(text.replaceAll('$(SHARD)', shardMark)));
}

interface ReadRule {
  readonly rule: RelabelRule;
  readonly isOfShard: boolean;
}

/** What each job calls itself by is not worth to be remembered. */
function readMember(text: string): Section {
  const [, name = '', value = ''] = /^(job_name): (.*)$/.exec(text) ?? [];
  return isPlain(value) ? { [name]: value } : members.of(text);
}

/** Rules differ most in what their expression says. */
function readRule(text: string): ReadRule {
  const [line, value = ''] = regexLine.exec(text) ?? [];
  if (line === undefined || !isPlain(value) || value.includes('$')) return rules.of(text);
  const { rule, isOfShard } = rules.of(text.replace(regexLine, '  regex: standing_for_it'));
  return { rule: Object.freeze({ ...rule, regex: value }), isOfShard };
}

const regexLine = /^ {2}regex: (.*)$/m;

const members = remembering((text) => parsed(text) as Section);
const rules = remembering((text): ReadRule => {
  const [rule = {}] = rulesOfJob({ [rulesName]: parsed(text) });
  return { rule: freeze(rule), isOfShard: namesShard(rule) };
});
/** The rules in a text as each shard runs them. */
const tails = remembering((text) => {
  // Anything may stand where one job has the rules of shards, and another one something else.
  const isWhole =
    text.startsWith('- ') && !memberBorder.test(text) && readRule(text.split(itemBorder)[0] ?? '').isOfShard;
  const rest = isWhole ? text.split(itemBorder).map((item) => readRule(item).rule) : none;
  const byShard = new Map<number, readonly RelabelRule[]>();
  const own = (shard: number): readonly RelabelRule[] => {
    const known = byShard.get(shard) ?? freeze(rest.map((rule) => inShard(rule, shard)));
    byShard.set(shard, known);
    return known;
  };
  return { own, rules: rest, isWhole };
});

/** What all jobs have is soon read again; what one job has alone would only be in the way. */
const rememberedMax = 512;

function remembering<T>(read: (text: string) => T): { of(text: string): T } {
  const all = new Map<string, T>();
  return {
    of(text) {
      const known = all.get(text) ?? read(text);
      if (all.size >= rememberedMax) all.clear();
      all.set(text, known);
      return known;
    },
  };
}

function namesShard(rule: RelabelRule): boolean {
  return [rule.regex, rule.replacement, rule.target_label, rule.separator, ...(rule.source_labels ?? [])].some((text) =>
    String(text).includes(shardMark),
  );
}

function onlyDecides({ action = 'replace', target_label = '' }: RelabelRule): boolean {
  if (action === 'keep' || action === 'drop') return true;
  return (action === 'replace' || action === 'hashmod') && /^__tmp_\w+$/.test(target_label);
}

function inShard(rule: RelabelRule, shard: number): RelabelRule {
  return namesShard(rule)
    ? (JSON.parse(JSON.stringify(rule).replaceAll(shardMark, String(shard))) as RelabelRule)
    : rule;
}
