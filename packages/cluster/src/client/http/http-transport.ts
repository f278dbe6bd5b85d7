import type { Dispatcher, Pool } from 'undici';
import type { Operation, Outcome, WatchEvent, WatchOperation } from '../../api/operation.ts';
import { failure, type Status, StatusError } from '../../api/status.ts';
import { objectOf, warningsOf } from '../../api/wire/answer.ts';
import { encodeRequest, encodeWatch, type WireRequest } from '../../api/wire/encode-request.ts';
import { splitLines } from '../../api/wire/lines.ts';
import { continueToken, listHeadBytesMax } from '../../api/wire/list-head.ts';
import { statusOf } from '../../api/wire/refusal.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { parseExactJson } from '../../base/exact-json.ts';
import { freeze } from '../../base/freeze.ts';
import { type Limit, limitTime } from '../../base/limit.ts';
import type { Random } from '../../base/random.ts';
import type { Transport, Waiting } from '../transport.ts';
import type { Connection } from './connection.ts';
import { unreachable } from './failures.ts';
import { createPools, type Pools } from './pools.ts';

export interface HttpTransportOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits?: Partial<HttpTransportLimits>;
}

export interface HttpTransportLimits {
  /** How long a request other than a watch may take. */
  readonly requestTimeoutMs: number;
  /** A watch with bookmarks that brings nothing for this long is dead: servers send one about every minute. */
  readonly silenceMsMax: number;
  /** How often a read is tried. Writes are tried once, always. */
  readonly readAttemptsMax: number;
}

export interface HttpTransport extends Transport {
  /** Ends everything under way. */
  close(): Promise<void>;
}

const defaultLimits: HttpTransportLimits = { requestTimeoutMs: 60_000, silenceMsMax: 180_000, readAttemptsMax: 4 };

/** A watch asks to be ended after five to ten minutes, so that load moves between servers and dead ones are noticed. */
const watchTimeoutMsMin = 300_000;
/** How long after its time-out a watch may still be open before it counts as dead. */
const watchTimeoutGraceMs = 30_000;
const retryDelayMsMin = 200;
const retryDelayMsMax = 30_000;

interface Context {
  readonly connection: Connection;
  readonly pools: Pools;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: HttpTransportLimits;
}

/**
 * Talks to an API server over HTTP. Refusals are thrown as `StatusError`, a server that cannot be reached as one with
 * code 503, a reply that never came as one with code 504. Reads are tried again when that can help; writes never are.
 */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { connection, clock, random } = options;
  const context: Context = {
    connection,
    clock,
    random,
    limits: { ...defaultLimits, ...options.limits },
    pools: createPools(connection),
  };
  return {
    perform: (operation, { signal, goesOn, leaves }) =>
      perform(operation, {
        ...{ context, signal },
        ...(goesOn !== undefined && { goesOn }),
        ...(leaves !== undefined && { leaves }),
      }),
    watch: (operation, waiting) => watch(operation, { context, signal: waiting.signal }),
    close: () => context.pools.close(),
  };
}

interface Call extends Waiting {
  readonly context: Context;
}

async function perform(operation: Operation, call: Call): Promise<Outcome> {
  const request = encodeRequest(operation);
  const answer = await withRetries(request, call);
  const object = objectOf(answer, call.context.connection.server);
  return { code: answer.code, object: freeze(object), warnings: answer.warnings };
}

interface Answer {
  readonly code: number;
  readonly contentType: string;
  readonly text: string;
  readonly warnings: readonly string[];
}

async function withRetries(request: WireRequest, call: Call): Promise<Answer> {
  const { clock, random, limits } = call.context;
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(request, call);
    } catch (error) {
      call.signal.throwIfAborted();
      if (request.method !== 'GET' || attempt >= limits.readAttemptsMax || !mayPass(error)) throw error;
      await sleep(clock, retryDelayMs(attempt, { error, random }), call);
    }
  }
}

function mayPass(error: unknown): error is StatusError {
  return error instanceof StatusError && (error.code === 429 || error.code === 503 || error.code === 504);
}

function retryDelayMs(
  attempt: number,
  { error, random }: { readonly error: StatusError; readonly random: Random },
): number {
  const wished = (error.status.details?.retryAfterSeconds ?? 0) * 1000;
  const backoff = retryDelayMsMin * 2 ** (attempt - 1) * (0.5 + random.next());
  return Math.min(retryDelayMsMax, Math.max(wished, backoff));
}

type PoolResponse = Awaited<ReturnType<Pool['request']>>;

async function once(request: WireRequest, call: Call): Promise<Answer> {
  const limited = limitOf(call, call.context.limits.requestTimeoutMs);
  try {
    const response = await sendTwice(request, { call, signal: limited.signal, kind: 'requests' });
    const text = await textOf(response, call);
    if (response.statusCode >= 400) throw refusal(response, text);
    return {
      code: response.statusCode,
      contentType: String(response.headers['content-type'] ?? ''),
      text,
      warnings: warningsOf(response.headers['warning']),
    };
  } catch (error) {
    throw explained(error, { call, limited: limited.signal });
  } finally {
    limited.release();
  }
}

