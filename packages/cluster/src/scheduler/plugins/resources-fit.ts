import type { NodeView } from '../node-view.ts';
import { fits, type SchedulerPlugin, type Verdict } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';

/** What a pod requests must still be free on the node. Prefers nodes with the most left. */
export const resourcesFit: SchedulerPlugin = {
  name: 'NodeResourcesFit',
  wakesOn: ['node/added', 'node/updated', 'pod/removed'],
  filter(pod, node) {
    const reasons = [...shortages(pod, node)];
    if (reasons.length === 0) return fits;
    return {
      fits: false,
      reasons: reasons.map(({ reason }) => reason),
      resolvable: reasons.every(({ resolvable }) => resolvable),
    } satisfies Verdict;
  },
  score: (pod, node) =>
    (leastAllocated(node.assumedCpuMilli + pod.assumedCpuMilli, node.allocatable.cpuMilli) +
      leastAllocated(node.assumedMemoryBytes + pod.assumedMemoryBytes, node.allocatable.memoryBytes)) /
    2,
};

interface Shortage {
  readonly reason: string;
  /** An empty node would have enough. */
  readonly resolvable: boolean;
}

function* shortages({ requests }: PodView, { allocatable, requested, pods, podsMax }: NodeView): Iterable<Shortage> {
  if (pods.size + 1 > podsMax) yield { reason: 'Too many pods', resolvable: podsMax > 0 };
  const lacks = (wanted: number, whole: number, taken: number): boolean => wanted > 0 && wanted > whole - taken;
  if (lacks(requests.cpuMilli, allocatable.cpuMilli, requested.cpuMilli))
    yield { reason: 'Insufficient cpu', resolvable: requests.cpuMilli <= allocatable.cpuMilli };
  if (lacks(requests.memoryBytes, allocatable.memoryBytes, requested.memoryBytes))
    yield { reason: 'Insufficient memory', resolvable: requests.memoryBytes <= allocatable.memoryBytes };
  if (lacks(requests.ephemeralBytes, allocatable.ephemeralBytes, requested.ephemeralBytes))
    yield {
      reason: 'Insufficient ephemeral-storage',
      resolvable: requests.ephemeralBytes <= allocatable.ephemeralBytes,
    };
  for (const [name, wanted] of Object.entries(requests.extended)) {
    const whole = allocatable.extended[name] ?? 0;
    if (lacks(wanted, whole, requested.extended[name] ?? 0))
      yield { reason: `Insufficient ${name}`, resolvable: wanted <= whole };
  }
}

function leastAllocated(requested: number, allocatable: number): number {
  return requested > allocatable || allocatable === 0 ? 0 : Math.floor(((allocatable - requested) * 100) / allocatable);
}
