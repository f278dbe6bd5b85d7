/** Whom the plain scheduler would send away, and from where, while no budget has a say. */
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { firstReasons } from './reference.ts';
import { allocatable, type PlainWorld, podsOn, requestsOf } from './reference-facts.ts';

export interface PlainRoom {
  readonly node: string;
  /** Names, in any order. */
  readonly victims: ReadonlySet<string>;
}

/** All that are as good as each other. */
export function plainRooms(pod: Pod, world: PlainWorld): readonly PlainRoom[] {
  const rooms = world.nodes.flatMap((node) => {
    const victims = isHopeless(pod, node, world) ? [] : victimsOn(node, { pod, world });
    return victims.length === 0 ? [] : [{ node: node.metadata.name, victims }];
  });
  const [best] = rooms.map(({ victims }) => lossOf(victims)).sort(compared);
  return rooms
    .filter(({ victims }) => best !== undefined && compared(lossOf(victims), best) === 0)
    .map(({ node, victims }) => ({ node, victims: new Set(victims.map(({ metadata }) => metadata.name)) }));
}

/** Whoever goes, the node will not do. */
function isHopeless(pod: Pod, node: Node, world: PlainWorld): boolean {
  const [wanted, whole] = [requestsOf(pod), allocatable(node)];
  const forGood = [
    'node(s) were unschedulable',
    "node(s) didn't match Pod's node affinity/selector",
    "node(s) didn't match pod affinity rules",
    ...Object.keys(wanted).flatMap((name) =>
      (wanted[name] ?? 0) > (whole[name] ?? 0) ? [`Insufficient ${name}`] : [],
    ),
  ];
  return firstReasons(pod, node, world).some(
    (reason) => forGood.includes(reason) || /untolerated taint|missing required label/.test(reason),
  );
}

/** All of lower priority would go; the most important first each stays that can. */
function victimsOn(node: Node, { pod, world }: { readonly pod: Pod; readonly world: PlainWorld }): readonly Pod[] {
  const lower = podsOn(node, world).filter((other) => priorityOf(other) < priorityOf(pod));
  const others = world.pods.filter((other) => !lower.includes(other));
  if (firstReasons(pod, node, { ...world, pods: others }).length > 0) return [];
  const spared: Pod[] = [];
  for (const each of [...lower].sort(moreImportantFirst))
    if (firstReasons(pod, node, { ...world, pods: [...others, ...spared, each] }).length === 0) spared.push(each);
  return lower.filter((each) => !spared.includes(each));
}

function priorityOf({ spec }: Pod): number {
  return spec.priority ?? 0;
}

/** Whoever has not started has done the least. */
function startOf({ status }: Pod): number {
  return status.startTime === undefined ? Number.POSITIVE_INFINITY : Date.parse(status.startTime);
}

function moreImportantFirst(a: Pod, b: Pod): number {
  if (priorityOf(a) !== priorityOf(b)) return priorityOf(b) - priorityOf(a);
  if (startOf(a) !== startOf(b)) return startOf(a) < startOf(b) ? -1 : 1;
  return a.metadata.uid < b.metadata.uid ? -1 : 1;
}

/** The less the better, from left to right. */
function lossOf(victims: readonly Pod[]): readonly number[] {
  const highest = Math.max(...victims.map(priorityOf));
  const heads = victims.filter((pod) => priorityOf(pod) === highest);
  return [
    highest,
    victims.reduce((sum, pod) => sum + priorityOf(pod) + 2 ** 31, 0),
    victims.length,
    -Math.min(...heads.map(startOf)),
  ];
}

function compared(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0;
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}
