import { NumberSet } from '../../base/number-set.ts';
import { type DaemonPod, isOver } from './daemon-pod.ts';
import type { Rolling } from './rollout.ts';
import type { Site } from './sites.ts';
import { createTally, type RunningTally } from './tally.ts';

/** The sites in the order in which their nodes came, which ones are not at rest, and their counts. */
export class Places {
  readonly #isAvailable: (pod: DaemonPod) => boolean;
  readonly tally: RunningTally = createTally();
  readonly #numbers = new Map<string, number>();
  /** By number. A node that has gone leaves a gap. */
  #order: (Site | undefined)[] = [];
  #uids: string[] = [];
  #unsettled = new NumberSet();
  /** Those too: what of them matters to a rollout is more than a revision. */
  #restless = new NumberSet();
  /** Where one pod serves as it should and nothing else is, by its revision. */
  #serving = new Map<string | undefined, NumberSet>();

  /** Where the answer for a pod becomes another one, its site is to be filed again. */
  constructor(isAvailable: (pod: DaemonPod) => boolean) {
    this.#isAvailable = isAvailable;
  }

  get size(): number {
    return this.#numbers.size;
  }

  at(node: string): Site | undefined {
    const number = this.#numbers.get(node);
    return number === undefined ? undefined : this.#order[number];
  }

  /** `uid` of the Node: another one of the same name comes last. */
  put(site: Site, uid?: string): void {
    const known = this.#numbers.get(site.node);
    if (known !== undefined && (uid === undefined || this.#uids[known] === uid)) {
      this.#replace(known, site);
      return;
    }
    this.remove(site.node);
    const number = this.#order.length;
    this.#numbers.set(site.node, number);
    this.#uids.push(uid ?? '');
    this.#order.push(undefined);
    this.#replace(number, site);
  }

  remove(node: string): void {
    const number = this.#numbers.get(node);
    if (number === undefined) return;
    this.#replace(number, undefined);
    this.#numbers.delete(node);
    if (this.#order.length > 2 * this.#numbers.size + 16) this.#close();
  }

  fileAgain(node: string): void {
    const number = this.#numbers.get(node);
    const site = number === undefined ? undefined : this.#order[number];
    if (number === undefined || site === undefined) return;
    this.#forget(number, site);
    this.#file(number, site);
  }

  all(): readonly Site[] {
    return this.#order.length === this.size
      ? (this.#order as Site[])
      : this.#order.filter((site) => site !== undefined);
  }

  unsettled(): readonly Site[] {
    return this.#sites(this.#unsettled);
  }

  rolling(hash: string): Rolling {
    const current = this.#serving.get(hash)?.size ?? 0;
    const old: NumberSet[] = [];
    for (const [of, numbers] of this.#serving) if (of !== hash) old.push(numbers);
    return {
      restless: this.#sites(this.#restless),
      current,
      old: old.reduce((sum, { size }) => sum + size, 0),
      firstOld: (count) => {
        const numbers = old.flatMap((each) => each.first(count));
        // Each of them is in order already.
        if (old.length > 1) numbers.sort((a, b) => a - b);
        return numbers.slice(0, count).flatMap((number) => this.#order[number]?.pods ?? []);
      },
    };
  }

  #sites(numbers: NumberSet): readonly Site[] {
    return numbers.first().flatMap((number) => this.#order[number] ?? []);
  }

  #replace(number: number, site: Site | undefined): void {
    const before = this.#order[number];
    if (before !== undefined) {
      this.tally.remove(before);
      this.#forget(number, before);
    }
    this.#order[number] = site;
    if (site === undefined) return;
    this.tally.add(site);
    this.#file(number, site);
  }

  #file(number: number, site: Site): void {
    if (!isSettled(site)) this.#unsettled.add(number);
    const pod = this.#servingAt(site);
    if (pod === undefined) {
      if (!isSettled(site) || site.pods.length > 0) this.#restless.add(number);
      return;
    }
    let numbers = this.#serving.get(pod.hash);
    if (numbers === undefined) {
      numbers = new NumberSet();
      this.#serving.set(pod.hash, numbers);
    }
    numbers.add(number);
  }

  #forget(number: number, { pods: [first] }: Site): void {
    this.#unsettled.delete(number);
    this.#restless.delete(number);
    // Whether it was filed there is not asked: by now it may be available, or not.
    const numbers = this.#serving.get(first?.hash);
    numbers?.delete(number);
    if (numbers?.size === 0) this.#serving.delete(first?.hash);
  }

  /** The one pod of a site of which a rollout need not know more than its revision: it is wanted there, and serves. */
  #servingAt(site: Site): DaemonPod | undefined {
    const [only] = site.pods;
    return only !== undefined && site.verdict.runs && isSettled(site) && this.#isAvailable(only) ? only : undefined;
  }

  /** Gaps cost as much as sites: without them all move up. */
  #close(): void {
    const uids = this.#uids.filter((_, number) => this.#order[number] !== undefined);
    const sites = this.all();
    this.#order = [...sites];
    this.#uids = uids;
    this.#unsettled = new NumberSet();
    this.#restless = new NumberSet();
    this.#serving = new Map();
    for (const [number, site] of sites.entries()) {
      this.#numbers.set(site.node, number);
      this.#file(number, site);
    }
  }
}

/** One pod that goes on where one may be, or none where none should be: so it is nearly everywhere, and at nearly all times. */
function isSettled({ verdict, pods }: Site): boolean {
  const only = pods[0];
  if (only === undefined) return !verdict.runs;
  return verdict.stays && pods.length === 1 && !only.terminating && !isOver(only);
}
