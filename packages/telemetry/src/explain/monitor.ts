import type { KubeObject, ResourceType } from '@signalbox/cluster';
import type { Finding } from '../world/findings.ts';
import type { World } from '../world/world.ts';
import { byHandNotes, jobsByHand } from './by-hand.ts';
import { diagnose } from './diagnosis.ts';
import { describeRef, type JobView, type MonitorExplanation, type Outcome, type SelectorView } from './explanation.ts';
import { type BuiltRoot, buildRoots, type ExplainOptions, refOf, selectorViews } from './selectors.ts';

/** Why a monitor is scraped, or is not; undefined: there is none of that name. Pure. */
export function explainMonitor(
  world: World,
  { type, key }: { readonly type: ResourceType; readonly key: string },
  options: ExplainOptions,
): MonitorExplanation | undefined {
  const monitor = world.get(type, key);
  if (monitor === undefined) return undefined;
  const roots = buildRoots(world, options);
  const explanation = explained(monitor, { world, type, roots });
  if (explanation.outcome === 'scraped') return explanation;
  const byHand = byHandNotes(monitor, jobsByHand(roots, world), world);
  return { ...explanation, notes: [...explanation.notes, ...byHand] };
}

export interface Explaining {
  readonly world: World;
  readonly type: ResourceType;
  readonly roots: readonly BuiltRoot[];
}

export function explained(monitor: KubeObject, { world, type, roots }: Explaining): MonitorExplanation {
  const selectors = selectorViews(monitor, roots, { world, type });
  return {
    monitor: refOf(monitor),
    ...summaryOf(monitor, selectors, world),
    notes: notesOf(selectors),
    selectors,
  };
}

/** Of a manifest that a server would not take. */
export function explainRefused(manifest: KubeObject, findings: readonly Finding[]): MonitorExplanation {
  const [first] = findings;
  const place = first === undefined || first.field === '' ? '' : `${first.field}: `;
  return {
    monitor: refOf(manifest),
    outcome: 'refused',
    cause: `an API server would refuse it: ${place}${first?.message ?? ''}`,
    mend: '',
    notes: findings.slice(1).map(({ field, message }) => `${field}: ${message}`),
    selectors: [],
  };
}

export function findingsOf(manifest: KubeObject, findings: readonly Finding[]): readonly Finding[] {
  const id = (object: KubeObject): string =>
    JSON.stringify([object.apiVersion, object.kind, object.metadata.namespace ?? 'default', object.metadata.name]);
  return findings.filter(({ regarding }) => id(regarding) === id(manifest));
}

interface Summary {
  readonly outcome: Outcome;
  readonly cause: string;
  readonly mend: string;
}

/** Why nobody makes jobs of a monitor; undefined: somebody does. */
export function idleSummary(monitor: KubeObject, views: readonly SelectorView[]): Summary | undefined {
  const selecting = views.filter(({ misses, beyond }) => misses.length === 0 && beyond === undefined);
  if (selecting.length === 0) return notSelected(monitor, views);
  const working = selecting.filter(isWorking);
  if (working.length > 0) return undefined;
  const leftOut = selecting.find(({ isLeftOut }) => isLeftOut);
  if (leftOut !== undefined) return leftOutBy(leftOut);
  const withheld = selecting.find((view) => view.withheld !== undefined);
  return (
    withheld && {
      outcome: 'withheld',
      cause: `${describeRef(withheld.root)} selects it, but ${withheld.withheld}`,
      mend: '',
    }
  );
}

function summaryOf(monitor: KubeObject, views: readonly SelectorView[], world: World): Summary {
  const idle = idleSummary(monitor, views);
  if (idle !== undefined) return idle;
  const jobs = views.filter(isWorking).flatMap((view) => view.jobs);
  if (jobs.some(hasTargets)) return { outcome: 'scraped', cause: '', mend: '' };
  const [job] = jobs;
  if (job === undefined) return { outcome: 'no targets', cause: 'it has no endpoints', mend: 'say what to scrape' };
  const unknown = jobs.some((each) => each.unknown.length > 0);
  return { outcome: unknown ? 'unknown' : 'no targets', ...diagnose(monitor, nearestJob(jobs), world) };
}

