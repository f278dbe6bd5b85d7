import { readdir, readFile } from 'node:fs/promises';

/** The processes that the reloader sees: those of its pod, when that shares them. */
export interface Processes {
  /** The first that runs the program of this name. */
  find(name: string): Promise<number | undefined>;
  /** Sends SIGHUP. Throws the system's error. */
  hangUp(pid: number): void;
}

/** Linux keeps no more of a name. */
const nameBytesMax = 15;

export function systemProcesses(process: NodeJS.Process): Processes {
  return {
    async find(name) {
      const wanted = Buffer.from(name).subarray(0, nameBytesMax).toString('utf8');
      const ids = await readdir('/proc').catch((cause: unknown) => {
        throw new Error('--reload-method=signal needs /proc, which only Linux has: use --reload-method=http', {
          cause,
        });
      });
      const pids = ids.filter((id) => /^\d+$/.test(id)).map(Number);
      for (const pid of pids.sort((a, b) => a - b)) {
        // It may have ended since it was listed.
        const found = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
        if (found.trimEnd() === wanted && pid !== process.pid) return pid;
      }
      return undefined;
    },
    hangUp: (pid) => void process.kill(pid, 'SIGHUP'),
  };
}
