import { type ChildProcess, type IOType, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

export interface SpawnAlone extends Omit<SpawnOptions, 'stdio'> {
  readonly stdio: readonly (IOType | 'pipe' | 'ipc' | number)[];
}

/** O_CLOEXEC, as the kernel tells it. */
const closesOnExec = 0o2000000;

/**
 * Starts a process that has of this one's descriptors what `stdio` names, and nothing else. What Node opens, no child gets;
 * but LMDB leaves its file open for children, and so does whoever started this process with what they had open. A child that
 * runs what others chose could read and write all of the cluster there, whatever walls are around it.
 */
export function spawnAlone(program: string, argv: readonly string[], options: SpawnAlone): ChildProcess {
  const nothing = openSync('/dev/null', 'r+');
  try {
    const stdio = [...options.stdio];
    for (const descriptor of inherited()) {
      if (descriptor < options.stdio.length) continue;
      while (stdio.length < descriptor) stdio.push('ignore');
      stdio[descriptor] = nothing;
    }
    return spawn(program, argv, { ...options, stdio });
  } finally {
    closeSync(nothing);
  }
}

/** The descriptors that a child would get unasked, ascending; none where the kernel does not tell. */
function inherited(): readonly number[] {
  return descriptors()
    .filter((descriptor) => (flagsOf(descriptor) & closesOnExec) === 0)
    .sort((a, b) => a - b);
}

function descriptors(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

function flagsOf(descriptor: number): number {
  try {
    return Number.parseInt(
      /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '',
      8,
    );
  } catch {
    // It was that of the folder that was just read.
    return closesOnExec;
  }
}
