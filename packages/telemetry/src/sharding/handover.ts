import { balanced } from './balance.ts';
import type { ShardingChoice } from './choice.ts';
import { firstMapping, type SlotLoads } from './mapping.ts';
import { spreadOver } from './spread.ts';
import { type Handover, mappingOf, type ShardingState, type Sharing } from './state-text.ts';
import { isNews, toLevels, toLoads } from './weights.ts';

/*
 * From one sharing to another without a gap. At every moment each shard runs from its last configuration or the one before,
 * and by each pair of neighbours every target has a scraper:
 *
 *   settled → start: both ways at once; new shards start, and no shard lets go of anything
 *           → both:  all pods are ready; wait until they scrape what they got
 *           → cut:   only the new way; shards that leave scrape nothing any more
 *           → settled, once every agent must have heard of it. Then comes what was asked for meanwhile.
 *
 * Each step is one write of the Secret that holds the configuration and, beside it, this state: whoever reads it goes on.
 */

export interface HandoverFacts {
  readonly choice: ShardingChoice;
  /** What the root asks for. */
  readonly shards: number;
  /** What was written last; undefined: nothing, or nothing readable. */
  readonly stored: ShardingState | undefined;
  /** How many shards share by `hashmod`, where nothing is stored; undefined: none runs yet. */
  readonly before: number | undefined;
  /** What the slots have weighed for some time; undefined: nobody has measured. */
  readonly loads: SlotLoads | undefined;
  readonly nowMs: number;
  /** The pods of all shards that take part are ready. */
  readonly isReady: boolean;
  /** Whether the shards scrape what the step gave them; undefined: nobody can tell, so that time has to pass. */
  readonly isConfirmed: boolean | undefined;
  /** How long an agent that cannot be asked takes until it has read its configuration and scraped everything. */
  readonly waitMs: number;
}

export interface HandoverPlan {
  /** Undefined: nothing has to be remembered. */
  readonly state: ShardingState | undefined;
  /** When to look again although nothing has changed. */
  readonly againInMs: number | undefined;
}

/** What is to be written now; the same as what is stored while there is nothing to do. Never more than one step at once. */
export function planHandover(facts: HandoverFacts): HandoverPlan {
  const { choice, stored, before } = facts;
  if (!choice.handsOver && !isUnderWay(stored)) return { state: undefined, againInMs: undefined };
  if (stored?.handover !== undefined) return continued({ ...stored, handover: stored.handover }, facts);
  const sharing = stored?.sharing ?? (before === undefined ? undefined : { shards: before, owners: undefined });
  const known = weightsOf(stored, facts);
  const wanted = wantedSharing(sharing, { ...facts, ...known });
  if (sharing === undefined || sameSharing(sharing, wanted)) return settledPlan(wanted, known);
  const handover: Handover = { to: wanted, step: 'start', sinceMs: facts.nowMs, writtenMs: facts.nowMs };
  return waiting({ sharing, handover, ...known }, stepMs);
}

/** Slots are left as they were entered, and what has begun ends in order, whoever has stopped asking for it. */
function isUnderWay(stored: ShardingState | undefined): boolean {
  return stored !== undefined && (stored.handover !== undefined || stored.sharing.owners !== undefined);
}

type Known = Pick<ShardingState, 'weights'>;

/** By what is remembered everything is decided, so that it is the same for whoever reads it. */
function weightsOf(stored: ShardingState | undefined, { choice, loads }: HandoverFacts): Known {
  const mapping = stored && mappingOf(stored.sharing);
  if (mapping === undefined || choice.by === 'hashmod' || !choice.balances) return {};
  const { weights } = stored ?? {};
  const news = loads !== undefined && isNews({ mapping, weights }, loads) ? toLevels(loads) : undefined;
  return { ...(weights !== undefined && { weights }), ...(news !== undefined && { weights: news }) };
}

/** Readiness is seen as it comes; agents that can be asked are asked as often. */
const stepMs = 5_000;

type Running = ShardingState & { readonly handover: Handover };

function continued(state: Running, facts: HandoverFacts): HandoverPlan {
  const { nowMs, isReady, isConfirmed, waitMs } = facts;
  const { handover } = state;
  const passedMs = nowMs - handover.sinceMs;
  // A clock that was put back must not make anybody wait for ever.
  const leftMs = passedMs < 0 ? waitMs : waitMs - passedMs;
  const next = (step: Handover['step']): HandoverPlan => {
    const writtenMs = step === 'cut' && handover.step !== 'cut' ? nowMs : Math.min(nowMs, handover.writtenMs);
    return waiting({ ...state, handover: { ...handover, step, sinceMs: nowMs, writtenMs } }, stepMs);
  };
  if (passedMs < 0) return next(handover.step);
  switch (handover.step) {
    case 'start':
      if (isReady) return next('both');
      return isTakenBack(state, facts) ? takenBack(state, nowMs) : waiting(state, stepMs);
    case 'both':
      if (!isReady) return next('start');
      if (isConfirmed ?? leftMs <= 0) return next('cut');
      return waiting(state, isConfirmed === undefined ? Math.min(leftMs, stepMs) : stepMs);
    case 'cut':
      // Who has read it has let go of what it lost; what it has not scraped yet is no matter of this step.
      if (isConfirmed === true || leftMs <= 0) return settledPlan(handover.to, state);
      return waiting(state, Math.min(leftMs, stepMs));
    default:
      return handover.step satisfies never;
  }
}

/** The root asks again for what held before, and the pods for what it asked meanwhile do not come. */
function isTakenBack({ sharing, handover }: Running, { choice, shards }: HandoverFacts): boolean {
  const isAsked = ({ shards: count, owners }: Sharing): boolean =>
    count === shards && (owners === undefined) === (choice.by === 'hashmod');
  return isAsked(sharing) && !isAsked(handover.to);
}

/** The old way still holds whole: nobody has let go of anything. */
function takenBack({ sharing, handover, ...known }: Running, nowMs: number): HandoverPlan {
  const back: Handover = { to: sharing, step: 'cut', sinceMs: nowMs, writtenMs: nowMs };
  return waiting({ ...known, sharing: handover.to, handover: back }, stepMs);
}

function waiting(state: ShardingState, againInMs: number): HandoverPlan {
  return { state, againInMs: Math.max(1, againInMs) };
}

function settledPlan(sharing: Sharing, { weights }: Known): HandoverPlan {
  const isKnown = weights !== undefined && weights.length === sharing.owners?.length;
  return { state: { sharing, handover: undefined, ...(isKnown && { weights }) }, againInMs: undefined };
}

/** What the root asks for, made of what holds. */
function wantedSharing(sharing: Sharing | undefined, { choice, shards, weights }: HandoverFacts & Known): Sharing {
  if (choice.by === 'hashmod') return { shards, owners: undefined };
  const mapping = sharing && mappingOf(sharing);
  if (mapping === undefined) return firstMapping({ slots: choice.slots, shards });
  const loads = weights && toLoads(weights);
  if (mapping.shards !== shards) return spreadOver(mapping, shards, loads);
  return loads === undefined ? mapping : balanced(mapping, loads);
}

function sameSharing(a: Sharing, b: Sharing): boolean {
  return (
    a.shards === b.shards &&
    a.owners?.length === b.owners?.length &&
    (a.owners ?? []).every((owner, slot) => owner === b.owners?.[slot])
  );
}
