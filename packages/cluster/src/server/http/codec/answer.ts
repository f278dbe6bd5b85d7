import type { Passed, TakeOver } from '../../../api/passing.ts';
import type { Status } from '../../../api/status.ts';
import { formatExactJson } from '../../../base/exact-json.ts';

/** What goes back to the client: a value that the listener writes. */
export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: AnswerBody;
  /** The name of the user whose request it answers, where that is known. */
  readonly of?: string;
  /** Who takes the connection over and says everything. Only for a request that asked to upgrade. */
  readonly take?: TakeOver;
}

export type AnswerBody =
  | { readonly is: 'bytes'; readonly bytes: Buffer }
  /** A large answer that is made as it is taken, in pieces; of the state at a revision. */
  | ({ readonly is: 'pieces' } & ListInPieces)
  /** Grows over time: each piece goes out as soon as it is there. */
  | { readonly is: 'stream'; readonly pieces: AsyncIterable<Buffer> };

export interface ListInPieces {
  readonly pieces: Iterable<Buffer>;
  readonly revision: number | undefined;
  /** About what it takes while it is on its way, besides what it shares with others. */
  readonly heldBytes: number;
}

export function jsonAnswer(code: number, value: unknown, headers: Answer['headers'] = {}): Answer {
  return bytesAnswer(code, Buffer.from(formatExactJson(value)), { 'content-type': 'application/json', ...headers });
}

export function textAnswer(code: number, text: string): Answer {
  return bytesAnswer(code, Buffer.from(text), { 'content-type': 'text/plain; charset=utf-8' });
}

export function bytesAnswer(code: number, bytes: Buffer, headers: Answer['headers']): Answer {
  return { code, headers: { ...commonHeaders, ...headers }, body: { is: 'bytes', bytes } };
}

export function passedOn(passed: Passed): Answer {
  if (passed.is === 'answer')
    return { code: passed.code, headers: passed.headers, body: { is: 'stream', pieces: passed.body } };
  return { code: 101, headers: {}, body: { is: 'bytes', bytes: Buffer.alloc(0) }, take: passed.take };
}

export function streamAnswer(contentType: string, pieces: AsyncIterable<Buffer>): Answer {
  return { code: 200, headers: { ...commonHeaders, 'content-type': contentType }, body: { is: 'stream', pieces } };
}

export function piecesAnswer(code: number, list: ListInPieces, headers: Answer['headers']): Answer {
  return { code, headers: { ...commonHeaders, ...headers }, body: { is: 'pieces', ...list } };
}

/** Answers are a user's private data, and no browser may guess that one of them is a page. */
const commonHeaders: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-cache, private',
  'x-content-type-options': 'nosniff',
});

export function statusAnswer(status: Status): Answer {
  const seconds = status.details?.retryAfterSeconds;
  return jsonAnswer(status.code, status, {
    ...(seconds !== undefined && { 'retry-after': String(seconds) }),
    ...(status.code === 401 && { 'www-authenticate': 'Bearer realm="kubernetes"' }),
  });
}

const warningCharactersMax = 256;
const warningsCharactersMax = 4096;

/** `Warning: 299 - "text"` headers. Clients limit their headers: of too much text long ones are cut, and surplus ones left out. */
export function warningHeaders(warnings: readonly string[]): Answer['headers'] {
  const values: string[] = [];
  let length = 0;
  const all = new Set(warnings);
  const fits = [...all].reduce((sum, warning) => sum + warning.length, 0) <= warningsCharactersMax;
  for (const warning of all) {
    const value = `299 - "${quoted(fits ? warning : cut(warning))}"`;
    length += value.length;
    if (!fits && length > warningsCharactersMax) break;
    values.push(value);
  }
  return values.length === 0 ? {} : { warning: values };
}

function cut(text: string): string {
  return text.length <= warningCharactersMax ? text : `${text.slice(0, warningCharactersMax - 1)}…`;
}

/** Header bytes are UTF-8 as upstream sends them; Node takes one character per byte. */
function quoted(text: string): string {
  const safe = text.replace(/\p{Cc}/gu, ' ').replace(/["\\]/g, '\\$&');
  return Buffer.from(safe, 'utf8').toString('latin1');
}
