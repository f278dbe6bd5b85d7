import { formatExactJson, type KubeObject } from '@signalbox/cluster';
import type { LabelNames, RuleProblem } from '../relabel/problem.ts';
import type { RelabelRule } from '../relabel/rule.ts';
import type { Finding } from '../world/findings.ts';
import { type KeyReference, referenceId } from '../world/references.ts';
import { fieldOfRule, problemAsRead } from './checks.ts';
import type { Expansion } from './expansion.ts';
import type { Section } from './http.ts';
import { createLeaf, type Leaf, type Vault } from './leaf.ts';
import { toYamlText, type YamlText } from './yaml.ts';

/** A vault that can also tell whether what it would answer is still the same. */
export interface SourceVault extends Vault {
  /** The object that the answer comes from; the same object means the same answer. */
  sourceOf(reference: KeyReference): unknown;
}

/** The scrape jobs of one monitor. No jobs and an error among the findings: the monitor was left out. */
export interface RenderedJobs {
  readonly names: readonly string[];
  readonly texts: readonly YamlText[];
  /** For each job the fields that rules come from which are not the operator's, by their index in the job. */
  readonly ownRules: readonly ReadonlyMap<number, string>[];
  readonly findings: readonly Finding[];
  readonly isRejected: boolean;
  /** What the jobs read as files; none when the monitor was left out. */
  readonly files: readonly KeyReference[];
}

/**
 * Remembers the jobs of monitors for as long as the monitor's spec, the settings and the secrets it uses are the same objects,
 * so that a change of one monitor among ten thousand renders one. Holds nothing back: a monitor that is gone takes its
 * jobs with it.
 */
export interface JobCache {
  jobsOf<T extends KubeObject, Settings extends JobSettings>(monitor: T, job: JobOptions<T, Settings>): RenderedJobs;
}

export interface JobSettings {
  /** Monitors belong to everybody: which variables they may name. */
  readonly expansion: Expansion;
}

export interface JobOptions<T extends KubeObject, Settings extends JobSettings> {
  readonly settings: Settings;
  readonly vault: SourceVault;
  /** Part of the settings where it differs between roots. */
  readonly labelNames?: LabelNames;
  readonly render: (monitor: T, settings: Settings, leaf: Leaf) => readonly Section[];
}

interface Entry {
  /** Of the monitor. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly jobs: RenderedJobs;
  readonly uses: readonly Use[];
}

interface Use {
  readonly reference: KeyReference;
  readonly source: unknown;
  /** Undefined: its content is used, not its place. */
  readonly path: string | undefined;
}

/** More roots than this that share a monitor but differ in settings render it anew each time. */
const settingsMax = 8;

export function createJobCache(): JobCache {
  const bySpec = new WeakMap<object, Map<string, Entry>>();
  const settingsTexts = new WeakMap<object, string>();
  return {
    jobsOf(monitor, options) {
      const { settings, vault } = options;
      const id = settingsTexts.get(settings) ?? remember(settingsTexts, settings, formatExactJson(settings));
      // A new status leaves the spec as it is, the same object; where one spec stands in several manifests, keys differ.
      const { spec = monitor } = monitor as { readonly spec?: object };
      const entries = bySpec.get(spec) ?? remember(bySpec, spec, new Map<string, Entry>());
      const known = entries.get(id);
      if (known !== undefined && isOf(known, monitor) && isCurrent(known, vault)) return known.jobs;
      const entry = render(monitor, options);
      if (entries.size >= settingsMax) entries.clear();
      entries.set(id, entry);
      return entry.jobs;
    },
  };
}

// Setting what is there already costs more than looking.
function remember<K extends object, V>(all: WeakMap<K, V>, key: K, value: V): V {
  all.set(key, value);
  return value;
}

function isOf({ namespace, name }: Entry, { metadata }: KubeObject): boolean {
  return metadata.name === name && metadata.namespace === namespace;
}

function isCurrent({ uses }: Entry, vault: SourceVault): boolean {
  return uses.every(
    ({ reference, source, path }) =>
      vault.sourceOf(reference) === source && (path === undefined || vault.pathOf(reference) === path),
  );
}

