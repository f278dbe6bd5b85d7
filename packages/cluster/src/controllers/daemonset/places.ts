import { isOver } from './daemon-pod.ts';
import type { Site } from './sites.ts';
import { createTally, type RunningTally } from './tally.ts';

/** The sites in the order in which their nodes came, which ones are not at rest, and their counts. */
export class Places {
  readonly tally: RunningTally = createTally();
  readonly #numbers = new Map<string, number>();
  /** By number. A node that has gone leaves a gap. */
  #order: (Site | undefined)[] = [];
  #uids: string[] = [];
  #unsettled = new Set<number>();

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

  all(): readonly Site[] {
    return this.#order.length === this.size
      ? (this.#order as Site[])
      : this.#order.filter((site) => site !== undefined);
  }

  unsettled(): readonly Site[] {
    return [...this.#unsettled].sort((a, b) => a - b).flatMap((number) => this.#order[number] ?? []);
  }

  #replace(number: number, site: Site | undefined): void {
    const before = this.#order[number];
    if (before !== undefined) this.tally.remove(before);
    this.#order[number] = site;
    if (site !== undefined) this.tally.add(site);
    if (site === undefined || isSettled(site)) this.#unsettled.delete(number);
    else this.#unsettled.add(number);
  }

  /** Gaps cost as much as sites: without them all move up. */
  #close(): void {
    const uids = this.#uids.filter((_, number) => this.#order[number] !== undefined);
    const sites = this.all();
    this.#order = [...sites];
    this.#uids = uids;
    this.#unsettled = new Set();
    for (const [number, site] of sites.entries()) {
      this.#numbers.set(site.node, number);
      if (!isSettled(site)) this.#unsettled.add(number);
    }
  }
}

/** One pod that goes on where one may be, or none where none should be: so it is nearly everywhere, and at nearly all times. */
function isSettled({ verdict, pods }: Site): boolean {
  const only = pods[0];
  if (only === undefined) return !verdict.runs;
  return verdict.stays && pods.length === 1 && !only.terminating && !isOver(only);
}
