import type { Action, KubeObject, StatefulSet } from '@signalbox/cluster';
import type { Fact } from '../resources/condition.ts';
import type { Finding } from '../world/findings.ts';
import { type AgentAnswers, type AgentDoor, type AgentQuestion, areConfirmed } from './agents.ts';
import { shardingChoice, slotsAnnotation } from './choice.ts';
import { planHandover } from './handover.ts';
import { type SlotLoads, type SlotMapping, shardLoads } from './mapping.ts';
import { type AskedShards, belowMinimum } from './minimum.ts';
import type { Placement } from './placement.ts';
import { movedByHandover, placementOf, shardsThatScrape } from './sharing.ts';
import { areShownByTargets } from './shown-by-targets.ts';
import {
  formatState,
  mappingOf,
  parseState,
  type ReadState,
  type ShardingState,
  type Sharing,
  shardsMax,
  stateAnnotation,
} from './state-text.ts';
import { type SlotLevels, toLoads } from './weights.ts';

/** What is known of a root's shards when it is built. */
export interface ShardsSeen {
  /** How many there are to be. */
  readonly shards: number;
  /** What the root asks for, as it stands there. */
  readonly asked: AskedShards;
  /** The Secret that holds the shards' configuration, as it is. */
  readonly config: KubeObject | undefined;
  /** The shard's workload, as it is; undefined: there is none, or it is on its way out. */
  set(shard: number): StatefulSet | undefined;
  /** How many shards run that the root has not given up. */
  readonly running: number;
  /** The longest time between two scrapes of a target. Asked for during a hand-over only. */
  intervalMs(): number;
  readonly nowMs: number;
  /** How to ask the agents of one of its pods; undefined: nobody can. */
  readonly door: AgentDoor | undefined;
  /** What the agents have said. */
  readonly answers: AgentAnswers;
  /** What the slots have weighed for some time; undefined: nobody has measured. */
  readonly loads: SlotLoads | undefined;
  /** Nobody writes the configuration: its shards are no business of ours. */
  readonly isLeftAlone: boolean;
}

/** How a root's shards share their targets now. */
export interface CurrentSharding {
  readonly placement: Placement;
  /** How many shards there are to be and to scrape; those that leave are among them until nobody needs them. */
  readonly shards: number;
  /** Nobody leaves before the others have its targets. */
  readonly isHandedOver: boolean;
  /** What the Secret of the configuration is to remember. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly findings: readonly Finding[];
  /** A hand-over that goes on, and shards that nobody may take away. */
  readonly facts: readonly Fact[];
  /** What has begun or ended with this. */
  readonly news: readonly Action[];
  readonly againInMs: number | undefined;
  /** Who is to be asked whether the hand-over can go on. */
  readonly asks: readonly AgentQuestion[];
  /** Who is to be asked from time to time what the slots weigh; undefined: nobody. */
  readonly weighing: Weighing | undefined;
}

/** What the slots weigh is to be found out. */
export interface Weighing {
  readonly mapping: SlotMapping;
  /** What is known already. */
  readonly weights: SlotLevels | undefined;
  /** The agents of each shard; one of them is enough. */
  readonly shards: readonly (readonly AgentQuestion[])[];
}

export function currentSharding(root: KubeObject, seen: ShardsSeen): CurrentSharding {
  const { choice, findings } = shardingChoice(root);
  const read = readState(seen.config);
  const stored = read?.ok === true ? read.state : undefined;
  const shards = Math.min(seen.shards, shardsMax);
  const { state, againInMs } = planHandover({
    choice: seen.isLeftAlone ? { ...choice, handsOver: false } : choice,
    shards,
    stored: seen.isLeftAlone ? undefined : stored,
    before: seen.config === undefined || read?.ok === false || seen.running === 0 ? undefined : seen.running,
    loads: seen.loads,
    nowMs: seen.nowMs,
    isReady: isReady(stored?.handover?.to.shards ?? shards, seen),
    isConfirmed: confirmed(stored, seen),
    waitMs: stored?.handover === undefined ? 0 : handoverWaitMs(seen.intervalMs()),
  });
  const below = belowMinimum(root, seen.asked);
  const found = [...findings, ...below.findings, ...stateFindings(root, { read, state, slots: choice.slots, seen })];
  if (state === undefined)
    return {
      placement: [{ by: 'hashmod', modulus: seen.shards }],
      shards: seen.shards,
      isHandedOver: false,
      annotations: {},
      findings: found,
      facts: below.facts,
      news: [],
      againInMs,
      asks: [],
      weighing: undefined,
    };
  return {
    placement: placementOf(state),
    shards: shardsThatScrape(state),
    isHandedOver: true,
    annotations: { [stateAnnotation]: formatState(state) },
    findings: found,
    facts: [...below.facts, ...(state.handover === undefined ? [] : [reshardingFact(state)])],
    news: newsOf(root, { before: stored, state }),
    againInMs,
    asks: isWaiting(state) ? scrapers(shardsThatScrape(state), seen).flatMap(({ question }) => question ?? []) : [],
    weighing: choice.balances ? weighingOf(state, seen) : undefined,
  };
}

