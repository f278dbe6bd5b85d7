/*
 * Leader election through a Lease object, as controllers of Kubernetes do it: the holder writes the time again and again;
 * whoever sees the same record unchanged for a whole lease takes over. Each candidate judges by its own clock how long it
 * has seen the record, so that clocks need not agree.
 */
import type { Lease } from '../api/generated/coordination-v1.ts';
import { leases } from '../api/generated/kinds.ts';
import type { New } from '../api/meta.ts';
import { ifFound, isStatusError } from '../api/status.ts';
import { type Clock, sleep, toMicroTimestamp } from '../base/clock.ts';
import { within } from '../base/limit.ts';
import { type Random, randomUuid } from '../base/random.ts';
import { abortWith } from '../base/signal.ts';
import type { Client } from '../client/client.ts';

export interface LeaseOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
  readonly name: string;
  /** Different for every candidate that may run at the same time: {@link leaseIdentity}. */
  readonly identity: string;
  /** Told in words who works, and what went wrong and was survived. */
  readonly report: (message: string, error?: unknown) => void;
  readonly times?: Partial<LeaseTimes>;
}

export interface LeaseTimes {
  /** How long others wait, seeing no change, before they take over. Whole seconds. */
  readonly leaseMs: number;
  /** A holder that cannot renew for this long stops working; shorter than `leaseMs`, so that nobody else works yet. */
  readonly renewDeadlineMs: number;
  /** How often a holder renews and a candidate looks. */
  readonly retryMs: number;
}

export const defaultLeaseTimes: LeaseTimes = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

/** The record as last seen, and since when it has looked like that. */
export interface SeenLease {
  readonly lease: Lease | undefined;
  readonly sinceMs: number;
}

export type LeaseStep =
  | { readonly do: 'create' | 'update'; readonly object: New<Lease> }
  | { readonly do: 'wait'; readonly holder: string };

/**
 * The name of a candidate: readable by its host, and nobody else's. Host and process id alone are not enough: containers
 * on one node's network are called the same, and each of them is process 1.
 */
export function leaseIdentity(host: string, random: Random): string {
  return `${host}_${randomUuid(random)}`;
}

export type Work = (holding: Holding) => Promise<void>;

export interface Holding {
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
  /** Whether the lease was renewed in time, also before anybody has noticed that it was not. */
  isHeld(): boolean;
}

/**
 * Runs `work` while this candidate holds the lease; its signal aborts when the lease is lost, and it runs again when the
 * lease has come back. Resolves when the signal aborts or `work` ends by itself, after the lease was given back. Rejects
 * with what `work` throws.
 */
export async function runWithLease(
  options: LeaseOptions,
  work: Work,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const election = createElection(options);
  while (!signal.aborted) {
    if (!(await election.acquire(signal))) return;
    // The lease may be taken by a write that was on its way when the signal aborted.
    if (signal.aborted) return election.release();
    const holding = new AbortController();
    const stop = abortWith(signal, holding);
    const keeping = election.keep(holding.signal).then((isLost) => {
      if (isLost) holding.abort(new Error('the lease was lost'));
      return isLost;
    });
    try {
      await work({ signal: holding.signal, isHeld: election.isHeld });
    } catch (error) {
      // After the loss of the lease the work may end in any way.
      if (!holding.signal.aborted) throw error;
    } finally {
      stop();
      holding.abort(new Error('the work ended'));
      if (!(await keeping)) await election.release();
    }
    if (!(await keeping)) return;
  }
}

interface Election {
  /** False: the signal aborted first. */
  acquire(signal: AbortSignal): Promise<boolean>;
  /** Renews until the signal aborts (false) or the lease is lost (true). */
  keep(signal: AbortSignal): Promise<boolean>;
  release(): Promise<void>;
  isHeld(): boolean;
}

/** Up to this many times the retry time again, by chance, so that candidates do not come all at once. */
const jitter = 0.5;
const releaseMsMax = 1_000;

function createElection(options: LeaseOptions): Election {
  const candidate: Candidate = {
    ...options,
    place: `${options.namespace}/${options.name}`,
    times: { ...defaultLeaseTimes, ...options.times },
    view: { seen: { lease: undefined, sinceMs: options.clock.nowMs() }, renewedMs: Number.NEGATIVE_INFINITY },
  };
  return {
    acquire: (signal) => acquire(candidate, signal),
    keep: (signal) => keep(candidate, signal),
    release: () => release(candidate),
    isHeld: () => untilLostMs(candidate) > 0,
  };
}

interface Candidate extends Omit<LeaseOptions, 'times'> {
  /** `kube-system/signalbox-operator` */
  readonly place: string;
  readonly times: LeaseTimes;
  readonly view: {
    seen: SeenLease;
    /** When it was asked for what made, or kept, this one the holder. */
    renewedMs: number;
  };
}

async function acquire(candidate: Candidate, signal: AbortSignal): Promise<boolean> {
  const { clock, place, identity, times, report } = candidate;
  let told: string | undefined;
  let lookMsMax = times.retryMs;
  while (!signal.aborted) {
    const startMs = clock.nowMs();
    let isLate = false;
    try {
      // Over a connection that is dead without a word it would wait far longer than the lease. A server that is slow gets more time with every look.
      const holder = await within(lookMsMax, { clock, signal, work: (limited) => attempt(candidate, limited) });
      lookMsMax = times.retryMs;
      if (holder === undefined) {
        report(`${identity} holds the lease ${place} and works`);
        return true;
      }
      if (holder !== told) report(`${holder} holds the lease ${place}; waiting`);
      told = holder;
    } catch (error) {
      if (signal.aborted) return false;
      if (!isRace(error)) report(`cannot take the lease ${place}`, error);
      isLate = clock.nowMs() - startMs >= lookMsMax;
      if (isLate) lookMsMax = Math.min(2 * lookMsMax, times.renewDeadlineMs);
    }
    // What took so long was pause enough: the next connection is another one.
    if (!isLate) await sleep(clock, untilNextLookMs(candidate), { signal }).catch(() => undefined);
  }
  return false;
}

