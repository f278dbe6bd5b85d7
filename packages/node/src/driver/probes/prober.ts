import { type Clock, type Container, type Probe, type Random, sleep, within } from '@signalbox/cluster';
import type { Inside } from '../../protocol/inside.ts';
import { type Asked, attempt } from './attempt.ts';
import { type ProbeKind, probeTimes, unprobed, withResult } from './plan.ts';

export interface Probing {
  readonly clock: Clock;
  readonly random: Random;
  readonly inside: Inside;
  /** Ends with the container. */
  readonly signal: AbortSignal;
  /** A verdict: `startup` and `readiness` change what is seen; a `liveness` or `startup` that fails ends the container. */
  verdict(kind: ProbeKind, holds: boolean): void;
  /** For an event; each failure is told. */
  failed(kind: ProbeKind, message: string): void;
}

/**
 * Asks as long as the container runs: first whether it has started, then, beside each other, whether it is ready and alive.
 * Without a probe the answer is yes.
 */
export async function probeContainer(container: Container, asked: Asked, probing: Probing): Promise<void> {
  const { startupProbe, readinessProbe, livenessProbe } = container;
  if (startupProbe !== undefined) {
    const hasStarted = await probe('startup', startupProbe, { asked, probing, isDone: (verdict) => verdict });
    if (!hasStarted) return;
  }
  const isNever = (): boolean => false;
  if (startupProbe === undefined) probing.verdict('startup', true);
  if (readinessProbe === undefined) probing.verdict('readiness', true);
  await Promise.all([
    ...(readinessProbe === undefined ? [] : [probe('readiness', readinessProbe, { asked, probing, isDone: isNever })]),
    ...(livenessProbe === undefined
      ? []
      : [probe('liveness', livenessProbe, { asked, probing, isDone: (verdict) => !verdict })]),
  ]);
}

interface Question {
  readonly asked: Asked;
  readonly probing: Probing;
  /** After this verdict nobody asks on. */
  readonly isDone: (verdict: boolean) => boolean;
}

async function probe(kind: ProbeKind, terms: Probe, { asked, probing, isDone }: Question): Promise<boolean> {
  const { clock, random, signal, inside } = probing;
  const { firstMs, periodMs, timeoutMs } = probeTimes(terms);
  let state = unprobed;
  // A hundred pods that start together are not asked together for ever.
  let delayMs = firstMs + random.below(Math.min(1_000, periodMs));
  // Whether it is up is waited for: the first look is at once, as a kubelet's is after a start.
  if (kind !== 'liveness') delayMs = firstMs;
  while (!signal.aborted) {
    await sleep(clock, delayMs, { signal });
    const late = (): Error => new Error(`command timed out: the probe did not answer within ${timeoutMs / 1_000}s`);
    const work = (limited: AbortSignal) =>
      limited.aborted ? Promise.reject(limited.reason) : attempt(terms, asked, { inside, signal: limited });
    const answer = await within(timeoutMs, { clock, signal, late, work });
    signal.throwIfAborted();
    if (!answer.success) probing.failed(kind, answer.message);
    const before = state.verdict;
    state = withResult(state, answer.success, terms);
    if (state.verdict !== undefined && state.verdict !== before) probing.verdict(kind, state.verdict);
    // A startup probe has failed when its threshold is met, and not before it has succeeded.
    if (state.verdict !== undefined && (isDone(state.verdict) || (kind === 'startup' && !state.verdict)))
      return state.verdict;
    delayMs = periodMs;
  }
  return false;
}
