import { createTurns, type Turn, type Turns } from './turns.ts';

/**
 * How fast the pods of nodes in trouble may be driven away. When most nodes of a zone fall silent at once it is more
 * likely that the network or this process is in trouble, and moving everything would make it worse.
 *
 * Each zone gives out turns. A node in trouble asks for one and comes back when it is due, or when it is woken.
 */
export interface Zones {
  /** Takes in a node's state. Returns the nodes that have to be looked at because of it. */
  set(node: string, state: NodeState): Iterable<string>;
  remove(node: string): Iterable<string>;
  /** Whether it is the node's turn. Where that is not known yet, the node is woken when it is. */
  ask(node: string): Turn;
  /** The node is well again, or has had its turn. Returns the nodes that have to be looked at because of it. */
  leave(node: string): Iterable<string>;
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
  readonly turns: Turns;
}

export interface ZonesOptions {
  readonly nowMs: () => number;
  readonly pace: Pace;
}

export function createZones(options: ZonesOptions): Zones {
  const { pace } = options;
  const zones = new Map<string, Zone>();
  const find = finder(zones, options);
  const zoneOf = new Map<string, string>();
  /** Zones with nodes that count. */
  const judged = new Set<string>();
  /** Those of them without a ready node. */
  const dead = new Set<string>();
  let isAllDown = false;

  /** Sets the zone's pace; returns who has to know. */
  const judge = (name: string): readonly string[] => {
    const zone = find(name);
    keep(dead, { name, isIn: zone.size > 0 && zone.down === zone.size });
    keep(judged, { name, isIn: zone.size > 0 });
    if (zone.nodes.size === 0) zones.delete(name);
    const allDown = judged.size > 0 && dead.size === judged.size;
    if (allDown === isAllDown) return listed(zone.turns.setPace(allDown ? undefined : paceOf(zone, pace)));
    isAllDown = allDown;
    for (const each of zones.values()) each.turns.setPace(allDown ? undefined : paceOf(each, pace));
    // It happens rarely, and then everybody's taints have to be looked at.
    return [...zoneOf.keys()];
  };

  const remove = (node: string): readonly string[] => {
    const name = zoneOf.get(node);
    if (name === undefined) return [];
    zoneOf.delete(node);
    const zone = find(name);
    count(zone, { member: zone.nodes.get(node), by: -1 });
    zone.nodes.delete(node);
    return [...listed(zone.turns.leave(node)), ...judge(name)];
  };

  return {
    get isAllDown() {
      return isAllDown;
    },
    set(node, { zone: name, isReady, counts = true }) {
      const left = zoneOf.get(node) === name ? [] : remove(node);
      const zone = find(name);
      const known = zone.nodes.get(node);
      if (known?.isReady === isReady && known.counts === counts) return left;
      const member = { isReady, counts };
      count(zone, { member: known, by: -1 });
      count(zone, { member, by: 1 });
      zone.nodes.set(node, member);
      zoneOf.set(node, name);
      return [...left, ...listed(isReady ? zone.turns.leave(node) : undefined), ...judge(name)];
    },
    remove,
    ask: (node) => zones.get(zoneOf.get(node) ?? '')?.turns.ask(node) ?? { is: 'unknown' },
    leave: (node) => listed(zones.get(zoneOf.get(node) ?? '')?.turns.leave(node)),
  };
}

function listed(node: string | undefined): readonly string[] {
  return node === undefined ? [] : [node];
}

function finder(zones: Map<string, Zone>, { nowMs, pace }: ZonesOptions): (name: string) => Zone {
  const { gatherMs, everyMs } = pace;
  return (name) => {
    const zone = zones.get(name) ?? {
      ...{ nodes: new Map(), size: 0, down: 0 },
      turns: createTurns({ nowMs, gatherMs, everyMs }),
    };
    zones.set(name, zone);
    return zone;
  };
}

function keep(names: Set<string>, { name, isIn }: { readonly name: string; readonly isIn: boolean }): void {
  if (isIn) names.add(name);
  else names.delete(name);
}

function count(zone: Zone, { member, by }: { readonly member: Member | undefined; readonly by: 1 | -1 }): void {
  if (member?.counts !== true) return;
  zone.size += by;
  if (!member.isReady) zone.down += by;
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

/** Whether a zone is judged by a node of these labels: some come and go on purpose. */
export function countsInZone(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels?.['node.kubernetes.io/exclude-disruption'] === undefined;
}