async function keep(candidate: Candidate, signal: AbortSignal): Promise<boolean> {
  const { clock, times, place, report } = candidate;
  for (;;) {
    await sleep(clock, times.retryMs, { signal }).catch(() => undefined);
    if (signal.aborted) return false;
    try {
      const holder = await within(untilLostMs(candidate), {
        clock,
        signal,
        work: (limited) => renew(candidate, limited),
      });
      if (holder !== undefined) {
        report(`lost the lease ${place} to ${holder}`);
        return true;
      }
    } catch (error) {
      if (signal.aborted) return false;
      if (!isRace(error)) report(`cannot renew the lease ${place}`, error);
      if (untilLostMs(candidate) > 0) continue;
      report(`lost the lease ${place}: it could not be renewed for ${times.renewDeadlineMs / 1000} s`);
      return true;
    }
  }
}

/** A candidate comes again at the moment at which the lease runs out, or before. */
function untilNextLookMs({ view: { seen }, clock, random, times }: Candidate): number {
  const pauseMs = times.retryMs * (1 + jitter * random.next());
  const dueMs = seen.sinceMs + heldMs(seen.lease, times.leaseMs) - clock.nowMs();
  return dueMs > 0 ? Math.min(pauseMs, dueMs) : pauseMs;
}

function untilLostMs({ view, clock, times }: Candidate): number {
  return view.renewedMs + times.renewDeadlineMs - clock.nowMs();
}

/** The holder after one try; undefined when it is this candidate. */
async function attempt(candidate: Candidate, signal: AbortSignal): Promise<string | undefined> {
  note(candidate, await existing(candidate, signal));
  return await step(candidate, signal);
}

/** Who holds it knows it as it was left, so that nobody has to be asked: only where somebody else has written it since. */
async function renew(candidate: Candidate, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await step(candidate, signal);
  } catch (error) {
    if (!isStatusError(error, 'Conflict') && !isStatusError(error, 'NotFound')) throw error;
    return await attempt(candidate, signal);
  }
}

/** Writes, if it may, what follows from the lease as it was seen last. */
async function step(candidate: Candidate, signal: AbortSignal): Promise<string | undefined> {
  const { client, clock, times } = candidate;
  const next = planLease(candidate.view.seen, { ...candidate, nowMs: clock.nowMs(), leaseMs: times.leaseMs });
  if (next.do === 'wait') return next.holder;
  const write = next.do === 'create' ? client.create : client.update;
  // Nobody else sees it renewed before.
  const askedMs = clock.nowMs();
  note(candidate, await write(leases, next.object, { signal }));
  candidate.view.renewedMs = askedMs;
  return undefined;
}

function note({ view, clock }: Candidate, lease: Lease | undefined): void {
  if (lease?.metadata.resourceVersion !== view.seen.lease?.metadata.resourceVersion)
    view.seen = { lease, sinceMs: clock.nowMs() };
}

async function existing({ client, namespace, name }: Candidate, signal: AbortSignal): Promise<Lease | undefined> {
  return await ifFound(client.get(leases, { namespace, name, signal }));
}

/** Whoever waits need not wait for the lease to run out. */
async function release(candidate: Candidate): Promise<void> {
  const { client, clock, identity, place, report } = candidate;
  const { signal } = new AbortController();
  const work = async (limited: AbortSignal): Promise<void> => {
    const lease = await existing(candidate, limited);
    if (lease?.spec?.holderIdentity !== identity) return;
    const renewTime = toMicroTimestamp(clock.nowMs());
    const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime };
    await client.update(leases, { ...lease, spec }, { signal: limited });
  };
  await within(releaseMsMax, { clock, signal, work }).catch((error: unknown) => {
    report(`cannot give back the lease ${place}`, error);
  });
}

interface Judging {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly nowMs: number;
  readonly leaseMs: number;
}

/** What a candidate does about the lease that it sees: take it, renew it, or wait for its holder. Pure. */
export function planLease({ lease, sinceMs }: SeenLease, judging: Judging): LeaseStep {
  const { namespace, name, identity, nowMs, leaseMs } = judging;
  const now = toMicroTimestamp(nowMs);
  const claim = { holderIdentity: identity, leaseDurationSeconds: leaseMs / 1000, renewTime: now };
  if (lease === undefined) {
    const spec = { ...claim, acquireTime: now, leaseTransitions: 0 };
    return {
      do: 'create',
      object: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name }, spec },
    };
  }
  const { holderIdentity: holder = '', leaseTransitions = 0, acquireTime } = lease.spec ?? {};
  if (holder === identity)
    return { do: 'update', object: { ...lease, spec: { ...lease.spec, ...claim, acquireTime: acquireTime ?? now } } };
  if (holder !== '' && nowMs - sinceMs < heldMs(lease, leaseMs)) return { do: 'wait', holder };
  const spec = { ...claim, acquireTime: now, leaseTransitions: leaseTransitions + 1 };
  return { do: 'update', object: { ...lease, spec: { ...lease.spec, ...spec } } };
}

/** The holder may have promised another time than this candidate would. */
function heldMs(lease: Lease | undefined, leaseMs: number): number {
  const seconds = lease?.spec?.leaseDurationSeconds;
  return seconds === undefined ? leaseMs : seconds * 1_000;
}

/** Somebody else was faster: the next look shows who. */
function isRace(error: unknown): boolean {
  return isStatusError(error, 'Conflict') || isStatusError(error, 'AlreadyExists');
}
