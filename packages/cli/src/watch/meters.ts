import type {
  AnsweredRequest,
  EndedRun,
  EndedWatch,
  Followed,
  PartState,
  RequestObserver,
  RuntimeObserver,
} from '@signalbox/cluster';
import type { RootFigures, Wrong } from '@signalbox/telemetry';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Vitals } from '../io/io.ts';
import { type Meter, type MeterName, meterTable, rootsMax } from './meter-table.ts';
import type { NamedQueue } from './queues.ts';

/** What is counted when it happens. */
export interface Meters {
  readonly runtime: RuntimeObserver;
  readonly requests: RequestObserver;
  /** In the text format of Prometheus. What has no counter is read now. */
  text(facts: MeterFacts): Promise<string>;
  readonly contentType: string;
}

export interface MeterFacts {
  readonly isLeader: boolean;
  readonly parts: readonly PartState[];
  readonly queues: readonly NamedQueue[];
  readonly followed: readonly Followed[];
  readonly roots: readonly RootFigures[];
  readonly wrong: readonly (Wrong & { readonly count: number })[];
  readonly unreachableMs: number;
  readonly loopLateMs: number;
  readonly vitals: Vitals;
}

export interface BuildFacts {
  readonly version: string;
  readonly commit: string;
  readonly node: string;
}

/** In seconds. */
const durationBuckets = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

export function createMeters(build: BuildFacts): Meters {
  const registry = new Registry();
  const sheet = createSheet(registry);
  const counted = (name: MeterName, labels: Labels): void => (sheet.get(name) as Counter).inc(labels, 1);
  const timed = (name: MeterName, labels: Labels, ms: number): void =>
    (sheet.get(name) as Histogram).observe(labels, ms / 1_000);
  return {
    runtime: {
      works: () => () => undefined,
      ran({ component, result, startedMs, endedMs }: EndedRun) {
        counted('signalbox_reconciles_total', { component, result });
        timed('signalbox_reconcile_duration_seconds', { component }, endedMs - startedMs);
        if (result !== 'succeeded') counted('signalbox_queue_retries_total', { component });
      },
      acts:
        ({ component }, { do: action }) =>
        (refusal) =>
          counted('signalbox_actions_total', { component, action, result: refusal === undefined ? 'done' : 'refused' }),
    },
    requests: {
      asked: () => undefined,
      answered({ verb, resource, code, durationMs }: AnsweredRequest) {
        counted('signalbox_api_requests_total', { verb, resource, code });
        timed('signalbox_api_request_duration_seconds', { verb, resource }, durationMs);
      },
      watchEnded({ resource, code }: EndedWatch) {
        counted('signalbox_api_requests_total', { verb: 'watch', resource, code });
        counted('signalbox_watch_restarts_total', { resource, reason: reasonOf(code) });
      },
    },
    contentType: registry.contentType,
    text(facts) {
      for (const [name, samples] of Object.entries(readings(facts, build))) fill(sheet, name as MeterName, samples);
      return registry.metrics();
    },
  };
}

type Labels = Readonly<Record<string, string | number>>;
type Sheet = ReadonlyMap<MeterName, Counter | Gauge | Histogram>;

function createSheet(registry: Registry): Sheet {
  const rows = Object.entries(meterTable) as readonly [MeterName, Meter][];
  return new Map(rows.map(([name, meter]) => [name, createMeter(name, { ...meter, registry })]));
}

function createMeter(
  name: MeterName,
  { type, help, labels, registry }: Meter & { readonly registry: Registry },
): Counter | Gauge | Histogram {
  const terms = { name, help, labelNames: [...labels], registers: [registry] };
  switch (type) {
    case 'counter':
      return new Counter(terms);
    case 'gauge':
      return new Gauge(terms);
    case 'histogram':
      return new Histogram({ ...terms, buckets: [...durationBuckets] });
    default:
      return type satisfies never;
  }
}

function reasonOf(code: number): string {
  if (code === 200) return 'ended';
  return code === 410 ? 'expired' : 'failed';
}

type Sample = readonly [labels: Labels, value: number];

/** What was true a moment ago and is not any more has no series. */
function fill(sheet: Sheet, name: MeterName, samples: readonly Sample[]): void {
  const meter = sheet.get(name);
  meter?.reset();
  for (const [labels, value] of samples) {
    if (meter instanceof Counter) meter.inc(labels, value);
    else if (meter instanceof Gauge) meter.set(labels, value);
  }
}

function readings(facts: MeterFacts, build: BuildFacts): Readonly<Partial<Record<MeterName, readonly Sample[]>>> {
  const { isLeader, parts, queues, followed, wrong, unreachableMs, loopLateMs, vitals } = facts;
  const { version, commit, node } = build;
  return {
    signalbox_build_info: [[{ version, commit, node }, 1]],
    signalbox_leader: [[{}, isLeader ? 1 : 0]],
    signalbox_part_up: parts.map(({ name, is }) => [{ part: name }, is === 'running' ? 1 : 0]),
    signalbox_queue_depth: queues.map(({ component, size }) => [{ component }, size]),
    signalbox_queue_oldest_age_seconds: queues.map(({ component, oldestAgeMs }) => [
      { component },
      oldestAgeMs / 1_000,
    ]),
    signalbox_queue_failing: queues.map(({ component, failing }) => [{ component }, failing]),
    signalbox_api_unreachable_seconds: [[{}, unreachableMs / 1_000]],
    signalbox_cache_objects: followed.map(({ resource, objects }) => [{ resource }, objects]),
    signalbox_cache_synced: followed.map(({ resource, isSynced }) => [{ resource }, isSynced ? 1 : 0]),
    signalbox_findings: wrong.map(({ kind, reason, severity, count }) => [{ kind, reason, severity }, count]),
    ...rootReadings(facts.roots),
    process_cpu_seconds_total: [[{}, vitals.cpuSeconds]],
    process_resident_memory_bytes: [[{}, vitals.residentBytes]],
    process_start_time_seconds: [[{}, vitals.startedMs / 1_000]],
    process_open_fds: vitals.openFiles === undefined ? [] : [[{}, vitals.openFiles]],
    nodejs_heap_size_used_bytes: [[{}, vitals.heapUsedBytes]],
    nodejs_eventloop_lag_seconds: [[{}, loopLateMs / 1_000]],
  };
}

function rootReadings(roots: readonly RootFigures[]): Readonly<Partial<Record<MeterName, readonly Sample[]>>> {
  const counts = new Map<string, number>();
  for (const { kind } of roots) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const named = roots.slice(0, rootsMax).map((root) => {
    const { kind, namespace, name } = root;
    return { ...root, labels: { kind, namespace, name } };
  });
  const sharded = named.flatMap(({ labels, shards }) => (shards === undefined ? [] : [{ labels, shards }]));
  return {
    signalbox_roots: [...counts].map(([kind, count]) => [{ kind }, count]),
    signalbox_root_shards_wanted: sharded.map(({ labels, shards }) => [labels, shards.wanted]),
    signalbox_root_shards_ready: sharded.map(({ labels, shards }) => [labels, shards.ready]),
    signalbox_root_replicas_wanted: named.map(({ labels, replicas }) => [labels, replicas.wanted]),
    signalbox_root_replicas_ready: named.map(({ labels, replicas }) => [labels, replicas.ready]),
  };
}
