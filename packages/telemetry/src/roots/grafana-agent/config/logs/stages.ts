import type { KubeObject } from '@signalbox/cluster';
import { takeIn } from '../../../../operator/intake.ts';
import type { LogMetric, PipelineStage, PodLogs } from '../../../../resources/pod-logs.ts';
import type { Place } from '../../../../scrape/checks.ts';
import { given } from '../../../../scrape/given.ts';
import type { Section } from '../../../../scrape/http.ts';
import { parseYaml } from '../../../../scrape/yaml.ts';
import { checkStage } from './stage-checks.ts';

/** Log pipeline stages, spelled as the agent reads them. */
export function pipelineStages(stages: readonly PipelineStage[], { leaf, at }: Place): readonly Section[] {
  return stages.flatMap((stage, index) => stageSections(stage, { leaf, at: `${at}[${index}]` }));
}

/** An entry with several members becomes several stages in the order of this table: the agent takes one per entry. */
function stageSections(stage: PipelineStage, { leaf, at }: Place): readonly Section[] {
  const known = Object.entries(renderers).filter(([name]) => stage[name as keyof PipelineStage] !== undefined);
  for (const name of Object.keys(stage))
    if (!Object.hasOwn(renderers, name)) leaf.reject('InvalidField', `${at}.${name}`, `"${name}" is no pipeline stage`);
  if (known.length > 1)
    leaf.warn(
      'FieldIgnored',
      at,
      `${known.map(([name]) => name).join(' and ')} share one entry: their order is not defined`,
    );
  checkStage(stage, { leaf, at });
  return known.map(([name, render]) => render(stage, { leaf, at: `${at}.${name}` }));
}

type Renderer = (stage: PipelineStage, place: Place) => Section;

const renderers: Readonly<Record<keyof PipelineStage, Renderer>> = {
  cri: () => ({ cri: {} }),
  docker: () => ({ docker: {} }),
  drop: ({ drop }) => ({
    drop: given({
      source: drop?.source,
      expression: drop?.expression,
      value: drop?.value,
      older_than: drop?.olderThan,
      longer_than: drop?.longerThan,
      drop_counter_reason: drop?.dropCounterReason,
    }),
  }),
  json: ({ json }) => ({ json: { expressions: json?.expressions ?? {}, ...given({ source: json?.source }) } }),
  labelAllow: ({ labelAllow }) => ({ labelallow: labelAllow ?? [] }),
  labelDrop: ({ labelDrop }) => ({ labeldrop: labelDrop ?? [] }),
  labels: ({ labels }) => ({ labels: labels ?? {} }),
  limit: ({ limit }) => ({
    limit: { ...given({ rate: limit?.rate, burst: limit?.burst }), drop: limit?.drop ?? false },
  }),
  match: matchStage,
  metrics: ({ metrics }, place) => ({
    metrics: Object.fromEntries(
      Object.entries(metrics ?? {}).map(([name, metric]) => [
        name,
        metricSection(metric, { ...place, at: `${place.at}.${name}` }),
      ]),
    ),
  }),
  multiline: ({ multiline }) => ({
    multiline: given({
      firstline: multiline?.firstLine,
      max_wait_time: multiline?.maxWaitTime,
      max_lines: multiline?.maxLines,
    }),
  }),
  output: ({ output }) => ({ output: { source: output?.source ?? '' } }),
  pack: ({ pack }) => ({ pack: { labels: pack?.labels ?? [], ...given({ ingest_timestamp: pack?.ingestTimestamp }) } }),
  regex: ({ regex }) => ({ regex: { expression: regex?.expression ?? '', ...given({ source: regex?.source }) } }),
  replace: ({ replace }) => ({
    replace: {
      expression: replace?.expression ?? '',
      ...given({ source: replace?.source }),
      // Replacing by nothing is what this stage is often for.
      ...(replace?.replace !== undefined && { replace: replace.replace }),
    },
  }),
  template: ({ template }) => ({ template: { source: template?.source ?? '', template: template?.template ?? '' } }),
  tenant: ({ tenant }) => ({ tenant: given({ label: tenant?.label, source: tenant?.source, value: tenant?.value }) }),
  timestamp: ({ timestamp }) => ({
    timestamp: {
      source: timestamp?.source ?? '',
      format: timestamp?.format ?? '',
      ...given({
        fallback_formats: timestamp?.fallbackFormats,
        location: timestamp?.location,
        action_on_failure: timestamp?.actionOnFailure,
      }),
    },
  }),
};

function matchStage({ match }: PipelineStage, { leaf, at }: Place): Section {
  const stages = nestedStages(match?.stages, { leaf, at: `${at}.stages` });
  if (match?.stages && match.action !== 'drop' && stages.length === 0 && !leaf.isRejected)
    leaf.reject('InvalidField', `${at}.stages`, 'needs at least one stage');
  return {
    match: {
      selector: match?.selector ?? '',
      ...given({
        stages,
        action: match?.action,
        pipeline_name: match?.pipelineName,
        drop_counter_reason: match?.dropCounterReason,
      }),
    },
  };
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
  const { objects, findings } = takeIn([outer as unknown as KubeObject]);
  for (const { severity, field, message } of findings) {
    const place = field.replace('spec.pipelineStages', at);
    if (severity === 'error') leaf.reject('InvalidField', place, message.replaceAll('spec.pipelineStages', at));
    else leaf.warn('UnknownField', place, message);
  }
  return (objects[0] as PodLogs | undefined)?.spec.pipelineStages ?? [];
}

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

function metricSection(metric: LogMetric, { leaf, at }: Place): Section {
  const type = ['Counter', 'Gauge', 'Histogram'].find((name) => name.toLowerCase() === metric.type.toLowerCase());
  if (type === undefined)
    leaf.reject('InvalidField', `${at}.type`, `"${metric.type}" is no metric type: use counter, gauge or histogram`);
  const buckets = (metric.buckets ?? []).map(Number);
  if (buckets.some((bucket) => !Number.isFinite(bucket)))
    leaf.reject('InvalidField', `${at}.buckets`, 'every bucket must be a number');
  return {
    type: type ?? metric.type,
    ...given({
      description: metric.description,
      prefix: metric.prefix,
      source: metric.source,
      max_idle_duration: metric.maxIdleDuration,
    }),
    config: {
      ...given({ match_all: metric.matchAll, count_entry_bytes: metric.countEntryBytes, value: metric.value }),
      action: metric.action,
      ...given({ buckets }),
    },
  };
}
