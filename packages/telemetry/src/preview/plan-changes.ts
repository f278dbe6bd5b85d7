import type { KubeObject } from '@signalbox/cluster';
import type { ObjectRef } from '../explain/explanation.ts';
import { imaginedAddresses, withImagined } from '../explain/imagined.ts';
import { refOf } from '../explain/selectors.ts';
import type { Finding } from '../world/findings.ts';
import type { World } from '../world/world.ts';
import { builtIn, type ConfigurationChange, configurationChanges, type Side } from './configuration-changes.ts';
import { type ForetellOptions, foretell, type Said } from './foretell.ts';
import { createImaginedServer, placeOf } from './imagined-server.ts';
import { type ObjectChange, objectChanges, type Pair, pairs } from './object-changes.ts';
import { type TargetChanges, targetChanges } from './target-changes.ts';
import { type WorkloadChange, workloadChanges } from './workload-changes.ts';

/** What would come of edits, before anything happens. Holds no value of a Secret. */
export interface PlannedChanges {
  /** What the edits themselves change. */
  readonly edits: readonly ObjectChange[];
  /** What the operator then does. */
  readonly objects: readonly ObjectChange[];
  /** What becomes of pods. */
  readonly workloads: readonly WorkloadChange[];
  readonly configurations: readonly ConfigurationChange[];
  /** What is scraped by whom, of jobs that change. */
  readonly targets: readonly TargetChanges[];
  /** What the operator says on the way: the steps of hand-overs. */
  readonly events: readonly PlannedEvent[];
  /** What is wrong afterwards and was not before. */
  readonly findings: readonly PlannedFinding[];
  /** It did not come to rest: what is told is how far it came. */
  readonly isEndless: boolean;
}

export interface PlannedEvent {
  readonly regarding: ObjectRef;
  readonly reason: string;
  readonly note: string;
}

export interface PlannedFinding {
  readonly regarding: ObjectRef;
  readonly severity: Finding['severity'];
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

export interface PlanOptions extends ForetellOptions {
  /** The objects are manifests alone: what a cluster would add for discovery to find is imagined. */
  readonly imagines?: boolean;
}

/**
 * Everything that two states of a cluster differ in once the operator has done its work on the second: it is let act on an
 * imagined server. `before` is the first as it stands, `after` the same with the edits. Pure.
 */
export function planChanges(
  before: readonly KubeObject[],
  after: readonly KubeObject[],
  options: PlanOptions,
): PlannedChanges {
  const end = foretell(after, options);
  const edited = pairs(before, after);
  const settled = pairs(after, end.objects);
  const whole = changedPairs(edited, settled);
  const sides = [builtIn(createImaginedServer(before).world, options), builtIn(end.world, options)] as const;
  return {
    edits: objectChanges(edited),
    objects: objectChanges(settled, end.recreated),
    workloads: workloadChanges(whole, end.recreated),
    configurations: configurationChanges(whole, sides),
    targets: targetChanges(sides, discoveredIn([before, end.objects], sides, options)),
    events: end.said.filter(({ severity }) => severity === 'Normal').map(eventOf),
    findings: newFindings(sides, end.said),
    isEndless: end.isEndless,
  };
}

/** What discovery finds things in. */
function discoveredIn(
  states: readonly [readonly KubeObject[], readonly KubeObject[]],
  [before, after]: Sides,
  { imagines = false, components }: PlanOptions,
): readonly [World, World] {
  if (!imagines) return [before.world, after.world];
  const addressOf = imaginedAddresses();
  // Nobody deploys an operator's agents by hand, so there is nothing to imagine of them.
  const isMade = ({ metadata }: KubeObject): boolean =>
    components.some(({ managedBy }) => metadata.labels?.['app.kubernetes.io/managed-by'] === managedBy);
  const worldOf = (objects: readonly KubeObject[]): World =>
    createImaginedServer(
      withImagined(
        objects.filter((object) => !isMade(object)),
        addressOf,
      ),
    ).world;
  return [worldOf(states[0]), worldOf(states[1])];
}

type Sides = readonly [before: Side, after: Side];

export function hasChanges({ edits, objects }: PlannedChanges): boolean {
  return edits.length > 0 || objects.length > 0;
}

/** What of it happens in some namespaces. */
export function changesWithin(changes: PlannedChanges, namespaces: readonly string[]): PlannedChanges {
  const isTold = ({ namespace = '' }: ObjectRef): boolean => namespaces.includes(namespace);
  return {
    ...changes,
    edits: changes.edits.filter(({ object }) => isTold(object)),
    objects: changes.objects.filter(({ object }) => isTold(object)),
    workloads: changes.workloads.filter(({ workload }) => isTold(workload)),
    configurations: changes.configurations.filter(({ name }) => namespaces.some((each) => name.startsWith(`${each}/`))),
    targets: changes.targets.filter(({ root }) => isTold(root)),
    events: changes.events.filter(({ regarding }) => isTold(regarding)),
    findings: changes.findings.filter(({ regarding }) => isTold(regarding)),
  };
}

/** From before the edits to the end, of what either has touched. */
function changedPairs(
  edited: ReadonlyMap<string, Pair>,
  settled: ReadonlyMap<string, Pair>,
): ReadonlyMap<string, Pair> {
  const found = new Map<string, Pair>();
  for (const place of new Set([...edited.keys(), ...settled.keys()])) {
    const [first, last] = [edited.get(place) ?? settled.get(place), settled.get(place) ?? edited.get(place)];
    const pair = { before: first?.before, after: last?.after };
    if (pair.before !== pair.after) found.set(place, pair);
  }
  return found;
}

function eventOf({ regarding, reason, note }: Said): PlannedEvent {
  return { regarding: refOf(regarding), reason, note };
}

function newFindings([before, after]: Sides, said: readonly Said[]): readonly PlannedFinding[] {
  const all = (side: Side): readonly Finding[] => side.built.flatMap(({ desired }) => desired.findings);
  const known = new Set(all(before).map(idOf));
  const findings = all(after).filter((finding) => !known.has(idOf(finding)));
  const told = new Map(findings.map((finding) => [idOf(finding), plannedFinding(finding)]));
  // A name that somebody else has taken is found out on the way, not while building.
  for (const { regarding, severity, reason, note } of said)
    if (severity === 'Warning' && reason === 'NameTaken')
      told.set(`${placeOf(regarding)} ${note}`, {
        regarding: refOf(regarding),
        severity: 'error',
        reason,
        field: '',
        message: note,
      });
  return [...told.values()];
}

function plannedFinding({ regarding, severity, reason, field, message }: Finding): PlannedFinding {
  return { regarding: refOf(regarding), severity, reason, field, message };
}

function idOf({ regarding, reason, field, message }: Finding): string {
  return JSON.stringify([placeOf(regarding), reason, field, message]);
}
