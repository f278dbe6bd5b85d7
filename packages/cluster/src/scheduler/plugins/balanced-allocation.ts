import type { SchedulerPlugin } from '../plugin.ts';

/** Prefers nodes whose cpu and memory fill up evenly. Looks at real requests; pods without any do not tip the balance. */
export const balancedAllocation: SchedulerPlugin = {
  name: 'NodeResourcesBalancedAllocation',
  wakesOn: [],
  score({ requests }, { requested, allocatable }) {
    if (requests.cpuMilli === 0 && requests.memoryBytes === 0) return 0;
    const cpu = share(requested.cpuMilli + requests.cpuMilli, allocatable.cpuMilli);
    const memory = share(requested.memoryBytes + requests.memoryBytes, allocatable.memoryBytes);
    return Math.floor((1 - Math.abs(cpu - memory) / 2) * 100);
  },
};

function share(requested: number, allocatable: number): number {
  return allocatable === 0 ? 1 : Math.min(1, requested / allocatable);
}
