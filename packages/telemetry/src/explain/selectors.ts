import { type KubeObject, keyOf, type ResourceType, resourceId } from '@signalbox/cluster';
import type { Collected, Desired, RootComponent } from '../operator/component.ts';
import type { Finding } from '../world/findings.ts';
import { SelectorError } from '../world/labels.ts';
import { type Picking, selectionOf } from '../world/pick.ts';
import { compileSelection, type Miss } from '../world/select.ts';
import type { World } from '../world/world.ts';
import type { JobView, ObjectRef, Problem, SelectorView } from './explanation.ts';
import { agentsOf } from './health.ts';
import { jobViews } from './job.ts';

/** A root of the world, with what it comes to. */
export interface BuiltRoot {
  readonly component: RootComponent;
  readonly root: KubeObject;
  readonly pickings: readonly Picking[];
  /** Undefined: another operator looks after it. */
  readonly desired: Desired | undefined;
}

export interface ExplainOptions {
  readonly components: readonly RootComponent[];
  readonly nowMs: number;
}

/** All roots, each built once. */
export function buildRoots(world: World, { components, nowMs }: ExplainOptions): readonly BuiltRoot[] {
  return components.flatMap((component) =>
    world.list(component.rootType).map((root) => ({
      component,
      root,
      pickings: component.pickings(root, world),
      desired: component.foreignBecause?.(root) === undefined ? component.build(root, world, { nowMs }) : undefined,
    })),
  );
}

interface Asked {
  readonly world: World;
  readonly type: ResourceType;
  /** How the jobs of a monitor are looked at; run on everything when absent. */
  readonly viewsOf?: ViewsOf;
}

export type ViewsOf = (collected: Collected, built: BuiltRoot) => readonly JobView[];

/** How everybody who could select a monitor takes it. An instance that some root selects is shown under that one alone. */
export function selectorViews(monitor: KubeObject, roots: readonly BuiltRoot[], asked: Asked): readonly SelectorView[] {
  const views = roots.flatMap((built) =>
    built.pickings
      .filter(({ type }) => resourceId(type) === resourceId(asked.type))
      .map((picking) => selectorView(monitor, picking, { ...asked, built })),
  );
  const reached = new Set(views.filter(({ beyond }) => beyond === undefined).map(({ by }) => JSON.stringify(by)));
  return views.filter(({ by, beyond }) => beyond === undefined || !reached.has(JSON.stringify(by)));
}

function selectorView(
  monitor: KubeObject,
  picking: Picking,
  { world, built, viewsOf }: Asked & { readonly built: BuiltRoot },
): SelectorView {
  const { root, pickings, desired } = built;
  const collected = collectedOf(monitor, desired).filter(({ by }) => isSame(by, picking.by));
  return {
    root: refOf(root),
    by: refOf(picking.by),
    field: picking.field,
    namespacesField: picking.namespacesField,
    misses: missesOf(monitor, picking, world),
    beyond: isSame(picking.by, root) ? undefined : beyond(picking.by, pickings, world),
    withheld: withheldReason(built),
    isLeftOut: collected.some(({ jobs }) => jobs.isRejected),
    problems: problemsOf(desired?.findings ?? [], [monitor, picking.by, root]),
    agents: collected.length === 0 || picking.by.kind === 'LogsInstance' ? [] : agentsOf(built, world),
    jobs: collected.flatMap(
      (each) => viewsOf?.(each, built) ?? jobViews(each, { world, root, shards: desired?.shards ?? 1 }),
    ),
  };
}

// Whoever asks for one target asks for every monitor.
const byMonitor = new WeakMap<Desired, ReadonlyMap<string, readonly Collected[]>>();

function collectedOf(monitor: KubeObject, desired: Desired | undefined): readonly Collected[] {
  if (desired === undefined) return [];
  const known = byMonitor.get(desired) ?? groupedByMonitor(desired.collected);
  byMonitor.set(desired, known);
  return known.get(idOf(monitor)) ?? [];
}

function groupedByMonitor(collected: readonly Collected[]): ReadonlyMap<string, readonly Collected[]> {
  const groups = new Map<string, Collected[]>();
  for (const each of collected) {
    const group = groups.get(idOf(each.monitor));
    if (group === undefined) groups.set(idOf(each.monitor), [each]);
    else group.push(each);
  }
  return groups;
}

function idOf(object: KubeObject): string {
  return `${object.apiVersion} ${object.kind} ${keyOf(object)}`;
}

function beyond(instance: KubeObject, pickings: readonly Picking[], world: World): SelectorView['beyond'] {
  const picking = pickings.find(({ type }) => type.kind === instance.kind);
  if (picking === undefined) return undefined;
  const misses = missesOf(instance, picking, world);
  return misses.length === 0 ? undefined : { field: picking.field, namespacesField: picking.namespacesField, misses };
}

export function missesOf(object: KubeObject, picking: Picking, world: World): readonly Miss[] {
  try {
    return compileSelection(selectionOf(picking), world.get).misses(object);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return [{ of: 'labels', reason: `the selector cannot be evaluated: ${error.message}` }];
  }
}

/** Why the configuration that stands is not written, or not by us. */
function withheldReason({ component, root, desired }: BuiltRoot): string | undefined {
  const foreign = component.foreignBecause?.(root);
  if (desired === undefined || foreign !== undefined) return `another operator looks after it: ${foreign}`;
  if (component.isPaused?.(root) === true)
    return 'it is paused (spec.paused): its agents keep the configuration that they have';
  const error = desired.findings.find(({ severity, regarding }) => severity === 'error' && isSame(regarding, root));
  if (error === undefined) return undefined;
  const place = error.field === '' ? '' : `${error.field}: `;
  return `it has an error of its own (${place}${error.message}), so its agents keep the configuration that they have`;
}

/** Of the root only what stops everything; of the others warnings too. */
function problemsOf(
  findings: readonly Finding[],
  [monitor, by, root]: readonly [KubeObject, KubeObject, KubeObject],
): readonly Problem[] {
  const told = findings
    .filter(({ regarding, severity }) =>
      isSame(regarding, root) ? severity === 'error' : isSame(regarding, monitor) || isSame(regarding, by),
    )
    .map(({ severity, regarding, field, message }) => ({ severity, regarding: refOf(regarding), field, message }));
  return [...new Map(told.map((each) => [JSON.stringify(each), each])).values()];
}

export function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.kind === b.kind && a.apiVersion === b.apiVersion && keyOf(a) === keyOf(b);
}

export function refOf({ kind, metadata }: KubeObject): ObjectRef {
  const { namespace, name } = metadata;
  return { kind, ...(namespace !== undefined && { namespace }), name };
}
