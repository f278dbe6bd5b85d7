import { availableInMs, sooner } from '../../workloads/phase.ts';
import { type DaemonPod, isAvailable } from './daemon-pod.ts';

/**
 * Pods that are ready and have to be so for a while before they count. Time alone brings that about, so whoever files pods by it
 * asks who has come to be available since.
 */
export class Ripening {
  readonly #minReadySeconds: number;
  /** By the moment since when they are ready: the API tells seconds, so there are few. */
  readonly #since = new Map<number, Set<DaemonPod>>();
  #nowMs = Number.NEGATIVE_INFINITY;

  constructor(minReadySeconds: number) {
    this.#minReadySeconds = minReadySeconds;
  }

  /** At the moment that was gone to last. */
  isAvailable(pod: DaemonPod): boolean {
    return isAvailable(pod, this.#waiting);
  }

  add(pod: DaemonPod): void {
    const { readySinceMs: sinceMs, terminating } = pod;
    if (
      this.#minReadySeconds === 0 ||
      terminating ||
      sinceMs === undefined ||
      availableInMs(sinceMs, this.#waiting) === undefined
    )
      return;
    const pods = this.#since.get(sinceMs);
    if (pods === undefined) this.#since.set(sinceMs, new Set([pod]));
    else pods.add(pod);
  }

  delete(pod: DaemonPod): void {
    const { readySinceMs: sinceMs } = pod;
    const pods = sinceMs === undefined ? undefined : this.#since.get(sinceMs);
    pods?.delete(pod);
    if (pods?.size === 0 && sinceMs !== undefined) this.#since.delete(sinceMs);
  }

  /** Returns those for whom the answer may be another one at this moment. `all`: of whom it is asked; a clock that went back makes the answer another one for any of them. */
  goTo(nowMs: number, all: Iterable<DaemonPod>): Iterable<DaemonPod> {
    const isBack = nowMs < this.#nowMs;
    this.#nowMs = nowMs;
    const ripe: DaemonPod[] = [];
    for (const [sinceMs, pods] of this.#since) {
      if (availableInMs(sinceMs, this.#waiting) !== undefined) continue;
      for (const pod of pods) ripe.push(pod);
      this.#since.delete(sinceMs);
    }
    if (!isBack || this.#minReadySeconds === 0) return ripe;
    const everybody = [...all];
    for (const pod of everybody) this.add(pod);
    return everybody;
  }

  /** Until the next ones are available. */
  soonestInMs(): number | undefined {
    let soonest: number | undefined;
    for (const sinceMs of this.#since.keys()) soonest = sooner(soonest, availableInMs(sinceMs, this.#waiting));
    return soonest;
  }

  get #waiting(): { readonly minReadySeconds: number; readonly nowMs: number } {
    return { minReadySeconds: this.#minReadySeconds, nowMs: this.#nowMs };
  }
}
