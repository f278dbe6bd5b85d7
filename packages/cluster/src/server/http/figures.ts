/** What is counted of requests, in the names of upstream's API server. Counting costs a look into a map; text is made when asked for. */
import { StatusError } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';
import type { Access } from '../context/authorizer.ts';
import type { ServedApi } from '../context/served-api.ts';
import type { Answer } from './codec/answer.ts';
import type { Decoded, RequestHead } from './codec/decode.ts';
import type { Routed } from './route.ts';
import { untilEnded } from './stream.ts';

export interface RequestFigures {
  begins(head: RequestHead): RequestFigure;
  /** Every series, in the text format of Prometheus. */
  text(): string;
}

/** One request, from its head to its answer. */
export interface RequestFigure {
  /** What it is about is known, and that it may be asked. */
  asks(access: Access, asked: Decoded | Routed): void;
  /** Gives the answer on; that of a watch counts until it ends. */
  ends(answer: Answer): Answer;
  refused(error: unknown): void;
}

/** Upper ends of the buckets in seconds, as upstream. */
const buckets = [
  ...[0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
];

interface Series {
  /** How requests of one kind were answered, by code. */
  readonly codes: Map<number, number>;
  /** Of those that are no watches: how many took at most as long as each bucket says, not added up. */
  readonly within: number[];
  seconds: number;
  count: number;
  /** Watches that go on. */
  running: number;
}

/** Beyond so many kinds of requests no new one is told apart: custom resources come and go. */
const seriesMax = 2_000;
const others = labelsText({ verb: 'other' });

export interface FiguresOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly api: Pick<ServedApi, 'facts'>;
}

export function createRequestFigures({ clock, api }: FiguresOptions): RequestFigures {
  const all = new Map<string, Series>();
  const inFlight = { readOnly: 0, mutating: 0 };
  const seriesOf = (labels: string): Series => {
    const known = all.get(labels);
    if (known !== undefined) return known;
    if (all.size >= seriesMax && labels !== others) return seriesOf(others);
    const made: Series = { codes: new Map(), within: buckets.map(() => 0), seconds: 0, count: 0, running: 0 };
    all.set(labels, made);
    return made;
  };
  return {
    begins(head) {
      const startedMs = clock.nowMs();
      const kind = head.method === 'GET' || head.method === 'HEAD' ? 'readOnly' : 'mutating';
      let labels = labelsText({ verb: knownMethods.has(head.method) ? head.method : 'other' });
      let isWatch = false;
      inFlight[kind]++;
      const answered = (code: number): Series => {
        inFlight[kind]--;
        const series = seriesOf(labels);
        series.codes.set(code, (series.codes.get(code) ?? 0) + 1);
        if (!isWatch) time(series, (clock.nowMs() - startedMs) / 1000);
        return series;
      };
      return {
        asks(access, asked) {
          labels = labelsOf(head, { access, asked, api });
          isWatch = asked.asks === 'watch';
        },
        ends(answer) {
          const series = answered(answer.code);
          return isWatch && answer.body.is === 'stream' ? runningUntilItEnds(answer, series) : answer;
        },
        refused: (error) => void answered(error instanceof StatusError ? error.status.code : 500),
      };
    },
    text: () => textOf(all, inFlight),
  };
}

const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

function time(series: Series, seconds: number): void {
  const at = buckets.findIndex((bucket) => seconds <= bucket);
  if (at >= 0) series.within[at] = (series.within[at] ?? 0) + 1;
  series.seconds += seconds;
  series.count++;
}

function runningUntilItEnds(answer: Answer, series: Series): Answer {
  if (answer.body.is !== 'stream') return answer;
  series.running++;
  const pieces = untilEnded(answer.body.pieces, () => series.running--);
  return { ...answer, body: { is: 'stream', pieces } };
}

interface Known {
  readonly access: Access;
  readonly asked: Decoded | Routed;
  readonly api: FiguresOptions['api'];
}

const verbs: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
};

/** Names of objects, namespaces and users are no labels; nor is a resource that nobody serves, which clients make up. */
function labelsOf({ method, target }: RequestHead, { access, asked, api }: Known): string {
  if (asked.asks === 'route') return labelsText({ verb: method, subresource: asked.route.path });
  if (asked.asks === 'document' || 'path' in access) return labelsText({ verb: method });
  const { resource, subresource = '' } = asked;
  const { name, namespace } = access;
  if (api.facts(resource, asked.subresource) === undefined) return labelsText({ verb: verbs[access.verb] ?? 'other' });
  return labelsText({
    verb: verbs[access.verb] ?? 'other',
    dryRun: target.includes('dryRun=All') ? 'All' : '',
    group: resource.group,
    version: resource.version,
    resource: resource.resource,
    subresource,
    scope:
      name !== undefined || access.verb === 'create' ? 'resource' : namespace !== undefined ? 'namespace' : 'cluster',
    component: 'apiserver',
  });
}

interface Labels {
  readonly verb: string;
  readonly dryRun?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly scope?: string;
  readonly component?: string;
}

/** None of them holds anything that would have to be escaped: they are names of the API, and paths of routes. */
function labelsText(labels: Labels): string {
  const { verb, dryRun = '', group = '', version = '', resource = '', subresource = '', scope = '' } = labels;
  return `component="${labels.component ?? ''}",dry_run="${dryRun}",group="${group}",resource="${resource}",scope="${scope}",subresource="${subresource}",verb="${verb}",version="${version}"`;
}

function textOf(all: ReadonlyMap<string, Series>, inFlight: Readonly<Record<string, number>>): string {
  const series = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines: string[] = [];
  head(lines, 'apiserver_request_total', 'counter', 'Requests that were answered, by what they were about and how.');
  for (const [labels, { codes }] of series)
    for (const [code, count] of codes) lines.push(`apiserver_request_total{code="${code}",${labels}} ${count}`);
  head(lines, 'apiserver_request_duration_seconds', 'histogram', 'How long requests took that are no watches.');
  for (const [labels, each] of series) if (each.count > 0) histogram(lines, labels, each);
  head(lines, 'apiserver_longrunning_requests', 'gauge', 'Watches that go on.');
  for (const [labels, { running }] of series)
    if (running > 0) lines.push(`apiserver_longrunning_requests{${withoutDryRun(labels)}} ${running}`);
  head(lines, 'apiserver_current_inflight_requests', 'gauge', 'Requests that have no answer yet.');
  for (const [kind, count] of Object.entries(inFlight))
    lines.push(`apiserver_current_inflight_requests{request_kind="${kind}"} ${count}`);
  return `${lines.join('\n')}\n`;
}

function withoutDryRun(labels: string): string {
  return labels.replace(/dry_run="[^"]*",/, '');
}

function head(lines: string[], name: string, type: string, help: string): void {
  lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
}

function histogram(lines: string[], labels: string, { within, seconds, count }: Series): void {
  let sum = 0;
  for (const [index, bucket] of buckets.entries()) {
    sum += within[index] ?? 0;
    lines.push(`apiserver_request_duration_seconds_bucket{${labels},le="${bucket}"} ${sum}`);
  }
  lines.push(
    `apiserver_request_duration_seconds_bucket{${labels},le="+Inf"} ${count}`,
    `apiserver_request_duration_seconds_sum{${labels}} ${seconds}`,
    `apiserver_request_duration_seconds_count{${labels}} ${count}`,
  );
}
