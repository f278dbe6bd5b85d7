import { assert } from '../../base/assert.ts';
import { type Cycle, type Objection, objection } from '../cycle.ts';
import type { DryRun } from '../loss.ts';
import type { NodeView } from '../node-view.ts';
import { isResolvable, type Rejection, type SchedulerPlugin } from '../plugin.ts';
import type { Rejected } from '../rejected-nodes.ts';
import { ownScore } from '../scoring.ts';
import type { Snapshot } from '../snapshot.ts';
import { Contest } from './contest.ts';
import type { Journal } from './journal.ts';
import { type Found, type Hunt, Losses } from './losses.ts';
import { Ring, type Stretch } from './ring.ts';

/**
 * How all nodes stand to pods that are alike: whether each takes them, how good it is, or why not. It follows the changes of nodes, and
 * looks at one again when somebody gets to it; so a turn costs what has changed, not how many nodes there are.
 */
export class Standing {
  readonly nodes: readonly NodeView[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #objections: (Objection | undefined)[];
  readonly #scores: Float64Array;
  readonly #unknown: Ring;
  readonly #fitting: Ring;
  readonly #resolvable: Ring;
  readonly #best: Contest;
  /** On how many nodes a plugin says so. */
  readonly #refusals = new Map<SchedulerPlugin, Map<Rejection, number>>();
  /** Nodes of which each pod has to ask itself: what is promised there concerns one and not another. */
  readonly #disputed = new Set<number>();
  #losses: { readonly budgets: number; readonly of: Losses } | undefined;
  #position: number;

  constructor(snapshot: Snapshot, journal: Journal<NodeView>) {
    const { nodes } = snapshot;
    const size = nodes.length;
    this.nodes = nodes;
    this.#places = new Map(nodes.map(({ name }, place) => [name, place]));
    this.#objections = nodes.map(() => undefined);
    this.#scores = new Float64Array(size);
    this.#unknown = new Ring(size);
    this.#fitting = new Ring(size);
    this.#resolvable = new Ring(size);
    this.#best = new Contest(size, (a, b) => (this.#scores[a] ?? 0) > (this.#scores[b] ?? 0));
    for (let place = 0; place < size; place++) this.#see(place, snapshot);
    this.#position = journal.end;
  }

  /** Takes in what has changed. False: too much of it. */
  follows(snapshot: Snapshot, journal: Journal<NodeView>): boolean {
    const changed = journal.from(this.#position);
    if (changed === undefined) return false;
    for (const { name } of changed) {
      const place = this.#places.get(name);
      if (place === undefined) continue;
      this.#forget(place);
      this.#see(place, snapshot);
    }
    this.#position = journal.end;
    return true;
  }

  /** Whether what it says holds for each pod of the kind. */
  get isUndisputed(): boolean {
    return this.#disputed.size === 0;
  }

  objection(cycle: Cycle, place: number): Objection | undefined {
    const node = this.nodes[place];
    if (node === undefined) return undefined;
    if (this.#unknown.has(place)) {
      if (this.#disputed.has(place)) return objection(cycle, node);
      this.#judge(cycle, place);
    }
    return this.#objections[place];
  }

  score(place: number, work: (node: NodeView) => number): number {
    const node = this.nodes[place];
    if (node === undefined) return 0;
    return this.#fitting.has(place) ? (this.#scores[place] ?? 0) : work(node);
  }

  /** How many are looked at from the start on, until so many fit. */
  look(cycle: Cycle, { start, wanted }: { readonly start: number; readonly wanted: number }): Stretch {
    for (;;) {
      const last = this.#fitting.stepsTo(start, wanted - 1) ?? this.nodes.length - 1;
      const next = this.#unknown.stepsTo(start, 0);
      if (next === undefined || next > last) return { start, length: last + 1 };
      this.#judge(cycle, (start + next) % this.nodes.length);
    }
  }

  fittingOn(stretch: Stretch): number {
    return this.#fitting.countIn(stretch);
  }

  /** The places of those that fit, in turn. */
  placesOn({ start, length }: Stretch): readonly number[] {
    const places: number[] = [];
    for (let step = 0; step < length; step++) {
      const place = (start + step) % this.nodes.length;
      if (this.#fitting.has(place)) places.push(place);
    }
    return places;
  }

  /** One of the best that fit; `draw` chooses among so many. */
  bestOn(stretch: Stretch, draw: (among: number) => number): NodeView | undefined {
    const winners = this.#best.best(stretch);
    if (winners === undefined) return undefined;
    const { first, count } = winners;
    return this.nodes[this.#best.nthBest(stretch, { first, nth: draw(count) })];
  }

  /** All of them, after it was found that none fits; in turn from the start on. */
  rejected(start: number): Rejected {
    const { nodes } = this;
    const [refusals, resolvable, objections] = [this.#refusals, this.#resolvable, this.#objections];
    return {
      by: new Set(refusals.keys()),
      verdictOn: (name) => objections[this.#places.get(name) ?? -1]?.verdict,
      resolvable: () =>
        nodes.flatMap((_, step) => {
          const place = (start + step) % nodes.length;
          const node = nodes[place];
          return node !== undefined && resolvable.has(place) ? [node] : [];
        }),
      reasons() {
        const counts = new Map<string, number>();
        for (const said of refusals.values())
          for (const [{ reasons }, count] of said)
            for (const { text } of reasons) counts.set(text, (counts.get(text) ?? 0) + count);
        return counts;
      },
      circle: { start, standing: this },
    };
  }

  get resolvableCount(): number {
    return this.#resolvable.count;
  }

  /** Where least is lost, from the nth node on from `start` where preemption could help. */
  leastLoss({ start, nth, ...hunt }: Omit<Hunt, 'play'> & LossOptions): Found {
    const first = this.#resolvable.stepsTo(start, nth) ?? 0;
    return this.#lossesFor(hunt.budgets).find({
      start: (start + first) % Math.max(1, this.nodes.length),
      wanted: hunt.wanted,
      play: (place) => {
        const node = this.nodes[place];
        assert(node !== undefined, 'a place on the circle is a node', { place });
        return hunt.playOn(node);
      },
    });
  }

  dryRun({ name }: NodeView, { budgets, play }: { readonly budgets: number; readonly play: () => DryRun }): DryRun {
    return this.#lossesFor(budgets).run(this.#places.get(name) ?? -1, play);
  }

  #lossesFor(budgets: number): Losses {
    if (this.#losses?.budgets === budgets) return this.#losses.of;
    const losses = new Losses(this.nodes.length);
    for (let place = 0; place < this.nodes.length; place++) if (this.#resolvable.has(place)) losses.offer(place);
    this.#losses = { budgets, of: losses };
    return losses;
  }

  #see(place: number, snapshot: Snapshot): void {
    this.#unknown.add(place);
    const name = this.nodes[place]?.name ?? '';
    if (snapshot.nominatedTo(name).every(({ terms }) => terms === undefined)) this.#disputed.delete(place);
    else this.#disputed.add(place);
  }

  #forget(place: number): void {
    if (this.#unknown.has(place)) return;
    const known = this.#objections[place];
    if (known === undefined) {
      this.#fitting.remove(place);
      this.#best.leave(place);
      return;
    }
    this.#objections[place] = undefined;
    this.#count(known, -1);
    this.#resolvable.remove(place);
    this.#losses?.of.withdraw(place);
  }

  #judge(cycle: Cycle, place: number): void {
    const node = this.nodes[place];
    if (node === undefined) return;
    this.#unknown.remove(place);
    const found = objection(cycle, node);
    this.#objections[place] = found;
    if (found === undefined) {
      this.#scores[place] = ownScore(cycle, node);
      this.#fitting.add(place);
      this.#best.enter(place);
      return;
    }
    this.#count(found, 1);
    if (!isResolvable(found.verdict)) return;
    this.#resolvable.add(place);
    this.#losses?.of.offer(place);
  }

  #count({ plugin, verdict }: Objection, by: 1 | -1): void {
    const said = this.#refusals.get(plugin) ?? new Map<Rejection, number>();
    const times = (said.get(verdict) ?? 0) + by;
    if (times > 0) this.#refusals.set(plugin, said.set(verdict, times));
    else if (said.size > 1) said.delete(verdict);
    else this.#refusals.delete(plugin);
  }
}

interface LossOptions {
  /** Tells versions of the disruption budgets apart. */
  readonly budgets: number;
  readonly nth: number;
  playOn(node: NodeView): DryRun;
}
