import type { NodeView } from '../node-view.ts';
import { fits, type Reason, type SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';

/** What a pod requests must still be free on the node. Prefers nodes with the most left. */
export const resourcesFit: SchedulerPlugin = {
  name: 'NodeResourcesFit',
  wakesOn: ['node/added', 'node/updated', 'pod/removed'],
  filter(pod, node) {
    const reasons = [...shortages(pod, node)];
    return reasons.length === 0 ? fits : { fits: false, reasons };
  },
  score: (pod, node) =>
    (leastAllocated(node.assumedCpuMilli + pod.assumedCpuMilli, node.allocatable.cpuMilli) +
      leastAllocated(node.assumedMemoryBytes + pod.assumedMemoryBytes, node.allocatable.memoryBytes)) /
    2,
};

/** Resolvable when an empty node would have enough. */
function* shortages({ requests }: PodView, { allocatable, requested, podCount, podsMax }: NodeView): Iterable<Reason> {
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
    if (lacks(wanted, whole, requested.extended[name] ?? 0))
      yield { text: `Insufficient ${name}`, resolvable: wanted <= whole };
  }
}

function leastAllocated(requested: number, allocatable: number): number {
  return requested > allocatable || allocatable === 0 ? 0 : Math.floor(((allocatable - requested) * 100) / allocatable);
}
