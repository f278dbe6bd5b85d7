import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { ProcessFacts, ProcessTable } from './launcher.ts';

/** The processes of this computer: from /proc where there is one, else as `ps` tells. */
export function systemProcessTable(process: NodeJS.Process): ProcessTable {
  return {
    parentId: () => process.ppid,
    factsOf: process.platform === 'linux' ? factsFromProc : factsFromPs,
  };
}

async function factsFromProc(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const [stat, command] = await Promise.all(
      ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
    );
    // The name in parentheses may hold anything; after it come the state and the parent.
    const [, parent] = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ');
    return { parentId: Number(parent), command: (command ?? '').replaceAll('\0', ' ').trim() };
  } catch {
    return undefined;
  }
}

function factsFromPs(pid: number): Promise<ProcessFacts | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'ppid=,command=', '-p', String(pid)], (error, stdout) => {
      const [, parent, command] = /^\s*(\d+)\s+(.*)$/m.exec(stdout) ?? [];
      if (error !== null || parent === undefined || command === undefined) resolve(undefined);
      else resolve({ parentId: Number(parent), command });
    });
  });
}
