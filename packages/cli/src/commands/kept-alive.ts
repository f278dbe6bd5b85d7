import { type CreateComponent, createSupervisor, type Platform } from '@signalbox/cluster';
import { CommandError } from '../io/errors.ts';

/** Runs these parts until the signal aborts. One that dies starts again; rejects with one line when one died too often. */
export async function keepAlive(
  parts: readonly CreateComponent[],
  platform: Platform,
  { what, signal }: { readonly what: string; readonly signal: AbortSignal },
): Promise<void> {
  const supervisor = createSupervisor(parts, platform);
  const failed = supervisor.failed.then(({ message, error }) => {
    throw new CommandError(`the ${what} ends because ${message}`, { cause: error });
  });
  await Promise.race([supervisor.run({ signal }), failed]);
}
