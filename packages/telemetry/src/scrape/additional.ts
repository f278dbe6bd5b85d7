import type { KubeObject, SecretKeySelector } from '@signalbox/cluster';
import type { LabelNames } from '../relabel/problem.ts';
import type { RelabelRule } from '../relabel/rule.ts';
import { problemAsRead } from './checks.ts';
import type { CollectedJobs } from './collected.ts';
import type { Section } from './http.ts';
import type { Leaf } from './leaf.ts';
import { parseYaml, toYamlText } from './yaml.ts';

/** Why a job is left out. Quotes nothing of it: it comes from a Secret. */
export interface JobProblem {
  readonly field: string;
  readonly message: string;
}

const at = 'spec.additionalScrapeConfigs';

/**
 * Jobs that a user wrote in the agent's own words, taken over as they are. `taken` holds the names of the instance's
 * other jobs: the agent refuses a file in which two jobs share a name, so a second one is left out; `problemOf` tells what
 * else does not pass.
 */
export function additionalJobs(
  selector: SecretKeySelector | undefined,
  leaf: Leaf,
  taken: () => Iterable<string>,
  problemOf: (job: Section) => JobProblem | undefined = () => undefined,
): readonly Section[] {
  const text = leaf.secretText(selector, at);
  if (text === undefined) return [];
  const jobs = jobList(text, leaf);
  const names = new Set(taken());
  return jobs.flatMap((job, index) => {
    const problem = jobProblem(job, names, leaf) ?? problemOf(job);
    if (problem === undefined) {
      const name = String(job['job_name']);
      names.add(name);
      return [{ ...job, job_name: leaf.settleName(name) }];
    }
    leaf.warn('JobLeftOut', `${at}[${index}]${problem.field}`, `${problem.message}: this job is left out`);
    return [];
  });
}

/** A job as it stands in the configuration. */
export interface WrittenJob {
  readonly section: Section;
  /** So many of its rules, the first, are its own. */
  readonly ownRules: number;
}

/** The jobs with what is added to all of them. */
export function writtenJobs(
  jobs: readonly Section[],
  change: (job: Section) => Section = (job) => job,
): readonly WrittenJob[] {
  return jobs.map((job) => {
    const { relabel_configs: own } = job;
    return { section: change(job), ownRules: Array.isArray(own) ? own.length : 0 };
  });
}

/** The jobs for who wants to know what they find: the Secret stands in the place of a monitor. */
export function collectedByHand(
  jobs: readonly WrittenJob[],
  {
    by,
    selector,
    leaf,
  }: { readonly by: KubeObject; readonly selector: SecretKeySelector | undefined; readonly leaf: Leaf },
): readonly CollectedJobs[] {
  if (selector === undefined || jobs.length === 0 || leaf.isRejected) return [];
  const { namespace } = by.metadata;
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...(namespace !== undefined && { namespace }),
      name: selector.name ?? '',
      uid: '',
      resourceVersion: '',
      creationTimestamp: '',
    },
  };
  const rendered = {
    names: jobs.map(({ section }) => String(section['job_name'])),
    texts: jobs.map(({ section }) => toYamlText(leaf.settle(section))),
    ownRules: jobs.map(
      ({ ownRules }) => new Map(Array.from({ length: ownRules }, (_, index) => [index, `relabel_configs[${index}]`])),
    ),
    findings: [],
    isRejected: false,
    files: [],
  };
  return [{ by, monitor: secret, jobs: rendered }];
}

/** What would make the agent refuse the whole file. */
function jobProblem(job: Section, names: ReadonlySet<string>, leaf: Leaf): JobProblem | undefined {
  const name = job['job_name'];
  if (typeof name !== 'string' || name === '') return { field: '.job_name', message: 'every job needs a name' };
  if (names.has(name)) return { field: '.job_name', message: 'another job has the same name already' };
  for (const list of ['relabel_configs', 'metric_relabel_configs']) {
    const rules = job[list] ?? [];
    if (!Array.isArray(rules) || !rules.every(isSection)) return { field: `.${list}`, message: 'is no list of rules' };
    const wrong = rules.findIndex((rule) => isWrong(rule, leaf, ownLabelNames(job)));
    if (wrong >= 0) return { field: `.${list}[${wrong}]`, message: 'is no valid rule' };
  }
  return undefined;
}

/** A job may choose for itself. */
function ownLabelNames({ metric_name_validation_scheme: scheme }: Section): LabelNames | undefined {
  return scheme === 'legacy' || scheme === 'utf8' ? scheme : undefined;
}

const textFields = ['separator', 'target_label', 'regex', 'replacement', 'action'];

/** Only what is certain: a rule of an unusual shape is the agent's to judge. */
function isWrong(rule: Section, leaf: Leaf, labelNames: LabelNames | undefined): boolean {
  const sources = rule['source_labels'] ?? [];
  const isPlain =
    Array.isArray(sources) &&
    sources.every((each) => typeof each === 'string') &&
    textFields.every((field) => rule[field] === undefined || typeof rule[field] === 'string');
  const { action, ...rest } = rule as RelabelRule;
  if (!isPlain) return false;
  const spelled = { ...rest, ...(action !== undefined && { action: action.toLowerCase() }) };
  return problemAsRead(spelled, leaf, labelNames) !== undefined;
}

function jobList(text: string, leaf: Leaf): readonly Section[] {
  try {
    const value = parseYaml(text) ?? [];
    if (Array.isArray(value) && value.every(isSection)) return value;
    leaf.reject('InvalidField', at, 'must hold a YAML list of scrape jobs');
  } catch {
    // The parser's message quotes the text, and the text is a secret.
    leaf.reject('InvalidField', at, 'is no valid YAML');
  }
  return [];
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
