import type { Key } from '../../api/meta.ts';
import type { Usage } from '../driver.ts';
import type { Point, Reading } from './reading.ts';

/** How often a node is asked; a container that is younger is measured from its start. */
export const intervalMs = 15_000;
/** Of a shorter time nothing can be said. */
const youngMs = 10_000;

/** The window that CPU was averaged over, and where it ended. */
export interface Window {
  readonly takenMs: number;
  readonly windowMs: number;
}

export interface NodeMeasure extends Window {
  readonly usage: Usage;
}

export interface PodMeasure extends Window {
  readonly containers: ReadonlyMap<string, Usage>;
}

/** The last look at a node, and what each counter in it stood at before: two of them make a rate. */
export interface Series {
  readonly last: Reading;
  readonly before: Reading;
}

const nothing: Reading = { node: undefined, pods: new Map() };

/** Pure. What the newer reading does not have is forgotten; who comes back begins anew. */
export function follow(known: Series | undefined, reading: Reading): Series {
  const { last, before } = known ?? { last: nothing, before: nothing };
  const pods = [...reading.pods].map(([key, containers]): [Key, ReadonlyMap<string, Point>] => {
    const earlier = new Map<string, Point>();
    for (const [name, point] of containers) {
      const known = { last: last.pods.get(key)?.get(name), before: before.pods.get(key)?.get(name) };
      const from = beginning(point) ?? earlierPoint(point, known);
      if (from !== undefined) earlier.set(name, from);
    }
    return [key, earlier];
  });
  const node = reading.node && earlierPoint(reading.node, { last: last.node, before: before.node });
  return { last: reading, before: { node, pods: new Map(pods) } };
}

/** Of a container that has only just begun. */
function beginning({ startedMs, takenMs }: Point): Point | undefined {
  if (startedMs === undefined || takenMs - startedMs < youngMs || takenMs - startedMs >= intervalMs) return undefined;
  return { cpuSeconds: 0, memoryBytes: 0, takenMs: startedMs, startedMs };
}

interface Known {
  readonly last: Point | undefined;
  readonly before: Point | undefined;
}

/** A node may say twice what it measured once: then the window stays as it was. */
function earlierPoint(point: Point, { last, before }: Known): Point | undefined {
  if (last === undefined || (point.startedMs ?? 0) >= last.takenMs) return undefined;
  const earlier = point.takenMs > last.takenMs ? last : before;
  return earlier !== undefined && earlier.takenMs < point.takenMs ? earlier : undefined;
}

/** Undefined until each of its containers is measured, so that nobody takes a part for the whole. */
export function podMeasure({ last, before }: Series, key: Key): PodMeasure | undefined {
  const containers = new Map<string, Usage>();
  let window: Window | undefined;
  for (const [name, point] of last.pods.get(key) ?? []) {
    const measure = between(before.pods.get(key)?.get(name), point);
    if (measure === undefined) return undefined;
    containers.set(name, measure.usage);
    if (window === undefined || measure.takenMs < window.takenMs) window = measure;
  }
  return window && { takenMs: window.takenMs, windowMs: window.windowMs, containers };
}

export function nodeMeasure(series: Series): NodeMeasure | undefined {
  const { last, before } = series;
  const whole = last.node && between(before.node, last.node);
  if (whole !== undefined || last.node === undefined || before.node === undefined) return whole;
  // Some nodes count what runs at the moment, so that the sum falls when a container ends: what the others use still holds.
  const pods = [...last.pods.keys()].flatMap((key) => podMeasure(series, key) ?? []);
  const usages = pods.flatMap(({ containers }) => [...containers.values()]);
  const { takenMs, memoryBytes } = last.node;
  const usage = { cpuMilli: usages.reduce((sum, { cpuMilli }) => sum + cpuMilli, 0), memoryBytes };
  return { takenMs, windowMs: takenMs - before.node.takenMs, usage };
}

function between(from: Point | undefined, to: Point): NodeMeasure | undefined {
  if (from === undefined || to.cpuSeconds < from.cpuSeconds) return undefined;
  const windowMs = to.takenMs - from.takenMs;
  const cpuMilli = ((to.cpuSeconds - from.cpuSeconds) * 1e6) / windowMs;
  return { takenMs: to.takenMs, windowMs, usage: { cpuMilli, memoryBytes: to.memoryBytes } };
}
