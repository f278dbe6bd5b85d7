import type { Supervisor } from '@signalbox/cluster';
import { CommandError } from '../io/errors.ts';

/** Runs the parts until the signal aborts. One that dies starts again; rejects with one line when one died too often. */
export async function keepAlive(
  supervisor: Supervisor,
  { what, signal }: { readonly what: string; readonly signal: AbortSignal },
): Promise<void> {
  const failed = supervisor.failed.then(({ message, error }) => {
    throw new CommandError(`the ${what} ends because ${message}`, { cause: error });
  });
  await Promise.race([supervisor.run({ signal }), failed]);
}