/** What the reloader takes at worst, discovery's tick, and two scrapes of which one may have failed. */
export function handoverWaitMs(intervalMs: number): number {
  return reloadMs + discoveryTickMs + 2 * intervalMs;
}

/** The kubelet brings a changed Secret within a minute, and the reloader sees it at once; the rest is for slow ones. */
const reloadMs = 90_000;
/** Prometheus hands over what it discovered, after a reload as well, only every five seconds. */
const discoveryTickMs = 5_000;

function readState(config: KubeObject | undefined): ReadState | undefined {
  const text = config?.metadata.annotations?.[stateAnnotation];
  return text === undefined ? undefined : parseState(text);
}

function isReady(shards: number, { set }: ShardsSeen): boolean {
  return Array.from({ length: shards }, (_, shard) => set(shard)).every(
    (each) => each !== undefined && (each.status?.availableReplicas ?? 0) >= (each.spec.replicas ?? 1),
  );
}

/** A pod that scrapes; undefined where nobody can ask it. */
interface Scraper {
  readonly shard: number;
  readonly replica: number;
  readonly question: AgentQuestion | undefined;
}

function scrapers(shards: number, { set, door }: ShardsSeen): readonly Scraper[] {
  return Array.from({ length: shards }, (_, shard) => ({ shard, each: set(shard) })).flatMap(({ shard, each }) =>
    Array.from({ length: each?.spec.replicas ?? 1 }, (_, replica): Scraper => {
      const { namespace = '', name = '' } = each?.metadata ?? {};
      const question = door && each && { ...door, namespace, pod: `${name}-${replica}` };
      return { shard, replica, question };
    }),
  );
}

/** For something that agents can tell. */
function isWaiting({ handover }: ShardingState): boolean {
  return handover !== undefined && handover.step !== 'start';
}

/** Only at rest: while targets are handed over they have two scrapers. */
function weighingOf({ sharing, handover, weights }: ShardingState, seen: ShardsSeen): Weighing | undefined {
  const mapping = mappingOf(sharing);
  if (mapping === undefined || handover !== undefined || seen.door === undefined) return undefined;
  const all = scrapers(sharing.shards, seen);
  const shards = Array.from({ length: sharing.shards }, (_, shard) =>
    all.flatMap((each) => (each.shard === shard ? (each.question ?? []) : [])),
  );
  return { mapping, weights, shards };
}

function confirmed(state: ShardingState | undefined, seen: ShardsSeen): boolean | undefined {
  if (state?.handover === undefined || !isWaiting(state)) return undefined;
  const { to, writtenMs } = state.handover;
  const answered = scrapers(shardsThatScrape(state), seen).map((each) => ({
    ...each,
    answer: each.question && seen.answers.of(each.question),
  }));
  // Those that leave have nothing to learn.
  const saying = answered.filter(({ shard }) => shard < to.shards).map(({ answer }) => answer);
  const said = areConfirmed(saying, writtenMs);
  if (said !== undefined) return said;
  const holdings = answered.flatMap(({ shard, replica, answer }) =>
    answer?.held === undefined ? [] : [{ shard, replica, held: answer.held }],
  );
  return holdings.length === answered.length ? areShownByTargets(state, holdings) : undefined;
}

interface Reading {
  readonly read: ReadState | undefined;
  readonly state: ShardingState | undefined;
  /** As the root asks for it. */
  readonly slots: number;
  readonly seen: ShardsSeen;
}

