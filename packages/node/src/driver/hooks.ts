import { type Clock, type LifecycleHandler, sleep } from '@signalbox/cluster';
import type { Inside } from '../protocol/inside.ts';
import { type Answer, type Asked, attempt } from './probes/attempt.ts';

/** Runs what a container asked for at its start or before its end. There is no limit but the signal's. */
export async function runHook(
  hook: LifecycleHandler,
  asked: Asked,
  { inside, clock, signal }: { readonly inside: Inside; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Answer> {
  if (hook.sleep === undefined) return attempt(hook, asked, { inside, signal });
  await sleep(clock, 1_000 * hook.sleep.seconds, { signal }).catch(() => undefined);
  return { success: true };
}
