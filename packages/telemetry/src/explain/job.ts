import type { KubeObject } from '@signalbox/cluster';
import type { Collected } from '../operator/component.ts';
import { comparedBy, isKept, type LabelSet, type Relabelled, relabelled } from '../relabel/execute.ts';
import { labelName, type RelabelRule } from '../relabel/rule.ts';
import type { Section } from '../scrape/http.ts';
import { rulesOfJob } from '../scrape/job-rules.ts';
import { parseYaml } from '../scrape/yaml.ts';
import type { World } from '../world/world.ts';
import { describeTarget, discover } from './discovery/discover.ts';
import { meta } from './discovery/meta-labels.ts';
import type { DroppingRule, Fate, JobView, TargetView } from './explanation.ts';
import { imaginedAnnotation } from './imagined.ts';

interface Asked {
  readonly world: World;
  readonly root: KubeObject;
  readonly shards: number;
  /** Targets that are dropped for what their Service is called or labelled are passed over. */
  readonly isBrief?: boolean;
}

/** The jobs of a monitor as its agents read them, run on everything that they would discover. */
export function jobViews({ by, jobs }: Collected, { world, root, shards, isBrief = false }: Asked): readonly JobView[] {
  return jobs.texts.map(({ text }, index) => {
    const job = readJob(text, jobs.ownRules[index]);
    const isLogs = by.kind === 'LogsInstance';
    const home = root.metadata.namespace ?? '';
    const found = discover(job.section, world, { home, ...(isBrief && { isHopeless: hopeless(job) }) });
    const parts = isLogs ? 1 : shards;
    return {
      name: job.name,
      shards: isLogs ? 0 : shards,
      looks: found.looks,
      unknown: found.unknown,
      targets: found.targets.map(
        (discovered): TargetView => ({
          of: describeTarget(discovered),
          address: discovered['__address__'] ?? '',
          isImagined: discovered[imaginedLabel] === 'true',
          discovered,
          fate: fateOf(discovered, job, { parts, isLogs }),
        }),
      ),
    };
  });
}

/** By rules that look at nothing but what all targets of a Service have, before any could have changed it. */
function hopeless({ common }: ReadJob): (labels: LabelSet) => boolean {
  const end = common.findIndex(
    ({ action = 'replace', target_label = '' }) =>
      !(action === 'keep' || action === 'drop') && !(action === 'replace' && target_label.startsWith('__tmp_')),
  );
  const deciding = (end < 0 ? common : common.slice(0, end)).filter(
    ({ action, source_labels = [] }) => action !== 'replace' && source_labels.every((name) => ofService.test(name)),
  );
  const rules = Object.freeze(deciding.filter(({ action }) => action !== undefined));
  return (labels) => !isKept(labels, rules);
}

const ofService = /^__meta_kubernetes_(namespace|service_.*)$/;

const imaginedLabel = `${meta}pod_annotation_${labelName(imaginedAnnotation)}`;

interface ReadJob {
  readonly name: string;
  readonly section: Section;
  readonly rules: readonly RelabelRule[];
  /** The rules before the first that names a shard: all shards run them alike. */
  readonly common: readonly RelabelRule[];
  /** The rest of them, as a shard runs them. */
  readonly own: (shard: number) => readonly RelabelRule[];
  /** What every target has before the rules. */
  readonly labels: LabelSet;
  readonly ownRules: ReadonlyMap<number, string>;
}

// No text that is written holds it, unlike the shard's variable once its escapes have been read.
const shardMark = '\uE000SHARD\uE000';

function readJob(text: string, ownRules: ReadonlyMap<number, string> = new Map()): ReadJob {
  const section = parseYaml(text.replaceAll('$(SHARD)', shardMark)) as Section;
  const rules = rulesOfJob(section);
  const first = rules.findIndex(namesShard);
  const rest = first < 0 ? [] : rules.slice(first);
  const byShard = new Map<number, readonly RelabelRule[]>();
  return {
    name: String(section['job_name']),
    section,
    rules,
    // Frozen rules are made ready once, however many targets there are.
    common: Object.freeze(first < 0 ? rules : rules.slice(0, first)),
    own(shard) {
      const known = byShard.get(shard) ?? Object.freeze(rest.map((rule) => inShard(rule, shard)));
      byShard.set(shard, known);
      return known;
    },
    labels: jobLabels(section),
    ownRules,
  };
}

interface Parts {
  readonly parts: number;
  readonly isLogs: boolean;
}

