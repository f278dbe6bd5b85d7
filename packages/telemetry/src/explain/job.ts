import type { KubeObject } from '@signalbox/cluster';
import type { Collected } from '../operator/component.ts';
import { comparedBy, isKept, type LabelSet, type Relabelled, relabelled } from '../relabel/execute.ts';
import { labelName, type RelabelRule } from '../relabel/rule.ts';
import type { World } from '../world/world.ts';
import { type Discovered, describeTarget, discover, type Prospect } from './discovery/discover.ts';
import { meta } from './discovery/meta-labels.ts';
import type { DroppingRule, Fate, JobView, TargetView } from './explanation.ts';
import { imaginedAnnotation } from './imagined.ts';
import { type ReadJob, readJob, shardMark } from './job-text.ts';

interface Asked {
  readonly world: World;
  readonly root: KubeObject;
  readonly shards: number;
  /** What is dropped anyway is passed over. */
  readonly prospectOf?: (job: ReadJob) => Prospect;
  /** Only what it takes is looked at. */
  readonly only?: Only;
}

/** Some of what is discovered. Remembers what jobs that look in the same places have in common. */
export interface Only {
  takes(discovered: LabelSet): boolean;
  readonly known: Map<string, Discovered>;
}

/** The jobs of a monitor as its agents read them, run on everything that they would discover. */
export function jobViews(
  { by, jobs }: Collected,
  { world, root, shards, prospectOf, only }: Asked,
): readonly JobView[] {
  return jobs.texts.map(({ text }, index) => {
    const job = readJob(text);
    const ownRules = jobs.ownRules[index] ?? new Map<number, string>();
    const isLogs = by.kind === 'LogsInstance';
    const home = root.metadata.namespace ?? '';
    const find = (): Discovered =>
      discover(job.section, world, { home, ...(prospectOf !== undefined && { prospect: prospectOf(job) }) });
    const found = only === undefined ? find() : taken(job, home, { only, find });
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
          isImagined: isImagined(discovered),
          discovered,
          fate: fateOf(discovered, job, { parts, isLogs, ownRules }),
        }),
      ),
    };
  });
}

function taken(
  { section }: ReadJob,
  home: string,
  { only, find }: { readonly only: Only; readonly find: () => Discovered },
): Discovered {
  const ways = Object.entries(section).filter(([name]) => name === 'static_configs' || name.endsWith('_sd_configs'));
  const id = JSON.stringify([home, ways]);
  const known = only.known.get(id);
  if (known !== undefined) return known;
  const all = find();
  const found = { ...all, targets: all.targets.filter(only.takes) };
  only.known.set(id, found);
  return found;
}

export function isImagined(discovered: LabelSet): boolean {
  return discovered[imaginedLabel] === 'true';
}

const imaginedLabel = `${meta}pod_annotation_${labelName(imaginedAnnotation)}`;

interface Parts {
  readonly parts: number;
  readonly isLogs: boolean;
  readonly ownRules: ReadonlyMap<number, string>;
}

function fateOf(discovered: LabelSet, job: ReadJob, { parts, isLogs, ownRules }: Parts): Fate {
  const shared = relabelled({ ...givenLabels(job, isLogs), ...discovered }, job.common);
  if (!shared.kept) return dropped(shared, job, ownRules);
  const shards = range(parts).filter((shard) => isKept(shared.labels, job.own(shard)));
  const [first] = shards;
  if (first !== undefined) {
    const labels = labelsLeft(relabelled(shared.labels, job.own(first)).labels, isLogs);
    return labels === undefined
      ? { kept: false, by: undefined, reason: `its rules leave no ${neededLabel(isLogs)}` }
      : { kept: true, labels, shards };
  }
  const [last] = range(parts)
    .map((shard) => relabelled(shared.labels, job.own(shard)))
    .filter((outcome) => !outcome.kept)
    .sort((a, b) => b.droppedBy - a.droppedBy);
  return last === undefined
    ? { kept: false, by: undefined, reason: 'there is no shard' }
    : dropped({ ...last, droppedBy: last.droppedBy + job.common.length }, job, ownRules);
}

/** What its series carry; undefined: without an address it is none. */
export function labelsLeft(labels: LabelSet, isLogs: boolean): LabelSet | undefined {
  if ((labels[neededLabel(isLogs)] ?? '') === '') return undefined;
  const shown = Object.fromEntries(Object.entries(labels).filter(([name]) => !name.startsWith('__')));
  return isLogs ? shown : { instance: labels['__address__'] ?? '', ...shown };
}

export function neededLabel(isLogs: boolean): '__address__' | '__path__' {
  return isLogs ? '__path__' : '__address__';
}

export function range(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}

/** What the agent gives every target of a job before the rules, where discovery says nothing else. */
export function givenLabels({ section, name }: ReadJob, isLogs: boolean): LabelSet {
  if (isLogs) return {};
  const { scheme = 'http', metrics_path = '/metrics' } = section as Readonly<Record<string, string>>;
  const params = Object.entries((section['params'] ?? {}) as Readonly<Record<string, readonly string[]>>);
  return {
    job: name,
    __scheme__: scheme,
    __metrics_path__: metrics_path,
    ...Object.fromEntries(params.map(([param, [value = '']]) => [`__param_${param}`, value])),
  };
}

function dropped(
  { labels, droppedBy }: Relabelled & { readonly kept: false },
  job: ReadJob,
  ownRules: Parts['ownRules'],
): Fate {
  const rule = job.rules[droppedBy] ?? {};
  const field = ownRules.get(droppedBy);
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
