import type { NodeView } from '../node-view.ts';
import { fits, type Reason, rejectsWith, type SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';
import { type FillingStrategy, fillingScore } from './filling.ts';

export interface NodeResourcesFitArgs {
  readonly scoringStrategy: FillingStrategy;
  /** Names that are not looked at, and beginnings of names before the slash. */
  readonly ignoredResources: readonly string[];
  readonly ignoredResourceGroups: readonly string[];
}

/** What a pod requests must still be free on the node. Prefers nodes with the most left, or whatever the strategy says. */
export function resourcesFit(args: NodeResourcesFitArgs): SchedulerPlugin {
  const ignored = new Set(args.ignoredResources);
  const groups = new Set(args.ignoredResourceGroups);
  const isIgnored = (name: string): boolean => ignored.has(name) || groups.has(name.split('/', 1)[0] ?? '');
  const looksAway = ignored.size > 0 || groups.size > 0;
  return {
    name: 'NodeResourcesFit',
    looksAt: 'demands',
    wakesOn: ['node/added', 'node/updated', 'pod/removed', 'pod/shrunk'],
    filter(pod, node) {
      if (hasRoom(pod, node)) return fits;
      return rejectsWith([...shortages(pod, { node, isIgnored: looksAway ? isIgnored : never })]);
    },
    score: (pod, node) => fillingScore(pod, { node, strategy: args.scoringStrategy }),
  };
}

const never = (): boolean => false;

/** The usual case, without a list of reasons. */
function hasRoom({ requests }: PodView, { allocatable, requested, podCount, podsMax }: NodeView): boolean {
  if (podCount >= podsMax) return false;
  if (requests.cpuMilli > 0 && requests.cpuMilli > allocatable.cpuMilli - requested.cpuMilli) return false;
  if (requests.memoryBytes > 0 && requests.memoryBytes > allocatable.memoryBytes - requested.memoryBytes) return false;
  if (requests.ephemeralBytes > 0 && requests.ephemeralBytes > allocatable.ephemeralBytes - requested.ephemeralBytes)
    return false;
  for (const _ in requests.extended) return false;
  return true;
}

/** Resolvable when an empty node would have enough. */
function* shortages(
  { requests }: PodView,
  { node, isIgnored }: { readonly node: NodeView; isIgnored(resource: string): boolean },
): Iterable<Reason> {
  const { allocatable, requested, podCount, podsMax } = node;
  if (podCount + 1 > podsMax) yield { text: 'Too many pods', resolvable: podsMax > 0 };
  const lacks = (wanted: number, whole: number, taken: number): boolean => wanted > 0 && wanted > whole - taken;
  if (lacks(requests.cpuMilli, allocatable.cpuMilli, requested.cpuMilli))
    yield { text: 'Insufficient cpu', resolvable: requests.cpuMilli <= allocatable.cpuMilli };
  if (lacks(requests.memoryBytes, allocatable.memoryBytes, requested.memoryBytes))
    yield { text: 'Insufficient memory', resolvable: requests.memoryBytes <= allocatable.memoryBytes };
  if (lacks(requests.ephemeralBytes, allocatable.ephemeralBytes, requested.ephemeralBytes))
    yield {
      text: 'Insufficient ephemeral-storage',
      resolvable: requests.ephemeralBytes <= allocatable.ephemeralBytes,
    };
  for (const [name, wanted] of Object.entries(requests.extended)) {
    const whole = allocatable.extended[name] ?? 0;
    if (!isIgnored(name) && lacks(wanted, whole, requested.extended[name] ?? 0))
      yield { text: `Insufficient ${name}`, resolvable: wanted <= whole };
  }
}
