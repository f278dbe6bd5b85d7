/*
 * Every metric that `signalbox operator --listen` serves. docs/operating.md, the rules and the dashboard in deploy/monitoring
 * are held to this table by tests. Labels have few values, whatever the cluster holds: parts, resources and reasons are those
 * of the program, codes those of HTTP; only what is told of each root has its name, and for no more than `rootsMax` of them.
 */

export interface Meter {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
}

/** Of more roots than this the first by kind, namespace and name have series of their own. */
export const rootsMax = 500;

const table = {
  signalbox_build_info: {
    type: 'gauge',
    labels: ['version', 'commit', 'node'],
    help: 'What runs; always 1.',
  },
  signalbox_leader: {
    type: 'gauge',
    labels: [],
    help: '1: this process holds the lease and works; 0: it waits for another.',
  },
  signalbox_part_up: {
    type: 'gauge',
    labels: ['part'],
    help: '0: the part died and is waiting to be started again.',
  },
  signalbox_reconciles_total: {
    type: 'counter',
    labels: ['component', 'result'],
    help: 'Looks at one object: succeeded, failed, or outrun by a change of somebody else. What did not succeed is tried again.',
  },
  signalbox_reconcile_duration_seconds: {
    type: 'histogram',
    labels: ['component'],
    help: 'How long a look took, with all that was written and until the caches showed it.',
  },
  signalbox_actions_total: {
    type: 'counter',
    labels: ['component', 'action', 'result'],
    help: 'What was written: create, update, setStatus, patch, delete, emit (an event); done or refused.',
  },
  signalbox_queue_depth: {
    type: 'gauge',
    labels: ['component'],
    help: 'Objects that wait for a look.',
  },
  signalbox_queue_oldest_age_seconds: {
    type: 'gauge',
    labels: ['component'],
    help: 'How long the first of them has waited.',
  },
  signalbox_queue_failing: {
    type: 'gauge',
    labels: ['component'],
    help: 'Objects whose last look failed, and that are tried again with growing pauses of up to a minute.',
  },
  signalbox_queue_retries_total: {
    type: 'counter',
    labels: ['component'],
    help: 'Looks that were put back to be tried again.',
  },
  signalbox_api_requests_total: {
    type: 'counter',
    labels: ['verb', 'resource', 'code'],
    help: 'Requests to the API server, watches when they end. 503 and 504 also stand for a server that was not reached, or did not answer.',
  },
  signalbox_api_request_duration_seconds: {
    type: 'histogram',
    labels: ['verb', 'resource'],
    help: 'How long requests took, without watches; reads that were tried again with all tries.',
  },
  signalbox_api_unreachable_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Since when every request fails by 503, 504 or without an answer; 0: the API answers.',
  },
  signalbox_watch_restarts_total: {
    type: 'counter',
    labels: ['resource', 'reason'],
    help: 'Watches that ended: by themselves after some minutes (ended), because the server has forgotten their place (expired), or by an error (failed).',
  },
  signalbox_cache_objects: {
    type: 'gauge',
    labels: ['resource'],
    help: 'Objects in the caches.',
  },
  signalbox_cache_synced: {
    type: 'gauge',
    labels: ['resource'],
    help: '0: the first list has not come.',
  },
  signalbox_findings: {
    type: 'gauge',
    labels: ['kind', 'reason', 'severity'],
    help: 'What is wrong now with roots and monitors, as events and conditions tell it, by the kind of the object to mend. error: it, or a part of it, was left out.',
  },
  signalbox_roots: {
    type: 'gauge',
    labels: ['kind'],
    help: 'Roots that are looked after.',
  },
  signalbox_root_shards_wanted: {
    type: 'gauge',
    labels: ['kind', 'namespace', 'name'],
    help: 'Shards that the root is to have.',
  },
  signalbox_root_shards_ready: {
    type: 'gauge',
    labels: ['kind', 'namespace', 'name'],
    help: 'Shards of which every replica is available.',
  },
  signalbox_root_replicas_wanted: {
    type: 'gauge',
    labels: ['kind', 'namespace', 'name'],
    help: 'Pods that the workloads of the root are to have, log agents on nodes among them.',
  },
  signalbox_root_replicas_ready: {
    type: 'gauge',
    labels: ['kind', 'namespace', 'name'],
    help: 'Pods of them that are available.',
  },
  process_cpu_seconds_total: { type: 'counter', labels: [], help: 'CPU time of the process.' },
  process_resident_memory_bytes: { type: 'gauge', labels: [], help: 'Memory of the process.' },
  process_start_time_seconds: { type: 'gauge', labels: [], help: 'When the process started, since the epoch.' },
  process_open_fds: { type: 'gauge', labels: [], help: 'Open files; only where the system tells.' },
  nodejs_heap_size_used_bytes: { type: 'gauge', labels: [], help: 'Memory of JavaScript objects.' },
  nodejs_eventloop_lag_seconds: { type: 'gauge', labels: [], help: 'How much too late the last tick of a timer came.' },
} as const;

export type MeterName = keyof typeof table;

export const meterTable: Readonly<Record<MeterName, Meter>> = table;

/** The table as docs/operating.md has it. */
export function formatMeterTable(): string {
  const rows = Object.entries(meterTable).map(
    ([name, { type, labels, help }]) =>
      `| \`${name}\` | ${type} | ${labels.map((each) => `\`${each}\``).join(' ')} | ${help} |`,
  );
  return ['| metric | type | labels | meaning |', '|---|---|---|---|', ...rows].join('\n');
}
