import { keep, type RelabelRule } from '../../../relabel/rule.ts';
import type { PipelineStage } from '../../../resources/pod-logs.ts';
import type { JobProblem } from '../../../scrape/additional.ts';
import type { Section } from '../../../scrape/http.ts';
import { createLeaf, type Leaf } from '../../../scrape/leaf.ts';
import { firstOf, forbidden, namedFile } from './files.ts';
import { templateProblem } from './logs/languages/go-template.ts';
import { namesEnvironment } from './logs/languages/template-functions.ts';
import { isPodPath, namespaceRule, pathLabel, podPaths } from './logs/paths.ts';
import { defined, pipelineStages } from './logs/stages.ts';
import type { LogsSettings } from './settings.ts';

/*
 * Additional jobs of a LogsInstance in another namespace than the root's: whoever writes them is a tenant, and Promtail
 * reads his words as they are.
 */

export interface TenantJobs {
  readonly problemOf: (job: Section) => JobProblem | undefined;
  /** The job such that it tails no files but those that it may. */
  readonly confined: (job: Section) => Section;
}

export function tenantLogJobs(
  leaf: Leaf,
  { denyFileAccess, ignoreNamespaceSelectors, expansion }: LogsSettings,
): TenantJobs {
  const namespaces = ignoreNamespaceSelectors ? [leaf.namespace] : undefined;
  const stageProblem = (stage: unknown, index: number): JobProblem | undefined => {
    const field = `.pipeline_stages[${index}]`;
    if (readsEnvironment(stage, leaf)) return { field, message: "would read the agents' environment" };
    if (denyFileAccess && hasKey(stage, 'geoip')) return { field, message: forbidden };
    const judge = createLeaf(unknownObject, emptyVault, { missingFile: 'warn', expansion });
    pipelineStages(asDefined([stage]), { leaf: judge, at: '' });
    return judge.isRejected ? { field, message: 'is a stage that Promtail refuses' } : undefined;
  };
  return {
    problemOf: (job) =>
      firstOf(listIn(job, 'pipeline_stages'), stageProblem) ??
      (denyFileAccess ? (namedFile(job) ?? staticPathProblem(job, namespaces)) : undefined),
    confined: (job) => (denyFileAccess ? withGuard(job, namespaces) : job),
  };
}

const unknownObject = {
  apiVersion: 'monitoring.grafana.com/v1alpha1',
  kind: 'LogsInstance',
  metadata: { name: '', uid: '', resourceVersion: '', creationTimestamp: '' },
};
const emptyVault = { lookup: () => ({ state: 'object missing' }) as const, pathOf: () => '' };

/** Any text of a stage, since Promtail spells the members of stages as it likes; and what is no template has no effect. */
function readsEnvironment(value: unknown, leaf: Leaf): boolean {
  if (typeof value === 'string') {
    return leaf
      .readings(value)
      .some((read) => namesEnvironment(read) && read.includes('{{') && templateProblem(read) !== undefined);
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => readsEnvironment(member, leaf));
}

/** A stage of `match` holds others. */
function hasKey(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => key === name || hasKey(member, name));
}

function staticPathProblem(job: Section, namespaces: readonly string[] | undefined): JobProblem | undefined {
  return firstOf(listIn(job, 'static_configs'), (config, index) => {
    const path = memberOf(memberOf(config, 'labels'), pathLabel);
    if (path === undefined || (typeof path === 'string' && isPodPath(path, namespaces))) return undefined;
    return { field: `.static_configs[${index}].labels.${pathLabel}`, message: forbidden };
  });
}

/** Targets without a path are those of other sources: nothing is tailed for them. */
function withGuard(job: Section, namespaces: readonly string[] | undefined): Section {
  const rules: readonly RelabelRule[] = [
    ...(namespaces === undefined ? [] : [namespaceRule]),
    keep(pathLabel, `|${podPaths(namespaces)}`),
  ];
  return { ...job, relabel_configs: [...listIn(job, 'relabel_configs'), ...rules] };
}

/**
 * Stages as a PodLogs spells them, to be judged by the same checks. One of another shape, or with members that a PodLogs
 * has not, is Promtail's to judge.
 */
function asDefined(stages: readonly unknown[]): readonly PipelineStage[] {
  return stages.flatMap((stage) => {
    const [entry, ...more] = isSection(stage) ? Object.entries(stage) : [];
    if (entry === undefined || more.length > 0) return [];
    const [name, body] = entry;
    const judge = createLeaf(unknownObject, emptyVault, { missingFile: 'warn', expansion: 'any' });
    const found = defined([{ [stageNames[name] ?? name]: asBody(name, body) }], { leaf: judge, at: '' });
    return judge.findings.length > 0 ? [] : found;
  });
}

const stageNames: Readonly<Record<string, string>> = { labelallow: 'labelAllow', labeldrop: 'labelDrop' };

function asBody(name: string, body: unknown): unknown {
  if (body === null) return {};
  if (!isSection(body)) return body;
  if (name === 'labels') return texts(body);
  if (name === 'metrics') return mapped(body, asMetric);
  if (name === 'json') return { ...camel(body), expressions: texts(body['expressions']) };
  if (name === 'match' && body['stages'] !== undefined)
    return { ...camel(body), stages: JSON.stringify(nested(listIn(body, 'stages'))) };
  return camel(body);
}

/** Stages that nobody here knows are stages all the same: a fine one stands for them. */
function nested(stages: readonly unknown[]): readonly PipelineStage[] {
  const known = asDefined(stages);
  return known.length === 0 && stages.length > 0 ? [{ cri: {} }] : known;
}

function asMetric(metric: unknown): unknown {
  if (!isSection(metric)) return metric;
  const { config, ...rest } = metric;
  if (!isSection(config)) return metric;
  const { buckets, value, ...own } = camel(config);
  return {
    ...camel(rest),
    ...own,
    ...(Array.isArray(buckets) && { buckets: buckets.map(String) }),
    ...(['string', 'number', 'boolean', 'bigint'].includes(typeof value) && { value: `${value as string}` }),
  };
}

/** Where nothing is said, the key is meant. */
function texts(members: unknown): unknown {
  return isSection(members) ? mapped(members, (member) => member ?? '') : members;
}

function camel(members: Section): Section {
  return Object.fromEntries(
    Object.entries(members).map(([key, member]) => [
      key === 'firstline' ? 'firstLine' : key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      member,
    ]),
  );
}

function mapped(members: Section, change: (member: unknown) => unknown): Section {
  return Object.fromEntries(Object.entries(members).map(([key, member]) => [key, change(member)]));
}

function listIn(section: Section, name: string): readonly unknown[] {
  const list = section[name];
  return Array.isArray(list) ? list : [];
}

function memberOf(value: unknown, name: string): unknown {
  return isSection(value) ? value[name] : undefined;
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
