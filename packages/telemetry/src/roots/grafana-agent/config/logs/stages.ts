import type { CustomResourceDefinition, KubeObject, New } from '@signalbox/cluster';
import { type CustomKind, kindsOf, takeInAs } from '../../../../operator/taking-in.ts';
import { podlogsJson } from '../../../../resources/generated/crds/podlogs.monitoring.grafana.com.ts';
import type { LogMetric, PipelineStage, PodLogs } from '../../../../resources/pod-logs.ts';
import type { Place } from '../../../../scrape/checks.ts';
import { type Fields, type Line, sectionOf } from '../../../../scrape/fields/table.ts';
import type { Section } from '../../../../scrape/http.ts';
import { parseYaml } from '../../../../scrape/yaml.ts';
import { warnOfUnrendered } from '../fields/unrendered.ts';
import { checkStage } from './stage-checks.ts';

/** Log pipeline stages, spelled as the agent reads them. */
export function pipelineStages(stages: readonly PipelineStage[], { leaf, at }: Place): readonly Section[] {
  return stages.flatMap((stage, index) => stageSections(stage, { leaf, at: `${at}[${index}]` }));
}

/** An entry with several members becomes several stages in the order of the table: the agent takes one per entry. */
function stageSections(stage: PipelineStage, place: Place): readonly Section[] {
  const { leaf, at } = place;
  const known = Object.entries(stageFields).filter(([name]) => stage[name as keyof PipelineStage] !== undefined);
  for (const name of Object.keys(stage))
    if (!Object.hasOwn(stageFields, name))
      leaf.reject('InvalidField', `${at}.${name}`, `"${name}" is no pipeline stage`);
  if (known.length > 1)
    leaf.warn(
      'FieldIgnored',
      at,
      `${known.map(([name]) => name).join(' and ')} share one entry: their order is not defined`,
    );
  checkStage(stage, place);
  return known.map(([name, field]) => {
    const one: Partial<Fields<PipelineStage>> = { [name]: field };
    warnOfUnrendered({ [name]: stage[name as keyof PipelineStage] }, one, place);
    return sectionOf(stage, one, place);
  });
}

const metricKind: Fields<Pick<LogMetric, 'description' | 'maxIdleDuration' | 'prefix' | 'source' | 'type'>> = {
  type: { as: 'type', made: metricType },
  description: { as: 'description' },
  prefix: { as: 'prefix' },
  source: { as: 'source' },
  maxIdleDuration: { as: 'max_idle_duration' },
};

const metricConfig: Fields<Omit<LogMetric, keyof typeof metricKind>> = {
  matchAll: { as: 'match_all' },
  countEntryBytes: { as: 'count_entry_bytes' },
  value: { as: 'value' },
  action: { as: 'action', keepsAll: true },
  buckets: { as: 'buckets', of: bucketNumbers },
};

/** What becomes of every field of a stage. What Promtail refuses of them is told elsewhere. */
const stageFields: Fields<PipelineStage> = {
  cri: { as: 'cri', keepsAll: true, of: () => ({}) },
  docker: { as: 'docker', keepsAll: true, of: () => ({}) },
  drop: {
    as: 'drop',
    keepsAll: true,
    members: {
      source: { as: 'source' },
      expression: { as: 'expression' },
      value: { as: 'value' },
      olderThan: { as: 'older_than' },
      longerThan: { as: 'longer_than' },
      dropCounterReason: { as: 'drop_counter_reason' },
    },
  },
  json: { as: 'json', keepsAll: true, members: { expressions: always('expressions', {}), source: { as: 'source' } } },
  labelAllow: { as: 'labelallow', keepsAll: true },
  labelDrop: { as: 'labeldrop', keepsAll: true },
  labels: { as: 'labels', keepsAll: true },
  limit: {
    as: 'limit',
    keepsAll: true,
    members: { rate: { as: 'rate' }, burst: { as: 'burst' }, drop: always('drop', false) },
  },
  match: {
    as: 'match',
    keepsAll: true,
    members: {
      selector: always('selector', ''),
      stages: { as: 'stages', made: (own, place, { spec: { action } }) => matchStages(own, place, action) },
      action: { as: 'action' },
      pipelineName: { as: 'pipeline_name' },
      dropCounterReason: { as: 'drop_counter_reason' },
    },
  },
  metrics: { as: 'metrics', keepsAll: true, of: metricSections },
  multiline: {
    as: 'multiline',
    keepsAll: true,
    members: {
      firstLine: { as: 'firstline' },
      maxWaitTime: { as: 'max_wait_time' },
      maxLines: { as: 'max_lines' },
    },
  },
  output: { as: 'output', keepsAll: true, members: { source: always('source', '') } },
  pack: {
    as: 'pack',
    keepsAll: true,
    members: { labels: always('labels', []), ingestTimestamp: { as: 'ingest_timestamp' } },
  },
  regex: { as: 'regex', keepsAll: true, members: { expression: always('expression', ''), source: { as: 'source' } } },
  replace: {
    as: 'replace',
    keepsAll: true,
    members: {
      expression: always('expression', ''),
      source: { as: 'source' },
      // Replacing by nothing is what this stage is often for.
      replace: { as: 'replace', keepsAll: true },
    },
  },
  template: {
    as: 'template',
    keepsAll: true,
    members: { source: always('source', ''), template: always('template', '') },
  },
  tenant: {
    as: 'tenant',
    keepsAll: true,
    members: { label: { as: 'label' }, source: { as: 'source' }, value: { as: 'value' } },
  },
  timestamp: {
    as: 'timestamp',
    keepsAll: true,
    members: {
      source: always('source', ''),
      format: always('format', ''),
      fallbackFormats: { as: 'fallback_formats' },
      location: { as: 'location' },
      actionOnFailure: { as: 'action_on_failure' },
    },
  },
};

