import { basename, dirname, join } from 'node:path';
import { CommandError } from '../io/errors.ts';
import type { Io } from '../io/io.ts';
import { fileProblem } from '../io/manifests.ts';
import { makePrivateFolder } from '../io/private-folder.ts';

export const logName = 'up.log';

/**
 * Starts `up` in the background and shows what it says until it has settled: everything is ready, or the time is up, or it
 * ended. Resolves with the exit code.
 */
export async function launchUp(
  { folder, takesInput }: { readonly folder: string; readonly takesInput: boolean },
  io: Pick<Io, 'launch' | 'signal' | 'stdout' | 'stderr'>,
): Promise<number> {
  const log = join(folder, logName);
  await makePrivateFolder(folder).catch((cause: unknown) => {
    throw new CommandError(`cannot use the data folder ${folder}: ${fileProblem(cause)} (--data)`, { cause });
  });
  const launched = io.launch({ log, takesInput });
  const stop = (): void => launched.kill('SIGTERM');
  io.signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const message of launched.messages) {
      if (message.is === 'text') io[message.to].write(message.text);
      else {
        launched.release();
        return message.code;
      }
    }
    const code = await launched.ended;
    if (io.signal.aborted)
      throw new CommandError('interrupted before everything was ready; nothing runs in the background');
    if (code !== null && code !== 0) return code;
    throw new CommandError(
      `the process in the background ended before it served anything; see ${join(basename(dirname(log)), logName)}`,
    );
  } finally {
    io.signal.removeEventListener('abort', stop);
  }
}
