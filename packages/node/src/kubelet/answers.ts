/** What the door says to plain requests. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { fromTimestamp, type Pod } from '@signalbox/cluster';
import type { Inside } from '../protocol/inside.ts';
import { containerLog, type NodePlaces } from '../protocol/places.ts';
import { attemptOf, type DoorPods, uidOf } from './containers.ts';
import type { DoorContext } from './door.ts';
import { type LogWish, readLog } from './logs.ts';
import { containerMetrics, type Measured, resourceMetrics, statsSummary } from './measures.ts';
import { proxyTo } from './proxy.ts';
import { DoorRefusal } from './refusal.ts';
import type { DoorRequest } from './requests.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** Aborts when the client has gone or the door closes. */
  readonly signal: AbortSignal;
}

/** Answers, or throws a `DoorRefusal`. */
export async function answer(asked: DoorRequest, exchange: Exchange, context: DoorContext): Promise<void> {
  const { response } = exchange;
  switch (asked.asks) {
    case 'health':
      return send(response, 'text/plain; charset=utf-8', 'ok');
    case 'pods':
      return send(
        response,
        'application/json',
        JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: context.pods() }),
      );
    case 'summary':
      return send(response, 'application/json', JSON.stringify(statsSummary(await measure(context))));
    case 'resource':
      return send(response, metricsType, resourceMetrics(await measure(context)));
    case 'cadvisor':
      return send(response, metricsType, containerMetrics(await measure(context)));
    case 'metrics':
      return send(response, metricsType, runningMetrics(context));
    case 'log':
      return answerLog(asked, exchange, context);
    case 'run':
      return answerRun(asked, exchange, context);
    case 'proxy':
      return answerProxy(asked, exchange, context);
    case 'exec':
    case 'attach':
    case 'portForward':
      throw new DoorRefusal(400, 'Upgrade request required');
    default:
      return asked satisfies never;
  }
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

function send(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'content-type': type }).end(text);
}

async function measure({ inside, nodeName, pods, clock }: DoorContext): Promise<Measured> {
  const [usage, { containers }] = await Promise.all([inside.usage(), inside.state()]);
  return { nodeName, usage, containers, pods: pods(), nowMs: clock.nowMs() };
}

function runningMetrics({ pods }: DoorContext): string {
  const running = pods().filter(({ status }) => status?.phase === 'Running').length;
  return `# HELP kubelet_running_pods [ALPHA] Number of pods that have a running pod sandbox\n# TYPE kubelet_running_pods gauge\nkubelet_running_pods ${running}\n`;
}

type OfContainer = Extract<DoorRequest, { readonly container: string }>;

async function answerLog(
  { namespace, pod: name, container }: OfContainer,
  { response, query, signal }: Exchange,
  context: DoorContext,
): Promise<void> {
  const { containers, places, clock } = context;
  const wish = logWish(query, clock.nowMs());
  const pod = containers.find(namespace, name);
  const attempt = await attemptOf(containers, pod, { container, previous: isTrue(query.get('previous')) });
  const path = logPlace(pod, attempt, places);
  const hasEnded = async (): Promise<boolean> => {
    if (attempt.ended !== undefined) return true;
    const newest = await containers.newest(pod, container);
    return newest === undefined || newest.attempt !== attempt.attempt || newest.ended !== undefined;
  };
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
  response.flushHeaders();
  await pipeline(readLog(path, wish, { clock, signal, hasEnded }), response);
}

function logPlace(
  { metadata }: Pod,
  { name: container, attempt }: { readonly name: string; readonly attempt: number },
  places: NodePlaces,
): string {
  const { namespace = '', name } = metadata;
  return containerLog(places, { namespace, name, uid: uidOf(metadata), container, attempt });
}

function logWish(query: URLSearchParams, nowMs: number): LogWish {
  const count = (name: string): number | undefined => {
    const text = query.get(name);
    if (text === null || text === '') return undefined;
    if (!/^\d{1,15}$/.test(text)) throw new DoorRefusal(400, `${name} must be a whole number: "${text}"`);
    return Number(text);
  };
  const seconds = count('sinceSeconds');
  return {
    follow: isTrue(query.get('follow')),
    timestamps: isTrue(query.get('timestamps')),
    tailLines: count('tailLines'),
    sinceMs: seconds === undefined ? sinceTime(query.get('sinceTime')) : nowMs - seconds * 1_000,
    limitBytes: count('limitBytes'),
  };
}

function sinceTime(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  const timeMs = fromTimestamp(text);
  if (Number.isNaN(timeMs)) throw new DoorRefusal(400, `sinceTime is no RFC 3339 time: "${text}"`);
  return timeMs;
}

function isTrue(text: string | null): boolean {
  return text === 'true' || text === '1';
}

const runBytesMax = 1 << 20;

async function answerRun(
  { namespace, pod: name, container }: OfContainer,
  { request, response, query, signal }: Exchange,
  { containers, inside }: { readonly containers: DoorPods; readonly inside: Pick<Inside, 'exec'> },
): Promise<void> {
  if (request.method !== 'POST') throw new DoorRefusal(405, 'run takes POST alone');
  const state = await containers.running(containers.find(namespace, name), container);
  const argv = (query.get('cmd') ?? '').split(' ').filter((word) => word !== '');
  if (argv.length === 0) throw new DoorRefusal(400, 'cmd names no command');
  const session = await inside.exec(state, { argv, stdin: false, tty: false }, { signal });
  const text = await Promise.all([session.stdout, session.stderr].map(readAll));
  await session.ended;
  send(response, 'text/plain; charset=utf-8', text.join(''));
}

async function readAll(stream: NodeJS.ReadableStream | undefined): Promise<string> {
  let text = '';
  for await (const part of stream ?? []) if (text.length < runBytesMax) text += String(part);
  return text;
}

async function answerProxy(
  { namespace, pod: name, scheme, port, path }: Extract<DoorRequest, { readonly asks: 'proxy' }>,
  { request, response, signal }: Exchange,
  { containers, inside }: DoorContext,
): Promise<void> {
  const { metadata, status } = containers.find(namespace, name);
  const host = status?.podIP;
  const to = host === undefined ? { pod: uidOf(metadata), port } : { host, port };
  const question = (request.url ?? '').indexOf('?');
  const query = question < 0 ? '' : (request.url ?? '').slice(question);
  try {
    const socket = await inside.dial(to, { signal });
    await proxyTo(
      { scheme, socket, host: `${host ?? 'localhost'}:${port}`, path: `${path}${query}` },
      { request, response },
    );
  } catch (error) {
    throw new DoorRefusal(
      502,
      `error trying to reach pod ${namespace}/${name} at port ${port}: ${(error as Error).message}`,
    );
  }
}
