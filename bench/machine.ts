/** The machine and the revision that figures belong to: without them a figure says nothing. */
import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';

export interface Machine {
  readonly cores: number;
  readonly model: string;
  readonly memoryGib: number;
  readonly node: string;
}

export function thisMachine(): Machine {
  return {
    cores: cpus().length,
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

export function formatMachine({ cores, model, memoryGib, node }: Machine): string {
  return `${cores} cores (${model}), ${memoryGib} GiB, Node ${node}`;
}

/** The commit of a checkout; `-dirty` when something in it is not committed. */
export function revisionOf(folder: string): string {
  const { stdout, status } = spawnSync('git', ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : 'unknown';
}
