/**
 * Nodes in the order in which they are looked at: of each zone one in turn, in a zone as they joined. In a large cluster not all are
 * looked at for each pod, and a run of them has nodes of every zone.
 */
export class NodeTurns<T> {
  readonly #zones = new Map<string, Set<T>>();
  readonly #zoneOf = new Map<T, string>();
  #all: readonly T[] | undefined;

  /** Joins it, or moves it to another zone. */
  put(node: T, zone: string): void {
    const before = this.#zoneOf.get(node);
    if (before === zone) return;
    this.remove(node);
    this.#zoneOf.set(node, zone);
    this.#zones.set(zone, (this.#zones.get(zone) ?? new Set<T>()).add(node));
    this.#all = undefined;
  }

  remove(node: T): void {
    const zone = this.#zoneOf.get(node);
    if (zone === undefined) return;
    this.#zoneOf.delete(node);
    const nodes = this.#zones.get(zone);
    nodes?.delete(node);
    if (nodes?.size === 0) this.#zones.delete(zone);
    this.#all = undefined;
  }

  /** The same list until one comes or goes. */
  get all(): readonly T[] {
    this.#all ??= inTurn([...this.#zones.values()].map((nodes) => [...nodes]));
    return this.#all;
  }
}

function inTurn<T>(zones: readonly (readonly T[])[]): readonly T[] {
  const [only = []] = zones;
  if (zones.length <= 1) return only;
  const all: T[] = [];
  let left = zones;
  for (let round = 0; left.length > 0; round++) {
    left = left.filter(({ length }) => length > round);
    for (const nodes of left) all.push(nodes[round] as T);
  }
  return all;
}