function render<T extends KubeObject, Settings extends JobSettings>(
  monitor: T,
  options: JobOptions<T, Settings>,
): Entry {
  const { settings, vault, labelNames } = options;
  const noting = notingVault(vault);
  const leaf = createLeaf(monitor, noting.vault, {
    missingFile: 'reject',
    expansion: settings.expansion,
    labelNames,
  });
  const sections = options.render(monitor, settings, leaf);
  if (!leaf.isRejected) for (const section of sections) checkRules(section, { leaf, judge: judgeOf(settings, leaf) });
  const { isRejected, findings } = leaf;
  const { namespace, name } = monitor.metadata;
  const uses = noting.uses().map(({ reference, isFile }) => ({
    reference,
    source: vault.sourceOf(reference),
    path: isFile ? vault.pathOf(reference) : undefined,
  }));
  if (isRejected)
    return { jobs: { names: [], texts: [], ownRules: [], findings, isRejected, files: [] }, uses, namespace, name };
  const names = sections.map((section) => String(section['job_name']));
  const files = uses.filter(({ path }) => path !== undefined).map(({ reference }) => reference);
  const texts = sections.map((section) => toYamlText(leaf.settle(section)));
  const ownRules = sections.map(ownRulesOf);
  return { jobs: { names, texts, ownRules, findings, isRejected, files }, uses, namespace, name };
}

function ownRulesOf({ relabel_configs: rules = [] }: Section): ReadonlyMap<number, string> {
  const fields = (rules as readonly RelabelRule[]).flatMap((rule, index) => {
    const field = fieldOfRule(rule);
    return field === undefined ? [] : [[index, field] as const];
  });
  return fields.length === 0 ? none : new Map(fields);
}

const none: ReadonlyMap<number, string> = new Map();

/**
 * The rules of a finished job, also those that were made from selectors, ports and label names, which no definition
 * checks: a port called `(` would be refused together with everybody's jobs.
 */
function checkRules(section: Section, { leaf, judge }: { readonly leaf: Leaf; readonly judge: Judge }): void {
  for (const list of ['relabel_configs', 'metric_relabel_configs'])
    for (const rule of (section[list] ?? []) as readonly RelabelRule[]) {
      const problem = judge(rule);
      if (problem === undefined) continue;
      const about = rule.source_labels?.join(' and ') ?? rule.target_label ?? '';
      leaf.reject(
        'InvalidField',
        '',
        `the rule that it makes on ${about} is refused: ${problem.field} ${problem.message}`,
      );
      return;
    }
}

type Judge = (rule: RelabelRule) => RuleProblem | undefined;

/** Rules that are frozen stand in the jobs of all monitors, and what is wrong with one depends on the settings alone. */
function judgeOf(settings: JobSettings, leaf: Leaf): Judge {
  const known = judged.get(settings) ?? new Map<RelabelRule, RuleProblem | undefined>();
  judged.set(settings, known);
  return (rule) => {
    if (known.has(rule)) return known.get(rule);
    const problem = problemAsRead(rule, leaf);
    if (Object.isFrozen(rule)) known.set(rule, problem);
    return problem;
  };
}

const judged = new WeakMap<JobSettings, Map<RelabelRule, RuleProblem | undefined>>();

/** A vault that writes down what it is asked, once per reference. */
export interface NotingVault {
  readonly vault: Vault;
  uses(): readonly { readonly reference: KeyReference; readonly isFile: boolean }[];
}

export function notingVault(vault: Vault): NotingVault {
  const texts = new Map<string, KeyReference>();
  const files = new Set<string>();
  const note = (reference: KeyReference): KeyReference => {
    texts.set(referenceId(reference), reference);
    return reference;
  };
  return {
    vault: {
      lookup: (reference) => vault.lookup(note(reference)),
      pathOf: (reference) => {
        files.add(referenceId(note(reference)));
        return vault.pathOf(reference);
      },
    },
    uses: () => [...texts].map(([id, reference]) => ({ reference, isFile: files.has(id) })),
  };
}
