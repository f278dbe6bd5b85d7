/** A container's processes are those that see its file system, whatever their parents and whoever else shares their namespaces. */
import { readdir, readlink } from 'node:fs/promises';

/** Empty when it has ended. */
export function mountNamespaceOf(pid: number): Promise<string> {
  return readlink(`/proc/${pid}/ns/mnt`).catch(() => '');
}

/** Only processes of inside are seen, so all of them are looked at. */
export async function processesByMountNamespace(): Promise<ReadonlyMap<string, readonly number[]>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = new Map<string, number[]>();
  for (const pid of pids) {
    const namespace = await mountNamespaceOf(pid);
    if (namespace === '') continue;
    const known = found.get(namespace);
    if (known === undefined) found.set(namespace, [pid]);
    else known.push(pid);
  }
  return found;
}

/** Until none is left that could begin another. */
export async function endAllIn(namespace: string): Promise<void> {
  for (let round = 0; round < roundsMax; round++) {
    const pids = (await processesByMountNamespace()).get(namespace) ?? [];
    if (namespace === '' || pids.length === 0) return;
    for (const pid of pids) endProcess(pid);
  }
}

const roundsMax = 100;

export function endProcess(pid: number): void {
  try {
    if (pid > 1) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