function stateFindings(root: KubeObject, { read, state, slots, seen }: Reading): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (severity: Finding['severity'], reason: string, field: string, message: string): void => {
    findings.push({ severity, regarding: root, reason, field, message });
  };
  const where = `the annotation ${stateAnnotation} of Secret ${seen.config?.metadata.name}`;
  if (read?.ok === false)
    add('warning', 'ShardsUnreadable', '', `${where} cannot be read: ${read.problem}. Targets are shared anew`);
  if (state === undefined) return findings;
  const owners = (state.handover?.to ?? state.sharing).owners?.length;
  if (owners !== undefined && root.metadata.annotations?.[slotsAnnotation] !== undefined && owners !== slots)
    add(
      'warning',
      'SlotsFixed',
      `metadata.annotations[${slotsAnnotation}]`,
      `the targets are shared by ${owners} slots already, and stay so: another number would move all of them`,
    );
  if (owners !== undefined && seen.shards > owners)
    add(
      'warning',
      'TooFewSlots',
      'spec',
      `${seen.shards} shards share ${owners} slots: the last of them scrape nothing`,
    );
  if (seen.shards > shardsMax)
    add(
      'error',
      'InvalidField',
      'spec',
      `${seen.shards} shards are more than can share by slots: at most ${shardsMax}`,
    );
  return findings;
}

const steps = {
  start: 'waits until the pods of all shards are ready; targets that move are scraped by their old and their new shard',
  both: 'targets that move are scraped by their old and their new shard until the new one has them',
  cut: 'only the new shards scrape; waits until every agent has heard of it',
} as const;

const reasons = { start: 'Starting', both: 'HandingOver', cut: 'LettingGo' } as const;

function reshardingFact(state: ShardingState): Fact {
  const step = state.handover?.step ?? 'start';
  return { type: 'Resharding', status: 'True', reason: reasons[step], message: `${wayThere(state)}: ${steps[step]}` };
}

/** `from 3 to 4 shards, 128 of 512 slots move` */
function wayThere(state: ShardingState): string {
  const { sharing, handover } = state;
  if (isBalancing(state)) return balancingWay(state);
  const moved = movedByHandover(state);
  const slots = sharing.owners?.length;
  const how = moved === undefined ? '' : `, ${moved} of ${slots} slots move`;
  const to = handover?.to ?? sharing;
  const shards = `from ${sharing.shards} to ${to.shards} shards`;
  if (wayOf(sharing) === wayOf(to)) return `${shards}${how}`;
  return `from ${wayOf(sharing)} to ${wayOf(to)}${sharing.shards === to.shards ? '' : `, ${shards}`}`;
}

const wayOf = ({ owners }: Sharing): string => (owners === undefined ? 'hashmod' : 'slots');

/** Hot slots move; the shards stay as many. */
function isBalancing({ sharing, handover, weights }: ShardingState): boolean {
  const isBySlots = sharing.owners !== undefined && handover?.to.owners !== undefined;
  return isBySlots && sharing.shards === handover.to.shards && weights !== undefined;
}

/** `hot slots move between 3 shards, 20 of 512: the fullest has 34% more than the mean, then 4%` */
function balancingWay(state: ShardingState): string {
  const { sharing, handover, weights = [] } = state;
  const aboveMean = (each: Sharing): string => {
    const mapping = mappingOf(each);
    const sums = mapping === undefined ? [] : shardLoads(mapping, toLoads(weights));
    const mean = sums.reduce((sum, one) => sum + one, 0) / sums.length;
    return `${Math.round((Math.max(...sums) / mean - 1) * 100)}%`;
  };
  const [now, then] = [aboveMean(sharing), aboveMean(handover?.to ?? sharing)];
  const how = `${movedByHandover(state)} of ${weights.length}: the fullest has ${now} more than the mean, then ${then}`;
  return `hot slots move between ${sharing.shards} shards, ${how}`;
}

/** One event when a hand-over begins, changes its step, or ends. */
function newsOf(
  root: KubeObject,
  { before, state }: { readonly before: ShardingState | undefined; readonly state: ShardingState },
): readonly Action[] {
  const tell = (reason: string, note: string): readonly Action[] => [
    { do: 'emit', regarding: root, type: 'Normal', reason, note },
  ];
  if (state.handover !== undefined && state.handover.step !== before?.handover?.step)
    return tell(isBalancing(state) ? 'Rebalancing' : 'Resharding', `${wayThere(state)}: ${steps[state.handover.step]}`);
  if (state.handover === undefined && before?.handover !== undefined)
    return tell(isBalancing(before) ? 'Rebalanced' : 'Resharded', wayThere(before));
  return [];
}
