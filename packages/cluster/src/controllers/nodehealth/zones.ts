/**
 * How fast the pods of nodes in trouble may be driven away. When most nodes of a zone fall silent at once it is more
 * likely that the network or this process is in trouble, and moving everything would make it worse.
 *
 * Each zone gives out turns. A node in trouble asks for one and comes back when it is due; when the state of its zone
 * changes, turns are given anew and everybody who waits is woken.
 */
export interface Zones {
  /** Takes in a node's state. Returns the nodes that have to be looked at because of it. */
  set(node: string, state: NodeState): Iterable<string>;
  remove(node: string): Iterable<string>;
  /** When the node's turn is; undefined: nobody has one now, and the node is woken when that changes. */
  turnMs(node: string): number | undefined;
  /** The node is well again, or has had its turn. */
  leave(node: string): void;
  /** Whether no node of any zone is ready. */
  readonly isAllDown: boolean;
}

export interface NodeState {
  readonly zone: string;
  readonly isReady: boolean;
  /** Whether the zone is judged by it, too. The default is that it is. */
  readonly counts?: boolean;
}

export interface Pace {
  /** How long a node waits for its turn at least: many that fall in the same moment are to be judged together. */
  readonly gatherMs: number;
  /** Between two nodes of one zone. */
  readonly everyMs: number;
  /** The same in a large zone of which most nodes are in trouble; in a small one all waits. */
  readonly everyMsDisrupted: number;
  /** The share of nodes in trouble from which on a zone is disrupted; never with two or less. */
  readonly disruptedShare: number;
  /** A zone with more nodes than this is large. */
  readonly largeZone: number;
}

/** Upstream's defaults. */
export const defaultPace: Pace = {
  gatherMs: 1_000,
  everyMs: 10_000,
  everyMsDisrupted: 100_000,
  disruptedShare: 0.55,
  largeZone: 50,
};

type Member = Pick<Required<NodeState>, 'isReady' | 'counts'>;

interface Zone {
  readonly nodes: Map<string, Member>;
  /** Of those that count. */
  size: number;
  down: number;
  nextMs: number;
  everyMs: number | undefined;
  /** Nodes in trouble, with their turn if they have one. */
  readonly waiting: Map<string, number | undefined>;
}

export interface ZonesOptions {
  readonly nowMs: () => number;
  readonly pace: Pace;
}

export function createZones({ nowMs, pace }: ZonesOptions): Zones {
  const zones = new Map<string, Zone>();
  const find = finder(zones, pace);
  const zoneOf = new Map<string, string>();
  /** Zones with nodes that count. */
  const judged = new Set<string>();
  /** Those of them without a ready node. */
  const dead = new Set<string>();
  let isAllDown = false;

  const take = (node: string): string | undefined => {
    const name = zoneOf.get(node);
    if (name === undefined) return undefined;
    remove(find(name), node);
    zoneOf.delete(node);
    return name;
  };

  /** Sets the zone's pace; returns who has to know. */
  const judge = (name: string): readonly string[] => {
    const zone = find(name);
    keep(dead, { name, isIn: zone.size > 0 && zone.down === zone.size });
    keep(judged, { name, isIn: zone.size > 0 });
    if (zone.nodes.size === 0) zones.delete(name);
    const allDown = judged.size > 0 && dead.size === judged.size;
    const everyMs = allDown ? undefined : paceOf(zone, pace);
    const woken = everyMs === zone.everyMs ? [] : restart(zone, { everyMs, nowMs: nowMs() });
    if (allDown === isAllDown) return woken;
    isAllDown = allDown;
    // It happens rarely, and then everybody's taints have to be looked at.
    for (const each of zones.values())
      restart(each, { everyMs: allDown ? undefined : paceOf(each, pace), nowMs: nowMs() });
    return [...zoneOf.keys()];
  };

  return {
    get isAllDown() {
      return isAllDown;
    },
    set(node, { zone: name, isReady, counts = true }) {
      const before = zoneOf.get(node);
      const same = before === name ? zones.get(name) : undefined;
      const known = same?.nodes.get(node);
      if (known?.isReady === isReady && known.counts === counts) return [];
      const hadTurn = same?.waiting.has(node) === true && !isReady;
      const turn = same?.waiting.get(node);
      const left = take(node);
      const zone = find(name);
      enter(zone, node, { isReady, counts });
      if (hadTurn) zone.waiting.set(node, turn);
      zoneOf.set(node, name);
      return [...(left === undefined || left === name ? [] : judge(left)), ...judge(name)];
    },
    remove(node) {
      const name = take(node);
      return name === undefined ? [] : judge(name);
    },
    turnMs(node) {
      const zone = zones.get(zoneOf.get(node) ?? '');
      return zone && turnIn(zone, { node, readyMs: nowMs() + pace.gatherMs });
    },
    leave(node) {
      zones.get(zoneOf.get(node) ?? '')?.waiting.delete(node);
    },
  };
}

function finder(zones: Map<string, Zone>, pace: Pace): (name: string) => Zone {
  return (name) => {
    const zone = zones.get(name) ?? emptyZone(pace);
    zones.set(name, zone);
    return zone;
  };
}

function emptyZone({ everyMs }: Pace): Zone {
  return { nodes: new Map(), size: 0, down: 0, nextMs: 0, everyMs, waiting: new Map() };
}

function keep(names: Set<string>, { name, isIn }: { readonly name: string; readonly isIn: boolean }): void {
  if (isIn) names.add(name);
  else names.delete(name);
}

function enter(zone: Zone, node: string, state: Member): void {
  zone.nodes.set(node, state);
  if (state.counts) zone.size++;
  if (state.counts && !state.isReady) zone.down++;
}

function remove(zone: Zone, node: string): void {
  const known = zone.nodes.get(node);
  if (known?.counts === true) zone.size--;
  if (known?.counts === true && !known.isReady) zone.down--;
  zone.nodes.delete(node);
  zone.waiting.delete(node);
}

/** Gives the node the zone's next turn, if it has none. */
function turnIn(
  zone: Zone,
  { node, readyMs }: { readonly node: string; readonly readyMs: number },
): number | undefined {
  const known = zone.waiting.get(node);
  if (known !== undefined) return known;
  const turn = zone.everyMs === undefined ? undefined : Math.max(readyMs, zone.nextMs);
  if (turn !== undefined) zone.nextMs = turn + (zone.everyMs ?? 0);
  zone.waiting.set(node, turn);
  return turn;
}

/** Undefined: nobody's turn comes. */
function paceOf(
  { size, down }: Zone,
  { everyMs, everyMsDisrupted, disruptedShare, largeZone }: Pace,
): number | undefined {
  // A whole zone without power beside others that are well is believed.
  if (down === size || down <= 2 || down / size < disruptedShare) return everyMs;
  return size > largeZone ? everyMsDisrupted : undefined;
}

/** Takes back the turns that were given at another pace. */
function restart(
  zone: Zone,
  { everyMs, nowMs }: { readonly everyMs: number | undefined; readonly nowMs: number },
): readonly string[] {
  zone.everyMs = everyMs;
  zone.nextMs = Math.min(zone.nextMs, nowMs + (everyMs ?? 0));
  for (const node of zone.waiting.keys()) zone.waiting.set(node, undefined);
  return [...zone.waiting.keys()];
}

/** Whether a zone is judged by a node of these labels: some come and go on purpose. */
export function countsInZone(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels?.['node.kubernetes.io/exclude-disruption'] === undefined;
}