function fateOf(discovered: LabelSet, job: ReadJob, { parts, isLogs }: Parts): Fate {
  const start = isLogs ? discovered : { ...job.labels, ...discovered };
  const shared = relabelled(start, job.common);
  const { length: common } = job.common;
  if (!shared.kept || common === job.rules.length) return settled(shared, job, { shards: range(parts), isLogs });
  const byShard = range(parts).map((shard) => ({ shard, outcome: relabelled(shared.labels, job.own(shard)) }));
  const taken = byShard.filter(({ outcome }) => outcome.kept);
  const [first] = taken;
  if (first !== undefined) return settled(first.outcome, job, { shards: taken.map(({ shard }) => shard), isLogs });
  const [last] = byShard
    .map(({ outcome }) => outcome)
    .filter((outcome) => !outcome.kept)
    .sort((a, b) => b.droppedBy - a.droppedBy);
  return last === undefined
    ? { kept: false, by: undefined, reason: 'there is no shard' }
    : settled({ ...last, droppedBy: last.droppedBy + common }, job, { shards: [], isLogs });
}

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}

function namesShard(rule: RelabelRule): boolean {
  return [rule.regex, rule.replacement, rule.target_label, rule.separator, ...(rule.source_labels ?? [])].some(
    (text) => text?.includes(shardMark) === true,
  );
}

function inShard(rule: RelabelRule, shard: number): RelabelRule {
  return namesShard(rule)
    ? (JSON.parse(JSON.stringify(rule).replaceAll(shardMark, String(shard))) as RelabelRule)
    : rule;
}

/** What the agent gives every target of a job before the rules. */
function jobLabels(job: Section): LabelSet {
  const { scheme = 'http', metrics_path = '/metrics' } = job as Readonly<Record<string, string>>;
  const params = Object.entries((job['params'] ?? {}) as Readonly<Record<string, readonly string[]>>);
  return {
    job: String(job['job_name']),
    __scheme__: scheme,
    __metrics_path__: metrics_path,
    ...Object.fromEntries(params.map(([name, [value = '']]) => [`__param_${name}`, value])),
  };
}

function settled(
  outcome: Relabelled,
  job: ReadJob,
  { shards, isLogs }: { readonly shards: readonly number[]; readonly isLogs: boolean },
): Fate {
  if (!outcome.kept) return dropped(outcome, job);
  const needed = isLogs ? '__path__' : '__address__';
  if ((outcome.labels[needed] ?? '') === '')
    return { kept: false, by: undefined, reason: `its rules leave no ${needed}` };
  const shown = Object.fromEntries(Object.entries(outcome.labels).filter(([name]) => !name.startsWith('__')));
  const labels = isLogs ? shown : { instance: outcome.labels['__address__'] ?? '', ...shown };
  return { kept: true, labels, shards };
}

function dropped({ labels, droppedBy }: Relabelled & { readonly kept: false }, job: ReadJob): Fate {
  const rule = job.rules[droppedBy] ?? {};
  const field = job.ownRules.get(droppedBy);
  const by: DroppingRule = {
    number: droppedBy + 1,
    of: job.rules.length,
    whose: whoseOf(field),
    field,
    rule: unmarked(rule),
    saw: comparedBy(rule, labels),
  };
  return { kept: false, by, reason: describeRule(by) };
}

function whoseOf(field: string | undefined): DroppingRule['whose'] {
  if (field === undefined) return 'the operator';
  if (field.startsWith('relabel_configs')) return 'the job';
  return field.startsWith('spec.scrapeClasses') ? 'the scrape class' : 'the monitor';
}

function unmarked(rule: RelabelRule): RelabelRule {
  return JSON.parse(JSON.stringify(rule).replaceAll(shardMark, '$(SHARD)')) as RelabelRule;
}

/** `rule 3 of 19 (the monitor's spec.endpoints[0].relabelings[0]) keeps what matches "prod" in env, and it is "test"` */
export function describeRule({ number, of, whose, field, rule, saw }: DroppingRule): string {
  const source = (rule.source_labels ?? []).join(', ');
  const origin = field === undefined ? 'generated' : `${whose}'s ${field}`;
  return `rule ${number} of ${of} (${origin}) ${conditionOf(rule, source)}, and it is "${saw}"`;
}

function conditionOf({ action, regex = '(.*)', target_label }: RelabelRule, source: string): string {
  switch (action) {
    case 'keep':
      return `keeps only what matches "${regex}" in ${source}`;
    case 'drop':
      return `drops what matches "${regex}" in ${source}`;
    case 'keepequal':
      return `keeps only what has the value of ${target_label} in ${source}`;
    default:
      return `drops what has the value of ${target_label} in ${source}`;
  }
}