function isWorking({ misses, beyond, withheld, isLeftOut }: SelectorView): boolean {
  return misses.length === 0 && beyond === undefined && withheld === undefined && !isLeftOut;
}

function hasTargets({ targets }: JobView): boolean {
  return targets.some(({ fate }) => fate.kept);
}

/** That with targets, however they end. */
function nearestJob(jobs: readonly JobView[]): JobView {
  const [first] = [...jobs].sort((a, b) => b.targets.length - a.targets.length);
  return first as JobView;
}

function leftOutBy({ by, problems }: SelectorView): Summary {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [error] = errors;
  const place = error === undefined || error.field === '' ? '' : `${error.field}: `;
  return {
    outcome: 'left out',
    cause: `${describeRef(by)} selects it and leaves it out: ${place}${error?.message ?? 'something in it is wrong'}`,
    mend: '',
  };
}

/** What comes nearest: the fewest labels, and none whose selector is not even set. */
function notSelected(monitor: KubeObject, views: readonly SelectorView[]): Summary {
  const [nearest] = [...views].sort((a, b) => distance(a) - distance(b));
  if (nearest === undefined)
    return {
      outcome: 'not selected',
      cause: `nobody is there who could select a ${monitor.kind}: ${collectors[monitor.kind] ?? 'no root'}`,
      mend: 'create one that selects it',
    };
  const { misses, beyond, by, root } = nearest;
  if (misses.length > 0) return { outcome: 'not selected', ...missed(monitor, { who: describeRef(by), ...nearest }) };
  const { cause, mend } = missed(by, { who: describeRef(root), field: '', namespacesField: '', misses: [], ...beyond });
  return {
    outcome: 'not selected',
    cause: `${describeRef(by)} selects it, but no agent runs that instance: ${cause}`,
    mend,
  };
}

const collectors: Readonly<Record<string, string>> = {
  PodLogs: 'there is no LogsInstance',
  ScrapeConfig: 'there is no Prometheus and no PrometheusAgent, and GrafanaAgents read none',
};

interface Missing extends Pick<SelectorView, 'field' | 'misses' | 'namespacesField'> {
  readonly who: string;
}

function missed(
  object: KubeObject | SelectorView['by'],
  { who, field, namespacesField, misses }: Missing,
): { readonly cause: string; readonly mend: string } {
  const parts = misses.map(({ of, reason }) => `${reason} (${of === 'namespaces' ? namespacesField : field})`);
  const [first] = misses;
  return {
    cause: `${who} does not select it: ${parts.join('; ')}`,
    mend: mendOf(first?.of, { who, field, namespacesField, kind: object.kind }),
  };
}

function mendOf(
  of: SelectorView['misses'][number]['of'] | undefined,
  {
    who,
    field,
    namespacesField,
    kind,
  }: { readonly who: string; readonly field: string; readonly namespacesField: string; readonly kind: string },
): string {
  switch (of) {
    case 'not set':
      return `set ${field} of ${who}: {} selects everything`;
    case 'namespaces':
      return `change ${namespacesField} of ${who} ({} means all namespaces), or the labels of the namespace, or move the ${kind}`;
    default:
      return `give the ${kind} the label, or change ${field} of ${who}`;
  }
}

function distance({ misses, beyond }: SelectorView): number {
  return [...misses, ...(beyond?.misses ?? [])].reduce((sum, { of }) => sum + (of === 'not set' ? 1_000 : 1), 0);
}

/** Warnings of what is used all the same. */
function notesOf(views: readonly SelectorView[]): readonly string[] {
  const warnings = views
    .filter(({ misses, beyond }) => misses.length === 0 && beyond === undefined)
    .flatMap(({ problems }) => problems)
    .filter(({ severity }) => severity === 'warning')
    .map(({ regarding, field, message }) => `${describeRef(regarding)}: ${field === '' ? '' : `${field}: `}${message}`);
  return [...new Set(warnings)];
}
