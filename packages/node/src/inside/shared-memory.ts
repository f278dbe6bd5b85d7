/** Shared memory of pods: a file system for each, so that it has a limit. They are mounted in stock, by one program for many of them. */
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runWell } from './run.ts';

export interface SharedMemory {
  /** Mounted and empty; `network.ts` unmounts it with the pod's network. */
  take(): Promise<string>;
  /** It has been unmounted. */
  drop(folder: string): void;
}

const stockSize = 16;
const kind = 'tmpfs size=64m,mode=1777,nosuid,nodev 0 0';

/** `ownFolder`: of inside alone, in memory. */
export function createSharedMemory(ownFolder: string): SharedMemory {
  const stock: string[] = [];
  let made = 0;
  let making: Promise<void> | undefined;
  const make = async (): Promise<void> => {
    const folders = Array.from({ length: stockSize }, () => join(ownFolder, 'shm', String(made++)));
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    const table = join(ownFolder, 'shm.table');
    writeFileSync(table, folders.map((folder) => `shm ${folder} ${kind}\n`).join(''));
    await runWell(['mount', '-n', '-a', '-T', table]);
    stock.push(...folders);
  };
  return {
    async take() {
      for (;;) {
        const folder = stock.shift();
        if (folder !== undefined) return folder;
        making ??= make().finally(() => (making = undefined));
        await making;
      }
    },
    drop: (folder) => rmdirSync(folder),
  };
}
