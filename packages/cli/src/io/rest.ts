import type { Clock, Used } from '@signalbox/cluster';

/** What the JavaScript of this process takes. */
export interface Heap extends Used {
  /** Lets go of the garbage, which takes about a second per gigabyte in use. */
  collect(): void;
}

const lookEveryMs = 10_000;
/** Less than a hundredth of the time is rest. */
const restCpuMsMax = 100;
/** What comes and goes at rest stays below: new objects have eight MiB. */
const garbageBytesMin = 16 * 1024 * 1024;

/**
 * Collects what a burst of work has left, when it is over: an engine that has nothing to do does not look after that, and a process
 * that lists a cluster and then waits would hold for days what only its start took. Returns how to stop.
 */
export function collectAtRest(heap: Heap, clock: Clock): () => void {
  let spentMs = heap.cpuMs();
  // After the start there is garbage for certain.
  let keptBytes = -garbageBytesMin;
  let cancel = clock.after(lookEveryMs, look);
  function look(): void {
    const atRest = heap.cpuMs() - spentMs < restCpuMsMax;
    if (atRest && heap.usedBytes() - keptBytes >= garbageBytesMin) {
      heap.collect();
      keptBytes = heap.usedBytes();
    }
    spentMs = heap.cpuMs();
    cancel = clock.after(lookEveryMs, look);
  }
  return () => cancel();
}
