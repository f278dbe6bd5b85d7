import type { NodeView } from '../node-view.ts';
import type { SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';
import { type WeightedResource, wholeOf } from './filling.ts';

export interface BalancedAllocationArgs {
  readonly resources: readonly WeightedResource[];
}

/** Prefers nodes whose resources fill up evenly. Looks at real requests; pods without any do not tip the balance. */
export function balancedAllocation({ resources }: BalancedAllocationArgs): SchedulerPlugin {
  const names = resources.map(({ name }) => name);
  const isUsual = names.length === 2 && names[0] === 'cpu' && names[1] === 'memory';
  return {
    name: 'NodeResourcesBalancedAllocation',
    looksAt: 'demands',
    wakesOn: [],
    score(pod, node) {
      if (names.every((name) => asked(name, pod) === 0)) return 0;
      return isUsual ? ofTwo(pod, node) : ofAny(pod, { node, names });
    },
  };
}

function ofTwo({ requests }: PodView, { requested, allocatable }: NodeView): number {
  if (allocatable.cpuMilli === 0 || allocatable.memoryBytes === 0) return 100;
  const cpu = Math.min(1, (requested.cpuMilli + requests.cpuMilli) / allocatable.cpuMilli);
  const memory = Math.min(1, (requested.memoryBytes + requests.memoryBytes) / allocatable.memoryBytes);
  return Math.trunc((1 - Math.abs((cpu - memory) / 2)) * 100);
}

/** The more the shares differ from their mean, the less. Two are as far from it as half of their difference. */
function ofAny(pod: PodView, { node, names }: { readonly node: NodeView; readonly names: readonly string[] }): number {
  const shares = names.flatMap((name) => {
    const whole = wholeOf(name, node);
    const isAskedFor = asked(name, pod) > 0 || !isExtended(name);
    return whole === 0 || !isAskedFor ? [] : [Math.min(1, (taken(name, node) + asked(name, pod)) / whole)];
  });
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const spread = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0);
  const deviation = shares.length < 2 ? 0 : Math.sqrt(spread / shares.length);
  return Math.trunc((1 - deviation) * 100);
}

function isExtended(name: string): boolean {
  return name !== 'cpu' && name !== 'memory' && name !== 'ephemeral-storage';
}

function asked(name: string, { requests }: PodView): number {
  if (name === 'cpu') return requests.cpuMilli;
  if (name === 'memory') return requests.memoryBytes;
  if (name === 'ephemeral-storage') return requests.ephemeralBytes;
  return requests.extended[name] ?? 0;
}

function taken(name: string, { requested }: NodeView): number {
  if (name === 'cpu') return requested.cpuMilli;
  if (name === 'memory') return requested.memoryBytes;
  if (name === 'ephemeral-storage') return requested.ephemeralBytes;
  return requested.extended[name] ?? 0;
}
