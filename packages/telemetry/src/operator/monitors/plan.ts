import { type Action, equal, type KubeObject, type Plan, type ResourceType, toTimestamp } from '@signalbox/cluster';
import { type Condition, conditionsOf, type Fact } from '../../resources/condition.ts';
import type { Wrong } from '../figures.ts';
import { soonest } from '../soonest.ts';
import {
  type Barrenness,
  type BarrenSince,
  barrenEvent,
  barrennessOf,
  foundFact,
  noTargets,
  targetsFound,
} from './barren.ts';
import type { Told } from './ledger.ts';
import type { Reach } from './reach.ts';

/** What the status of a kind of monitor can hold in this cluster. Upstream's definitions differ by their age. */
export interface StatusDoor {
  readonly hasBindings: boolean;
  readonly hasConditions: boolean;
}

export interface ObservedMonitor {
  readonly type: ResourceType;
  readonly monitor: KubeObject;
  readonly told: readonly Told[];
  /** What it finds for each of them. */
  readonly reaches: readonly Reach[];
  /** All roots have been built once: nobody else will say anything. */
  readonly isComplete: boolean;
  /** There is a root of ours that could select it, and none of another operator that might. */
  readonly isOursAlone: boolean;
  /** There is no root at all that could select it: what we said of that is no longer true, and not worth saying again. */
  readonly isRootless: boolean;
  readonly door: StatusDoor;
  /** Which bindings are not ours to change: those to kinds and roots of others. */
  readonly isForeign: (binding: Binding) => boolean;
}

export interface MonitorMemory {
  /** Since when nobody selects it; undefined: somebody does. */
  readonly lonelySinceMs: number | undefined;
  readonly isTold: boolean;
  readonly barrenSince?: BarrenSince;
  readonly isBarrenTold?: boolean;
}

export interface Binding {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly conditions?: readonly Condition[];
}

interface MonitorStatus {
  readonly bindings?: readonly Binding[];
  readonly conditions?: readonly Condition[];
}

/** A monitor that comes with its root, in one folder, is nobody's for a moment. */
const graceMs = 30_000;
const againMs = 1_000;

/** Writes on a monitor who has taken it, and tells its owner when nobody has, or nothing is found. Nothing is written twice. */
export function planMonitor(
  observed: ObservedMonitor,
  { nowMs, memory }: { readonly nowMs: number; readonly memory: MonitorMemory | undefined },
): Plan<MonitorMemory> {
  const { monitor, told, reaches, isComplete, isOursAlone } = observed;
  // After a start the roots come one by one: what stands is true until all have spoken.
  if (!isComplete) return { actions: [], againInMs: againMs, ...(memory !== undefined && { memory }) };
  const isLonely = told.length === 0 && isOursAlone;
  const lonelySinceMs = isLonely ? (memory?.lonelySinceMs ?? nowMs) : undefined;
  const waitMs = lonelySinceMs === undefined ? 0 : lonelySinceMs + graceMs - nowMs;
  const isGivenUp = isLonely && waitMs <= 0;
  const wasTold = memory?.isTold === true || saidSo(monitor, selected);
  const seen = told.map((each, index) => ({ told: each, reach: reaches[index] ?? ({ finds: 'unknown' } as const) }));
  const barrenness = barrennessOf(seen, { nowMs, since: memory?.barrenSince });
  const { overall } = barrenness;
  const isBarren = typeof overall !== 'string';
  const wasBarrenTold = memory?.isBarrenTold ?? wasSaidBefore(observed);
  const wait = soonest([waitMs > 0 ? waitMs : undefined, barrenness.againInMs]);
  return {
    actions: [
      ...statusActions(observed, { isGivenUp, barrenness, nowMs }),
      ...(isGivenUp && !wasTold ? [lonelyEvent(monitor)] : []),
      ...(isBarren && !wasBarrenTold ? [barrenEvent(monitor, overall.message)] : []),
    ],
    againInMs: wait,
    memory: {
      lonelySinceMs,
      isTold: isGivenUp,
      barrenSince: barrenness.since,
      isBarrenTold: isBarren || (overall === 'as it was' && wasBarrenTold),
    },
  };
}

/** What its owner has been told. */
export function wrongWith(kind: string, memory: MonitorMemory | undefined): readonly Wrong[] {
  const reasons = [...(memory?.isTold ? [notSelected] : []), ...(memory?.isBarrenTold ? [noTargets] : [])];
  return reasons.map((reason) => ({ kind, reason, severity: 'warning' }));
}

function lonelyEvent(monitor: KubeObject): Action {
  return { do: 'emit', regarding: monitor, type: 'Warning', reason: notSelected, note: lonelyText(monitor) };
}

const notSelected = 'NotSelected';
const selected = 'Selected';

function lonelyText({ kind, metadata }: KubeObject): string {
  return `nobody selects it, so nothing of it is collected; signalbox explain ${kind.toLowerCase()} ${metadata.name} -n ${metadata.namespace ?? 'default'} says why`;
}

function statusOf(monitor: KubeObject): MonitorStatus | undefined {
  return (monitor as { readonly status?: MonitorStatus }).status;
}

