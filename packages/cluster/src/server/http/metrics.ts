import type { FlowControl } from '../flowcontrol/flow-control.ts';
import { bytesAnswer } from './codec/answer.ts';
import type { RequestFigures } from './figures.ts';
import type { Route } from './route.ts';

export interface MetricsSources {
  readonly figures: Pick<RequestFigures, 'text'>;
  readonly flowControl: Pick<FlowControl, 'text'>;
  /** What the parts of the plane say, in the same format. */
  plane(): string;
  /** How many objects of each resource are stored: `pods`, `deployments.apps`. */
  storedObjects(): Iterable<readonly [resource: string, count: number]>;
  /** How many events went before their time. */
  eventsGivenUp(): number;
  process(): ProcessFigures;
  /** Of Kubernetes, as `/version` says it. */
  readonly version: string;
}

export interface ProcessFigures {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Since 1970. */
  readonly startSeconds: number;
}

/** `/metrics`: for whoever may get that path, as Prometheus is by `system:monitoring`. */
export function metricsRoute(sources: MetricsSources): Route {
  return {
    path: '/metrics',
    covers: 'path',
    methods: ['GET'],
    seat: 'read',
    answer: () =>
      bytesAnswer(200, Buffer.from(metricsText(sources)), {
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      }),
  };
}

export function metricsText(sources: MetricsSources): string {
  const { figures, flowControl, plane, storedObjects, eventsGivenUp, process, version } = sources;
  const { cpuSeconds, residentBytes, startSeconds } = process();
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  const lines = [
    ...family('apiserver_storage_objects', 'gauge', 'Objects that are stored, by resource.'),
    ...[...storedObjects()].map(([resource, count]) => `apiserver_storage_objects{resource="${resource}"} ${count}`),
    ...family(
      'signalbox_events_given_up_total',
      'counter',
      'Events that went before their time, because all of them weighed too much.',
    ),
    `signalbox_events_given_up_total ${eventsGivenUp()}`,
    ...family('kubernetes_build_info', 'gauge', 'The version of Kubernetes whose API this is.'),
    `kubernetes_build_info{git_version="${version}",major="${major}",minor="${minor}"} 1`,
    ...family('process_cpu_seconds_total', 'counter', 'Time that processors spent on this process.'),
    `process_cpu_seconds_total ${cpuSeconds}`,
    ...family('process_resident_memory_bytes', 'gauge', 'Memory that this process holds.'),
    `process_resident_memory_bytes ${residentBytes}`,
    ...family('process_start_time_seconds', 'gauge', 'When this process began, since 1970.'),
    `process_start_time_seconds ${startSeconds}`,
  ];
  return `${figures.text()}${flowControl.text()}${plane()}${lines.join('\n')}\n`;
}

function family(name: string, type: string, help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}
