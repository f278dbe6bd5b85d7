import type { NodeView } from '../node-view.ts';
import type { PodView } from '../pod-view.ts';

/** How full nodes should become: spread out, packed, or by a curve of one's own. */
export type FillingStrategy = {
  readonly resources: readonly WeightedResource[];
} & (
  | { readonly type: 'LeastAllocated' | 'MostAllocated' }
  | { readonly type: 'RequestedToCapacityRatio'; readonly shape: readonly ShapePoint[] }
);

export interface WeightedResource {
  readonly name: string;
  readonly weight: number;
}

/** At `utilization` percent the score is `score`, 0 to 10; between points it goes straight. */
export interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}

/** 0 to 100: the weighted mean of what each resource says. One that the node does not have says nothing. */
export function fillingScore(
  pod: PodView,
  { node, strategy }: { readonly node: NodeView; readonly strategy: FillingStrategy },
): number {
  let sum = 0;
  let weights = 0;
  for (const { name, weight } of strategy.resources) {
    const whole = wholeOf(name, node);
    const requested = requestedWith(pod, { node, name });
    if (whole === 0 || requested === undefined) continue;
    const score = scoreOf(requested, { whole, strategy });
    // A curve that says nothing of a resource leaves it out of the mean, as upstream does.
    if (strategy.type === 'RequestedToCapacityRatio' && score === 0) continue;
    sum += score * weight;
    weights += weight;
  }
  if (weights === 0) return 0;
  return strategy.type === 'RequestedToCapacityRatio' ? Math.round(sum / weights) : Math.trunc(sum / weights);
}

export function wholeOf(name: string, { allocatable }: NodeView): number {
  if (name === 'cpu') return allocatable.cpuMilli;
  if (name === 'memory') return allocatable.memoryBytes;
  if (name === 'ephemeral-storage') return allocatable.ephemeralBytes;
  return allocatable.extended[name] ?? 0;
}

/** Undefined for an extended resource that the pod does not ask for. */
function requestedWith(
  pod: PodView,
  { node, name }: { readonly node: NodeView; readonly name: string },
): number | undefined {
  if (name === 'cpu') return node.assumedCpuMilli + pod.assumedCpuMilli;
  if (name === 'memory') return node.assumedMemoryBytes + pod.assumedMemoryBytes;
  if (name === 'ephemeral-storage') return node.requested.ephemeralBytes + pod.requests.ephemeralBytes;
  const wanted = pod.requests.extended[name];
  return wanted === undefined ? undefined : (node.requested.extended[name] ?? 0) + wanted;
}

function scoreOf(
  requested: number,
  { whole, strategy }: { readonly whole: number; readonly strategy: FillingStrategy },
): number {
  switch (strategy.type) {
    case 'LeastAllocated':
      return requested > whole ? 0 : Math.trunc(((whole - requested) * 100) / whole);
    case 'MostAllocated':
      return Math.trunc((Math.min(requested, whole) * 100) / whole);
    case 'RequestedToCapacityRatio':
      return onShape(requested > whole ? 100 : Math.trunc((requested * 100) / whole), strategy.shape);
    default:
      return strategy satisfies never;
  }
}

function onShape(utilization: number, shape: readonly ShapePoint[]): number {
  const [first] = shape;
  if (first === undefined) return 0;
  let before = first;
  for (const point of shape) {
    if (utilization <= point.utilization) {
      if (point === first) return point.score * 10;
      const [from, to] = [before.score * 10, point.score * 10];
      const [passed, whole] = [utilization - before.utilization, point.utilization - before.utilization];
      // The way from the point before is cut off, not the sum: a line that falls loses less.
      return from + Math.trunc(((to - from) * passed) / whole);
    }
    before = point;
  }
  return before.score * 10;
}
