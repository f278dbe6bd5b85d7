import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { download, encodeBackup, toTimestamp, verifyBackup, withFolderContent } from '@signalbox/cluster';
import { chooseKubeconfig } from '../io/connect.ts';
import { CommandError } from '../io/errors.ts';
import { absolute, type Io, writeLine } from '../io/io.ts';
import { fileProblem } from '../io/manifests.ts';

export interface BackupOptions {
  readonly file: string;
  /** Undefined: ask the running server. */
  readonly data: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** Writes a backup, as a whole or not at all. Resolves with the exit code. */
export async function backup(options: BackupOptions, io: Io): Promise<number> {
  const path = absolute(options.file, io);
  const { data } = options;
  if (data === undefined) {
    const { connection } = await chooseKubeconfig({ ...options, prefersLocal: true }, io);
    await save(download({ connection, target: '/signalbox/backup' }, io), { path, io });
  } else {
    if (options.kubeconfig !== undefined || options.context !== undefined)
      throw new CommandError(
        '--data takes a folder in which nothing runs, --kubeconfig and --context a running server; use one of them',
      );
    await fromFolder(absolute(data, io), { path, io });
  }
  const { objects, files, revision } = await verifyBackup(path);
  writeLine(
    io.stderr,
    `saved ${objects} objects and ${files} certificates and keys of revision ${revision} to ${options.file}`,
  );
  return 0;
}

async function fromFolder(folder: string, saving: Saving): Promise<void> {
  const time = toTimestamp(saving.io.clock.nowMs());
  try {
    await withFolderContent(folder, { time, use: (content) => save(encodeBackup(content), saving) });
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('in use by process')) throw error;
    throw new CommandError(
      `${error.message.replace(/; stop that process.*$/, '')}; leave --data away to ask the running server`,
      { cause: error },
    );
  }
}

interface Saving {
  readonly path: string;
  readonly io: Io;
}

const tellEveryMs = 1_000;

async function save(chunks: AsyncIterable<Buffer>, { path, io }: Saving): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  let bytes = 0;
  let toldMs = io.clock.nowMs();
  try {
    const file = await open(draft, 'wx', 0o600).catch((cause: unknown) => {
      throw new CommandError(`cannot write ${path}: ${fileProblem(cause)}`, { cause });
    });
    try {
      for await (const chunk of chunks) {
        io.signal.throwIfAborted();
        await file.write(chunk);
        bytes += chunk.length;
        if (io.clock.nowMs() - toldMs < tellEveryMs) continue;
        toldMs = io.clock.nowMs();
        writeLine(io.stderr, `${basename(path)}: ${(bytes / 1_048_576).toFixed(0)} MB so far`);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    // What was cut off on the way must not replace an older backup.
    await verifyBackup(draft);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