/** A line that is there whatever is said. */
function always<Value>(as: string, otherwise: Value): Line<Value, unknown, Place> {
  return { as, keepsAll: true, made: (own) => own ?? otherwise };
}

function matchStages(text: string | undefined, place: Place, action: string | undefined): readonly Section[] {
  const stages = nestedStages(text, place);
  if (text && action !== 'drop' && stages.length === 0 && !place.leaf.isRejected)
    place.leaf.reject('InvalidField', place.at, 'needs at least one stage');
  return stages;
}

/** Nested stages arrive as YAML text, since a resource definition cannot describe itself; so they are checked here. */
function nestedStages(text: string | undefined, place: Place): readonly Section[] {
  if (text === undefined || text === '') return [];
  const stages = parsed(text, place);
  if (stages === undefined) return [];
  const { leaf, at } = place;
  if (!Array.isArray(stages)) {
    leaf.reject('InvalidField', at, 'must be a YAML list of pipeline stages');
    return [];
  }
  return pipelineStages(defined(stages, place), place);
}

/** What the definition of PodLogs makes of the stages; those that it refuses reject the leaf. */
export function defined(pipelineStages: readonly unknown[], { leaf, at }: Place): readonly PipelineStage[] {
  const { apiVersion, kind } = { apiVersion: 'monitoring.grafana.com/v1alpha1', kind: 'PodLogs' } as const;
  const outer = { apiVersion, kind, metadata: { name: 'nested' }, spec: { selector: {}, pipelineStages } };
  const { objects, findings } = takeInAs([outer as unknown as KubeObject], (name) => podLogsKinds().get(name));
  for (const { severity, field, message } of findings) {
    const place = field.replace('spec.pipelineStages', at);
    if (severity === 'error') leaf.reject('InvalidField', place, message.replaceAll('spec.pipelineStages', at));
    else leaf.warn('UnknownField', place, message);
  }
  return (objects[0] as PodLogs | undefined)?.spec.pipelineStages ?? [];
}

/** Of this definition alone: an operator has no use for the others. */
function podLogsKinds(): ReadonlyMap<string, CustomKind> {
  podLogs ??= new Map(kindsOf(JSON.parse(podlogsJson) as New<CustomResourceDefinition>));
  return podLogs;
}

let podLogs: ReadonlyMap<string, CustomKind> | undefined;

function parsed(text: string, { leaf, at }: Place): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    leaf.reject('InvalidField', at, `is no valid YAML: ${firstLine(error)}`);
    return undefined;
  }
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}

function metricSections(metrics: Readonly<Record<string, LogMetric>>, { leaf, at }: Place): Section {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, metric]) => {
      const place = { leaf, at: `${at}.${name}` };
      warnOfUnrendered(metric, { ...metricKind, ...metricConfig }, place);
      return [name, { ...sectionOf(metric, metricKind, place), config: sectionOf(metric, metricConfig, place) }];
    }),
  );
}

function metricType(own: string | undefined, { leaf, at }: Place): string {
  const named = own ?? '';
  const type = ['Counter', 'Gauge', 'Histogram'].find((name) => name.toLowerCase() === named.toLowerCase());
  if (type === undefined)
    leaf.reject('InvalidField', at, `"${named}" is no metric type: use counter, gauge or histogram`);
  return type ?? named;
}

function bucketNumbers(buckets: readonly string[], { leaf, at }: Place): readonly number[] {
  const numbers = buckets.map(Number);
  if (numbers.some((bucket) => !Number.isFinite(bucket)))
    leaf.reject('InvalidField', at, 'every bucket must be a number');
  return numbers;
}
