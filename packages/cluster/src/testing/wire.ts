import { systemClock } from '../base/clock.ts';
import type { Authentication } from '../server/auth/authenticate.ts';
import type { Answer } from '../server/http/codec/answer.ts';
import { createHandler } from '../server/http/handler.ts';
import { listenLimits } from '../server/http/listen.ts';
import type { ApiServer } from '../server/server.ts';
import { admin } from './api-server.ts';

export interface WireRequest {
  readonly body?: string | Buffer | object;
  readonly accept?: string;
  readonly contentType?: string;
  /** The default is an administrator. */
  readonly who?: Authentication;
  /** Of a stream: how many lines to wait for. */
  readonly lines?: number;
}

export interface WireAnswer {
  readonly code: number;
  readonly headers: Answer['headers'];
  readonly bytes: Buffer;
  readonly text: string;
  /** The text as JSON. */
  readonly json: unknown;
  readonly warnings: readonly string[];
}

export type AskWire = (method: string, target: string, request?: WireRequest) => Promise<WireAnswer>;

const known: Authentication = { is: 'user', user: admin };

/** Asks a server for the very bytes that a client would get, without a socket. */
export function createWire(server: ApiServer): AskWire {
  const handle = createHandler({
    routes: [],
    api: server,
    clock: systemClock,
    limits: { ...listenLimits, requestTimeoutMs: 10_000 },
    report: ({ error }) => {
      throw error;
    },
  });
  return async (method, target, { body, accept, contentType, who = known, lines = 1 } = {}) => {
    const bytes =
      typeof body === 'object' && !Buffer.isBuffer(body) ? Buffer.from(JSON.stringify(body)) : Buffer.from(body ?? '');
    const headers = { accept, 'content-type': contentType };
    const answer = await handle({
      head: { method, target, headers },
      fault: undefined,
      authenticate: () => who,
      body: async () => bytes,
      upgrades: false,
      connection: handle,
      signal: new AbortController().signal,
    });
    const got = await bytesOf(answer, lines);
    const text = got.toString();
    const warnings = [answer.headers['warning'] ?? []].flat() as readonly string[];
    return { code: answer.code, headers: answer.headers, bytes: got, text, json: parsed(text), warnings };
  };
}

async function bytesOf({ body }: Answer, lines: number): Promise<Buffer> {
  if (body.is === 'bytes') return body.bytes;
  const pieces: Buffer[] = [];
  for await (const piece of body.pieces) {
    pieces.push(piece);
    if (body.is === 'stream' && pieces.length >= lines) break;
  }
  return Buffer.concat(pieces);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
