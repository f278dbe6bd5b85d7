import { type LabelSet, labelAfter } from '../relabel/execute.ts';
import type { RelabelRule } from '../relabel/rule.ts';
import type { Section } from '../scrape/http.ts';
import { rulesOfJob } from '../scrape/job-rules.ts';
import { parseYaml } from '../scrape/yaml.ts';

/** Jobs as they stand in a configuration. */
export interface ShardedJobs {
  readonly names: readonly string[];
  readonly texts: readonly JobText[];
  /** For each job the rules that are not the operator's, by their index in the job. */
  readonly ownRules: readonly ReadonlyMap<number, unknown>[];
}

interface JobText {
  readonly text: string;
}

/** The text of which agents take the hash that decides who scrapes a target; undefined: none does, or nobody knows. */
export type HashedText = (target: { readonly job: string; readonly discovered: LabelSet }) => string | undefined;

/** By the rules of these jobs, which are read when the first target of a job is asked for. */
export function hashedTexts(jobs: readonly ShardedJobs[]): HashedText {
  const byName = new Map<string, { readonly text: JobText; readonly own: ReadonlyMap<number, unknown> | undefined }>();
  for (const { names, texts, ownRules } of jobs)
    for (const [index, name] of names.entries()) {
      const text = texts[index];
      if (text !== undefined) byName.set(name, { text, own: ownRules[index] });
    }
  return ({ job, discovered }) => {
    const found = byName.get(job);
    const hashed = found && hashedIn(found.text, found.own);
    return hashed?.(discovered);
  };
}

type TextOf = (discovered: LabelSet) => string | undefined;

// A job that has not changed keeps its text, as an object.
const known = new WeakMap<JobText, TextOf>();

function hashedIn(job: JobText, own: ReadonlyMap<number, unknown> = new Map()): TextOf {
  const remembered = known.get(job);
  if (remembered !== undefined) return remembered;
  const made = textBy(rulesOfJob(parseYaml(job.text) as Section), own);
  known.set(job, made);
  return made;
}

/** What the operator's own `hashmod` would hash. */
function textBy(rules: readonly RelabelRule[], own: ReadonlyMap<number, unknown>): TextOf {
  const at = rules.findIndex(({ action }, index) => action === 'hashmod' && !own.has(index));
  if (at < 0) return () => undefined;
  const takesWishes = rules.at(-1)?.source_labels?.includes(wish) === true;
  const [from = ''] = rules[at]?.source_labels ?? [];
  // Frozen rules are made ready once, however many targets there are.
  const shared = rules.slice(0, at).filter((rule, index) => own.has(index) || !isOfShard(rule));
  const before = Object.freeze([...shared, ...(takesWishes ? [withoutWish] : [])]);
  return (discovered) => labelAfter(discovered, before, from);
}

/** A Prometheus has one that lets shards that are kept for their data scrape nothing. */
function isOfShard({ source_labels = [], target_label }: RelabelRule): boolean {
  return target_label === currentShard || source_labels.includes(currentShard);
}

const currentShard = '__tmp_current_shard';
const wish = '__tmp_disable_sharding';
/** Whoever has one is scraped by every shard. */
const withoutWish: RelabelRule = { source_labels: [wish], regex: '.+', action: 'drop' };
