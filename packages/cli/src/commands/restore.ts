import { restoreFolder } from '@signalbox/cluster';
import { shellWord } from '../format/shell.ts';
import { CommandError } from '../io/errors.ts';
import { absolute, type Io, writeLine } from '../io/io.ts';

export interface RestoreCommandOptions {
  readonly file: string;
  readonly data: string;
  readonly replace: boolean;
}

/** Makes a data folder of a backup. Resolves with the exit code. */
export async function restore({ file, data, replace }: RestoreCommandOptions, io: Io): Promise<number> {
  const path = absolute(data, io);
  writeLine(io.stderr, `reading ${file}`);
  const restored = await restoreFolder({ file: absolute(file, io), path, replace }).catch((cause: unknown) => {
    throw new CommandError(reasonOf(file, cause), { cause });
  });
  const { objects, files, revision, time, resumesAt, aside } = restored;
  writeLine(
    io.stderr,
    `restored ${objects} objects and ${files} certificates and keys of ${time}, revision ${revision}; it goes on from ${resumesAt}`,
  );
  if (aside !== undefined) writeLine(io.stderr, `what was in the folder is now in ${aside}`);
  writeLine(io.stderr, `to start it: signalbox up --data ${shellWord(data)}`);
  return 0;
}

function reasonOf(file: string, cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return `there is no file ${file}`;
  return message;
}
