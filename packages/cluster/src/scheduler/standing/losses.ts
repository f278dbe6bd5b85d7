import { type DryRun, isBetter, type MakesRoom } from '../loss.ts';
import type { Rejection } from '../plugin.ts';
import { Contest } from './contest.ts';
import { Ring } from './ring.ts';

/** What preemption would do somewhere, or what speaks against it on how many nodes. */
export interface Found {
  readonly best: MakesRoom | undefined;
  readonly rejections: ReadonlyMap<Rejection, number>;
}

export interface Hunt {
  readonly start: number;
  /** How many places to choose from are enough, where one of them hurts no budget. */
  readonly wanted: number;
  play(place: number): DryRun;
}

/** What preemption would do on each node for pods that are alike. Holds for the versions of nodes that it was asked about. */
export class Losses {
  readonly #size: number;
  readonly #runs: (DryRun | undefined)[];
  /** Where it could help, and nobody has looked. */
  readonly #unplayed: Ring;
  readonly #candidates: Ring;
  /** Candidates that hurt no budget. */
  readonly #gentle: Ring;
  readonly #best: Contest;
  readonly #rejections = new Map<Rejection, number>();

  constructor(size: number) {
    this.#size = size;
    this.#runs = Array.from({ length: size }, () => undefined);
    this.#unplayed = new Ring(size);
    this.#candidates = new Ring(size);
    this.#gentle = new Ring(size);
    this.#best = new Contest(size, (a, b) => {
      const [one, other] = [this.#runs[a], this.#runs[b]];
      return one !== undefined && other !== undefined && !('fits' in one) && !('fits' in other) && isBetter(one, other);
    });
  }

  /** It could help there. */
  offer(place: number): void {
    this.#unplayed.add(place);
  }

  /** The node has changed. */
  withdraw(place: number): void {
    this.#unplayed.remove(place);
    const run = this.#runs[place];
    if (run === undefined) return;
    if ('fits' in run) this.#count(run, -1);
    else {
      this.#best.leave(place);
      this.#candidates.remove(place);
      this.#gentle.remove(place);
    }
    this.#runs[place] = undefined;
  }

  run(place: number, play: () => DryRun): DryRun {
    const known = this.#runs[place];
    if (known !== undefined) return known;
    const run = play();
    if (this.#unplayed.has(place)) this.#keep(place, run);
    return run;
  }

  /** From the start on, until there are enough to choose from; undefined where all speak against it. */
  find({ start, wanted, play }: Hunt): Found {
    for (;;) {
      const last = this.#lastLookedAt(start, wanted);
      const next = this.#unplayed.stepsTo(start, 0);
      if (next === undefined || next > last) {
        const first = this.#best.best({ start, length: last + 1 })?.first;
        const best = first === undefined ? undefined : this.#runs[first];
        return {
          best: best === undefined || 'fits' in best ? undefined : best,
          rejections: this.#rejections,
        };
      }
      const place = (start + next) % this.#size;
      this.#keep(place, play(place));
    }
  }

  #lastLookedAt(start: number, wanted: number): number {
    const enough = this.#candidates.stepsTo(start, wanted - 1);
    const gentle = this.#gentle.stepsTo(start, 0);
    return enough === undefined || gentle === undefined ? this.#size - 1 : Math.max(enough, gentle);
  }

  #keep(place: number, run: DryRun): void {
    this.#unplayed.remove(place);
    this.#runs[place] = run;
    if ('fits' in run) {
      this.#count(run, 1);
      return;
    }
    this.#candidates.add(place);
    if (run.violating.length === 0) this.#gentle.add(place);
    this.#best.enter(place);
  }

  #count(rejection: Rejection, by: 1 | -1): void {
    const times = (this.#rejections.get(rejection) ?? 0) + by;
    if (times === 0) this.#rejections.delete(rejection);
    else this.#rejections.set(rejection, times);
  }
}
