import { openSync, readSync } from 'node:fs';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setEngineFlag } from './engine-flags.ts';

/** What this process holds, in bytes. */
export interface MemoryMeasure {
  /** Without the pages of files, which the system takes back when it needs them, where it tells them apart. */
  readonly residentBytes: number;
  /** Of the heap and of buffers beside it, garbage included. */
  readonly usedBytes: number;
  readonly heapUsedBytes: number;
  /** Where the engine ends the process. */
  readonly heapLimitBytes: number;
}

export interface ProcessMemory {
  measure(): MemoryMeasure;
  /** Collects all garbage at once; takes about a second per gigabyte in use. */
  collect(): void;
}

export function createProcessMemory(): ProcessMemory {
  const heapLimitBytes = getHeapStatistics().heap_size_limit;
  const resident = createResident();
  let collect: (() => void) | undefined;
  return {
    measure() {
      // Not `process.memoryUsage`: that asks the system, too, which took a twentieth of the time of small writes.
      const { used_heap_size: heapUsedBytes, external_memory: externalBytes } = getHeapStatistics();
      return {
        residentBytes: resident(),
        usedBytes: heapUsedBytes + externalBytes,
        heapUsedBytes,
        heapLimitBytes,
      };
    },
    collect() {
      collect ??= exposeCollector();
      collect();
    },
  };
}

/** What this process can have: the machine's memory, or what its container is allowed of it. */
export function availableMemoryBytes(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

function exposeCollector(): () => void {
  setEngineFlag({ set: '--expose-gc', usual: '--no-expose-gc' });
  // The flag counts for contexts that are made after it.
  return runInNewContext('gc') as () => void;
}

/** Stays open: to open it takes longer than to read it, which small writes would feel. */
let statm: number | undefined;

/** Linux counts the pages of mapped files, such as the store's, apart. */
function createResident(): () => number {
  const pageBytes = 4096;
  const text = Buffer.alloc(128);
  const read = (): number => {
    statm ??= openSync('/proc/self/statm', 'r');
    const [, resident = '', shared = ''] = text
      .toString('latin1', 0, readSync(statm, text, 0, text.length, 0))
      .split(' ');
    return (Number(resident) - Number(shared)) * pageBytes;
  };
  try {
    // Machines with larger pages say less this way than they hold.
    if (process.platform === 'linux' && process.arch === 'x64' && read() > 0) return read;
  } catch {
    // No /proc: what the engine says has to do.
  }
  return () => process.memoryUsage.rss();
}
