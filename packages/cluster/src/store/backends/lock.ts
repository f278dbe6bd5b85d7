import { readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * One process per folder. Every process that wants the folder leaves a file named after itself and then looks for others:
 * of two that do so at once, at least one sees the other, so never both go on. Files of dead processes are removed. What
 * names a process is its id, the time it started and, on Linux, the boot: ids alone come back, in containers within seconds.
 * Processes of another machine cannot be seen; a folder must not be shared between machines.
 */
export interface FolderLock {
  release(): Promise<void>;
}

/** Fails with an Error that names the folder and the process that holds it. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const own = `${filePrefix}${await processName(process.pid)}`;
  const file = join(folder, own);
  try {
    await writeFile(file, '', { flag: 'wx' });
  } catch (cause) {
    if (!isCode(cause, 'EEXIST')) throw cause;
    throw heldBy(process.pid, file, { cause });
  }
  try {
    for (const other of await readdir(folder)) {
      const pid = pidOf(other);
      if (pid === undefined || other === own) continue;
      if (other === `${filePrefix}${await processName(pid)}`) throw heldBy(pid, join(folder, other));
      await removeIfThere(join(folder, other));
    }
  } catch (error) {
    await removeIfThere(file);
    throw error;
  }
  return { release: () => removeIfThere(file) };
}

/** Another process that has the folder. */
export interface FolderHolder {
  readonly pid: number;
  /** Whether that process still runs, and not another one that was given its id. */
  isRunning(): Promise<boolean>;
}

/** Who has the folder at this moment; undefined: nobody, or there is no such folder. */
export async function folderHolder(folder: string): Promise<FolderHolder | undefined> {
  const files = await readdir(folder).catch((error: unknown): readonly string[] => {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  });
  for (const file of files) {
    const pid = pidOf(file);
    if (pid === undefined) continue;
    const isRunning = async (): Promise<boolean> => file === `${filePrefix}${await processName(pid)}`;
    if (await isRunning()) return { pid, isRunning };
  }
  return undefined;
}

const filePrefix = 'lock.';

function pidOf(file: string): number | undefined {
  const pid = /^lock\.(\d+)\./.exec(file)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

function heldBy(pid: number, file: string, options?: ErrorOptions): Error {
  return new Error(
    `it is in use by process ${pid}; stop that process or choose another folder (its lock is ${file})`,
    options,
  );
}

/** Different for every process there ever was; no lock file is named so when the process is gone. */
export async function processName(pid: number): Promise<string> {
  const started = await processStart(pid);
  return started === undefined ? 'none' : `${pid}.${started}`;
}

/** Undefined when no such process runs. Where the system does not tell the time, all processes of one id are the same. */
async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return isRunning(pid) ? 'any' : undefined;
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    // The name in parentheses may hold anything; after it come the state (third field) and the start (22nd).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isDead = fields[0] === 'Z' || fields[0] === 'X';
    return isDead ? undefined : `${fields[19]}-${boot.slice(0, 8)}`;
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ESRCH')) return isRunning(pid) ? 'any' : undefined;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

async function removeIfThere(file: string): Promise<void> {
  try {
    await unlink(file);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
