import { type Pod, toTimestamp } from '@signalbox/cluster';
import type { ContainerState, ContainerUsage } from '../protocol/inside.ts';
import { uidOf } from './containers.ts';

/** All that is known of what the containers of a node use, at one moment. */
export interface Measured {
  readonly nodeName: string;
  readonly nowMs: number;
  readonly pods: readonly Pod[];
  readonly usage: readonly ContainerUsage[];
  readonly containers: readonly ContainerState[];
}

interface Row {
  readonly pod: Pod;
  readonly name: string;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly startedMs: number;
}

function rowsOf({ pods, usage, containers }: Measured): readonly Row[] {
  const byUid = new Map(pods.map((pod) => [uidOf(pod.metadata), pod]));
  return usage.flatMap(({ pod: uid, name, cpuNanoseconds, memoryBytes }) => {
    const pod = byUid.get(uid);
    const state = containers.find((each) => each.pod === uid && each.name === name);
    if (pod === undefined || state === undefined || state.ended !== undefined) return [];
    return [{ pod, name, cpuSeconds: cpuNanoseconds / 1e9, memoryBytes, startedMs: state.startedMs }];
  });
}

function sum(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}

function byPod(rows: readonly Row[]): ReadonlyMap<Pod, readonly Row[]> {
  const grouped = new Map<Pod, Row[]>();
  for (const row of rows) grouped.set(row.pod, [...(grouped.get(row.pod) ?? []), row]);
  return grouped;
}

/** `/metrics/resource`: what a metrics server reads. */
export function resourceMetrics(measured: Measured): string {
  const rows = rowsOf(measured);
  const pods = [...byPod(rows)];
  const { nowMs } = measured;
  const ofPod = ({ metadata }: Pod): Labels => ({ namespace: metadata.namespace ?? '', pod: metadata.name });
  const ofContainer = ({ pod, name }: Row): Labels => ({ container: name, ...ofPod(pod) });
  return [
    family(
      'container_cpu_usage_seconds_total',
      'counter',
      'Cumulative cpu time consumed by the container in core-seconds',
      rows.map((row) => sample(ofContainer(row), row.cpuSeconds, nowMs)),
    ),
    family(
      'container_memory_working_set_bytes',
      'gauge',
      'Current working set of the container in bytes',
      rows.map((row) => sample(ofContainer(row), row.memoryBytes, nowMs)),
    ),
    family(
      'container_start_time_seconds',
      'gauge',
      'Start time of the container since unix epoch in seconds',
      rows.map((row) => sample(ofContainer(row), row.startedMs / 1000)),
    ),
    family('node_cpu_usage_seconds_total', 'counter', 'Cumulative cpu time consumed by the node in core-seconds', [
      sample(
        {},
        sum(rows, ({ cpuSeconds }) => cpuSeconds),
        nowMs,
      ),
    ]),
    family('node_memory_working_set_bytes', 'gauge', 'Current working set of the node in bytes', [
      sample(
        {},
        sum(rows, ({ memoryBytes }) => memoryBytes),
        nowMs,
      ),
    ]),
    family(
      'pod_cpu_usage_seconds_total',
      'counter',
      'Cumulative cpu time consumed by the pod in core-seconds',
      pods.map(([pod, of]) =>
        sample(
          ofPod(pod),
          sum(of, ({ cpuSeconds }) => cpuSeconds),
          nowMs,
        ),
      ),
    ),
    family(
      'pod_memory_working_set_bytes',
      'gauge',
      'Current working set of the pod in bytes',
      pods.map(([pod, of]) =>
        sample(
          ofPod(pod),
          sum(of, ({ memoryBytes }) => memoryBytes),
          nowMs,
        ),
      ),
    ),
    family('resource_scrape_error', 'gauge', '1 if there was an error while getting container metrics, 0 otherwise', [
      sample({}, 0),
    ]),
  ].join('');
}

/** `/metrics/cadvisor`, of which this is the part that dashboards and rules look at. */
export function containerMetrics(measured: Measured): string {
  const rows = rowsOf(measured);
  const labels = ({ pod, name }: Row): Labels => ({
    ...{ container: name, id: `/${uidOf(pod.metadata)}/${name}`, name },
    ...{ namespace: pod.metadata.namespace ?? '', pod: pod.metadata.name },
  });
  const { nowMs } = measured;
  return [
    family(
      'container_cpu_usage_seconds_total',
      'counter',
      'Cumulative cpu time consumed in seconds.',
      rows.map((row) => sample({ ...labels(row), cpu: 'total' }, row.cpuSeconds, nowMs)),
    ),
    family(
      'container_memory_working_set_bytes',
      'gauge',
      'Current working set in bytes.',
      rows.map((row) => sample(labels(row), row.memoryBytes, nowMs)),
    ),
    family(
      'container_start_time_seconds',
      'gauge',
      'Start time of the container since unix epoch in seconds.',
      rows.map((row) => sample(labels(row), row.startedMs / 1000, nowMs)),
    ),
  ].join('');
}

type Labels = Readonly<Record<string, string>>;
type Sample = (name: string) => string;

function sample(labels: Labels, value: number, timeMs?: number): Sample {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text.replace(/[\\"]/g, '\\$&')}"`);
  const where = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  return (name) => `${name}${where} ${value}${timeMs === undefined ? '' : ` ${timeMs}`}\n`;
}

function family(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string {
  const lines = samples.map((line) => line(name)).join('');
  return `# HELP ${name} [STABLE] ${help}\n# TYPE ${name} ${type}\n${lines}`;
}

/** `/stats/summary`, without what nobody here measures: disks and networks. */
export function statsSummary(measured: Measured): object {
  const rows = rowsOf(measured);
  const time = toTimestamp(measured.nowMs);
  const figures = (of: readonly Row[]): object => ({
    cpu: { time, usageCoreNanoSeconds: Math.round(sum(of, ({ cpuSeconds }) => cpuSeconds) * 1e9) },
    memory: { time, workingSetBytes: sum(of, ({ memoryBytes }) => memoryBytes) },
  });
  const pods = [...byPod(rows)].map(([{ metadata, status }, of]) => ({
    podRef: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
    startTime: status?.startTime ?? time,
    containers: of.map((row) => ({ name: row.name, startTime: toTimestamp(row.startedMs), ...figures([row]) })),
    ...figures(of),
  }));
  return { node: { nodeName: measured.nodeName, startTime: time, ...figures(rows) }, pods };
}