/** The one who was here before has told it already. */
function saidSo(monitor: KubeObject, fact: string): boolean {
  return statusOf(monitor)?.conditions?.some(({ type, status }) => type === fact && status === 'False') === true;
}

/** By an operator before this one. */
function wasSaidBefore({ monitor, door }: ObservedMonitor): boolean {
  if (door.hasConditions) return saidSo(monitor, targetsFound);
  const { bindings = [] } = statusOf(monitor) ?? {};
  return (
    bindings.length > 0 &&
    bindings.every(({ conditions = [] }) => conditions.some(({ reason }) => reason === noTargets))
  );
}

interface Moment {
  readonly isGivenUp: boolean;
  readonly barrenness: Barrenness;
  readonly nowMs: number;
}

function statusActions(observed: ObservedMonitor, moment: Moment): readonly Action[] {
  const { type, monitor, door } = observed;
  if (!door.hasBindings && !door.hasConditions) return [];
  const before = statusOf(monitor);
  const bindings = door.hasBindings ? bindingsOf(observed, moment) : [];
  const conditions = door.hasConditions ? ownConditions(observed, moment) : undefined;
  const { bindings: _old, ...rest } = before ?? {};
  const status: MonitorStatus = {
    ...rest,
    ...(bindings.length > 0 && { bindings }),
    ...(conditions !== undefined && { conditions }),
  };
  // An empty list says what no list says.
  const { bindings: had = [], ...others } = before ?? {};
  if (equal({ ...status, bindings }, { ...others, bindings: had })) return [];
  return [{ do: 'setStatus', type, object: { ...monitor, status } as KubeObject }];
}

function bindingsOf({ monitor, told, isForeign }: ObservedMonitor, { barrenness, nowMs }: Moment): readonly Binding[] {
  const before = statusOf(monitor)?.bindings ?? [];
  const own = told
    .filter(({ rootType }) => rootType.group === bindable)
    .map((each): Binding => {
      const { rootType, namespace, name } = each;
      const place = { group: rootType.group, resource: rootType.resource, namespace, name };
      const old = before.find((binding) => isSamePlace(binding, place))?.conditions ?? [];
      const conditions = conditionsOf([acceptedFact(each, old, barrenness)], {
        before: old,
        generation: monitor.metadata.generation,
        now: toTimestamp(nowMs),
      });
      return { ...place, conditions };
    });
  return [...before.filter(isForeign), ...own];
}

/** Upstream's definition lets no other type stand there, so that nothing is found is the reason of one that is accepted. */
function acceptedFact(told: Told, before: readonly Condition[], { says }: Barrenness): Fact {
  const type = 'Accepted';
  if (told.refusal !== '') return { type, status: 'False', reason: 'InvalidConfiguration', message: told.refusal };
  const say = says.get(told) ?? 'found';
  const old = before.find(({ reason }) => reason === noTargets);
  if (say === 'as it was' && old !== undefined)
    return { type, status: 'True', reason: noTargets, message: old.message };
  return typeof say === 'string'
    ? { type, status: 'True', reason: '', message: '' }
    : { type, status: 'True', reason: noTargets, message: say.message };
}

// What a binding may name stands in upstream's definitions, and the Grafana Agent is not among it.
const bindable = 'monitoring.coreos.com';

function isSamePlace(a: Binding, b: Binding): boolean {
  return a.group === b.group && a.resource === b.resource && a.namespace === b.namespace && a.name === b.name;
}

/** Whoever selects it, also those that no binding can name, and whether anything is found. Undefined: there was nothing, and is nothing to say. */
function ownConditions(
  { monitor, told, isRootless }: ObservedMonitor,
  { isGivenUp, barrenness: { overall }, nowMs }: Moment,
): readonly Condition[] | undefined {
  const before = statusOf(monitor)?.conditions ?? [];
  const isKnown = before.some(({ type }) => type === targetsFound);
  const facts = [selectedFact(monitor, told, isGivenUp), foundFact(overall, isKnown)].filter(
    (fact) => fact !== undefined,
  );
  const isOver = (type: string): boolean =>
    (type === targetsFound && overall === 'unknown') || (type === selected && isRootless);
  const stays = before.filter(({ type }) => !isOver(type));
  if (facts.length === 0 && stays.length === before.length) return statusOf(monitor)?.conditions;
  const conditions = conditionsOf(facts, { before, generation: monitor.metadata.generation, now: toTimestamp(nowMs) });
  const isSame =
    (a: Condition) =>
    (b: Condition): boolean =>
      a.type === b.type;
  // Each stays where it is: another order would be another status.
  return [
    ...stays.map((condition) => conditions.find(isSame(condition)) ?? condition),
    ...conditions.filter((condition) => !stays.some(isSame(condition))),
  ];
}

function selectedFact(monitor: KubeObject, told: readonly Told[], isGivenUp: boolean): Fact | undefined {
  if (isGivenUp) return { type: selected, status: 'False', reason: notSelected, message: lonelyText(monitor) };
  if (told.length === 0) return undefined;
  const names = told.map(
    ({ rootType, namespace, name, refusal }) =>
      `${rootType.kind} ${namespace}/${name}${refusal === '' ? '' : ' leaves it out'}`,
  );
  return { type: selected, status: 'True', reason: 'Selected', message: names.join(', ') };
}
