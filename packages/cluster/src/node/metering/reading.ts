import type { Key } from '../../api/meta.ts';

/** What one counter and one gauge said at a moment. */
export interface Point {
  /** Since the start. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly takenMs: number;
  /** Undefined: nobody says. */
  readonly startedMs: number | undefined;
}

/** One look at the door of a node. */
export interface Reading {
  readonly node: Point | undefined;
  /** By container. */
  readonly pods: ReadonlyMap<Key, ReadonlyMap<string, Point>>;
}

const line = /^(\w+)(?:\{([^}]*)\})? (\S+)(?: (\d+))?$/;
const label = /(\w+)="([^"]*)"/g;

/**
 * Reads what a kubelet serves on `/metrics/resource`. What it does not date was taken when it came; a container of which it does
 * not say both CPU and memory is left out. Names of pods hold nothing that would be escaped.
 */
export function parseReading(text: string, receivedMs: number): Reading {
  const node = new Sketch();
  const pods = new Map<Key, Map<string, Sketch>>();
  for (const row of text.split('\n')) {
    const [, metric = '', labels = '', value = '', time] = line.exec(row) ?? [];
    const amount = Number(value);
    if (metric === '' || value === '' || !Number.isFinite(amount)) continue;
    const sample = { amount, takenMs: time === undefined ? receivedMs : Number(time) };
    if (metric.startsWith('node_')) node.add(metric.slice('node_'.length), sample);
    if (!metric.startsWith('container_')) continue;
    const { namespace, pod, container } = Object.fromEntries([...labels.matchAll(label)].map(([, k, v]) => [k, v]));
    if (namespace === undefined || pod === undefined || container === undefined) continue;
    const key = `${namespace}/${pod}`;
    const containers = pods.get(key) ?? new Map<string, Sketch>();
    const sketch = containers.get(container) ?? new Sketch();
    sketch.add(metric.slice('container_'.length), sample);
    pods.set(key, containers.set(container, sketch));
  }
  return { node: node.point(), pods: new Map([...pods].map(([key, containers]) => [key, pointsOf(containers)])) };
}

function pointsOf(containers: ReadonlyMap<string, Sketch>): ReadonlyMap<string, Point> {
  const points = new Map<string, Point>();
  for (const [name, sketch] of containers) {
    const point = sketch.point();
    if (point !== undefined) points.set(name, point);
  }
  return points;
}

/** A point whose parts come line by line. */
class Sketch {
  private readonly samples = new Map<string, { readonly amount: number; readonly takenMs: number }>();

  add(metric: string, sample: { readonly amount: number; readonly takenMs: number }): void {
    this.samples.set(metric, sample);
  }

  point(): Point | undefined {
    const cpu = this.samples.get('cpu_usage_seconds_total');
    const memory = this.samples.get('memory_working_set_bytes');
    const started = this.samples.get('start_time_seconds');
    if (cpu === undefined || memory === undefined) return undefined;
    return {
      cpuSeconds: cpu.amount,
      memoryBytes: memory.amount,
      takenMs: cpu.takenMs,
      startedMs: started === undefined ? undefined : started.amount * 1_000,
    };
  }
}