async function textOf({ body, statusCode }: PoolResponse, { goesOn }: Call): Promise<string> {
  if (goesOn === undefined || statusCode >= 400) return body.text();
  const chunks: Buffer[] = [];
  let head: string | undefined = '';
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if (head === undefined) continue;
    head += chunk.toString('utf8', 0, listHeadBytesMax);
    const token = continueToken(head);
    if (token !== undefined) goesOn(token);
    if (token !== undefined || head.length >= listHeadBytesMax) head = undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface Sending {
  readonly call: Call;
  readonly signal: AbortSignal;
  readonly kind: 'requests' | 'watches';
}

/** A 401 leads to new credentials and a second try: what was refused has not been done. */
async function sendTwice(request: WireRequest, sending: Sending): Promise<PoolResponse> {
  const response = await send(request, { ...sending, refused: false });
  if (response.statusCode !== 401) return response;
  await response.body.dump();
  return await send(request, { ...sending, refused: true });
}

async function send(
  request: WireRequest,
  { call, signal, kind, refused }: Sending & { readonly refused: boolean },
): Promise<PoolResponse> {
  const { connection, pools } = call.context;
  const credentials = await connection.credentials.get({ refused, signal }).catch((cause: unknown) => {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new StatusError(failure(401, 'Unauthorized', message), { cause });
  });
  const pool = await pools.get(kind, credentials.certificate);
  const dispatcher = call.leaves === undefined ? pool : pool.compose(lastLook(call.leaves));
  const { authorization } = credentials;
  if (authorization !== undefined && !/^[\x20-\x7e]*$/.test(authorization))
    throw new StatusError(
      failure(401, 'Unauthorized', 'the token has a line break, or another character that cannot be sent'),
    );
  return await dispatcher.request({
    method: request.method,
    path: `${pools.prefix}${request.target}`,
    headers: {
      accept: 'application/json',
      'user-agent': 'signalbox',
      ...(authorization !== undefined && { authorization }),
      ...(request.contentType !== undefined && { 'content-type': request.contentType }),
    },
    body: request.body ?? null,
    signal,
    // Our own clock decides when to give up.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** A request starts for its handler when its head is about to be written, on a connection that is there. */
function lastLook(leaves: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context: unknown) {
        leaves();
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (...response) => handler.onResponseStart?.(...response),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...error) => handler.onResponseError?.(...error),
    });
}

function refusal(response: PoolResponse, text: string): StatusError {
  const seconds = Number(response.headers['retry-after']);
  const retryAfter = Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
  return new StatusError(statusOf({ code: response.statusCode, text, retryAfter }));
}

function explained(error: unknown, { call, limited }: { readonly call: Call; readonly limited: AbortSignal }): unknown {
  if (call.signal.aborted) return call.signal.reason;
  if (error instanceof StatusError) return error;
  return limited.aborted && limited.reason instanceof StatusError
    ? limited.reason
    : unreachable(call.context.connection.server, error);
}

/** Aborts with a 504 when the time is up. */
function limitOf({ signal, context }: Call, limitMs: number): Limit {
  const { clock, connection } = context;
  return limitTime(limitMs, { clock, signal, late: (ms) => new StatusError(tooLate(connection.server, ms)) });
}

function tooLate(server: string, limitMs: number): Status {
  const message = `${server} did not answer within ${limitMs / 1000} s; the request may have been carried out`;
  return failure(504, 'Timeout', message, {});
}

/** Ends when the server ends it, when the signal aborts, or when nothing has come for too long. */
async function* watch(operation: WatchOperation, call: Call): AsyncGenerator<WatchEvent> {
  const { random, limits, connection } = call.context;
  const timeoutMs = operation.options.timeoutMs ?? watchTimeoutMsMin + random.below(watchTimeoutMsMin);
  const options = { ...operation.options, timeoutMs };
  const graceful = timeoutMs + watchTimeoutGraceMs;
  const silenceMsMax = options.allowWatchBookmarks === true ? Math.min(limits.silenceMsMax, graceful) : graceful;
  const limited = limitOf(call, limits.requestTimeoutMs);
  try {
    const body = await openWatch(encodeWatch({ ...operation, options }), { call, limited });
    limited.again(silenceMsMax);
    try {
      for await (const line of splitLines(body)) {
        limited.again(silenceMsMax);
        yield freeze(parseExactJson(line.toString('utf8')) as WatchEvent);
      }
    } catch (error) {
      // Silence is the end of the watch like any other: its reader starts a new one where this one stopped.
      if (!limited.signal.aborted) throw unreachable(connection.server, error);
    } finally {
      body.destroy();
    }
  } finally {
    limited.release();
  }
}

async function openWatch(
  request: WireRequest,
  { call, limited }: { readonly call: Call; readonly limited: Limit },
): Promise<PoolResponse['body']> {
  try {
    const response = await sendTwice(request, { call, signal: limited.signal, kind: 'watches' });
    if (response.statusCode >= 400) throw refusal(response, await response.body.text());
    return response.body;
  } catch (error) {
    throw explained(error, { call, limited: limited.signal });
  }
}
