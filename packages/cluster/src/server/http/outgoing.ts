import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import type { Answer, AnswerBody } from './codec/answer.ts';
import type { PieceTurns } from './piece-turns.ts';

/** A response of either protocol, as Node hands it over. HTTP/2's has the same members where they are used here. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

export interface WriteOptions {
  readonly clock: Clock;
  /** Whether the client takes gzip. */
  readonly gzip: boolean;
  readonly method: string;
  /** Whose answer it is, and when a piece of it may be made. */
  readonly user: string;
  readonly turns: PieceTurns;
  /** The connection does not outlive this answer. HTTP/1.1 only. */
  readonly last: boolean;
  /** A client that takes nothing for this long is cut off. */
  readonly stallTimeoutMs: number;
}

/** Smaller answers are not worth the time, as upstream. */
const gzipBytesMin = 128 * 1024;
/** How much of a stream is gathered while the socket's buffer has room. */
const gatherBytesMax = 64 * 1024;

/** Resolves once everything is handed to the socket or the client is gone; never rejects. */
export async function writeAnswer(response: NodeResponse, answer: Answer, options: WriteOptions): Promise<void> {
  if (response.destroyed || response.headersSent) return;
  const { code, body } = answer;
  const headers: Record<string, string | readonly string[]> = { ...answer.headers };
  if (options.last && response.req.httpVersionMajor === 1) headers['connection'] = 'close';
  const zipped = options.gzip && isLarge(body) && options.method !== 'HEAD';
  if (zipped) Object.assign(headers, { 'content-encoding': 'gzip', vary: varying(headers['vary']) });
  else if (body.is === 'bytes' && code !== 304) headers['content-length'] = String(body.bytes.length);
  response.statusCode = code;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string | string[]);
  try {
    if (body.is === 'bytes' && !zipped) endWith(response, options.method === 'HEAD' ? undefined : body.bytes);
    else if (zipped) await writePieces(response, zip(body, options), options);
    else if (body.is === 'stream') await writeStream(response, body.pieces, options);
    else if (body.is === 'pieces') await writePieces(response, inTurns(body.pieces, options), options);
  } catch {
    // Only the connection can have failed here; streams turn their own failures into their last piece.
    response.destroy();
  }
}

function isLarge(body: AnswerBody): boolean {
  return body.is === 'pieces' || (body.is === 'bytes' && body.bytes.length >= gzipBytesMin);
}

function endWith(response: NodeResponse, bytes: Buffer | undefined): void {
  if (bytes === undefined || bytes.length === 0) response.end();
  else response.end(bytes);
}

function varying(others: string | readonly string[] | undefined): string {
  return others === undefined ? 'Accept-Encoding' : `${String(others)}, Accept-Encoding`;
}

function zip(body: AnswerBody, options: WriteOptions): AsyncIterable<Buffer> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const pieces =
    body.is === 'bytes' ? [body.bytes] : body.is === 'pieces' ? inTurns(body.pieces, options) : body.pieces;
  // Whoever reads the compressed side hears of what goes wrong. More than one piece would be made ahead for nothing.
  pipeline(Readable.from(pieces, { highWaterMark: 1 }), gzip, () => undefined);
  return gzip;
}

/** Each piece is made when it is asked for, and others get their turn in between. */
async function* inTurns(pieces: Iterable<Buffer>, { turns, user }: WriteOptions): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    yield piece;
    await turns(user);
  }
}

async function writeStream(
  response: NodeResponse,
  pieces: AsyncIterable<Buffer>,
  options: WriteOptions,
): Promise<void> {
  // The client waits for the headers before anything else happens.
  (response as ServerResponse).flushHeaders();
  await writePieces(response, pieces, options);
}

async function writePieces(
  response: NodeResponse,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  options: WriteOptions,
): Promise<void> {
  const gatherer = createGatherer(response as ServerResponse, options);
  for await (const piece of pieces) {
    if (response.destroyed || response.writableEnded) return;
    const room = gatherer.add(piece);
    if (room !== undefined) await room;
  }
  gatherer.flush();
  response.end();
}

interface Gatherer {
  /** Undefined while there is room; otherwise resolves when there is some again. */
  add(piece: Buffer): Promise<void> | undefined;
  flush(): void;
}

/** Gathers what comes within one turn into one write: a burst of events costs one system call, not one each. */
function createGatherer(response: ServerResponse, { clock, stallTimeoutMs }: WriteOptions): Gatherer {
  let gathered: Buffer[] = [];
  let size = 0;
  let scheduled = false;
  let hasRoom = true;
  let wake: () => void = () => {};
  const flush = (): void => {
    if (size === 0 || response.destroyed) return;
    for (const part of joined(gathered)) hasRoom = response.write(part);
    gathered = [];
    size = 0;
  };
  const freed = (): void => {
    hasRoom = true;
    flush();
    wake();
  };
  const later = async (): Promise<void> => {
    await clock.turn();
    scheduled = false;
    if (hasRoom) flush();
  };
  const room = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const cancel = clock.after(stallTimeoutMs, () => reject(new Error('the client takes nothing any more')));
      wake = (): void => {
        cancel();
        resolve();
      };
    });
  response.on('drain', freed).on('close', freed);
  return {
    flush,
    add(piece) {
      gathered.push(piece);
      size += piece.length;
      if (size >= gatherBytesMax && hasRoom) flush();
      else if (!scheduled) {
        scheduled = true;
        void later();
      }
      return hasRoom ? undefined : room();
    },
  };
}

/** Small ones that follow each other in one; large ones are shared with other answers, so they are not copied. */
function* joined(pieces: readonly Buffer[]): Iterable<Buffer> {
  let small: Buffer[] = [];
  for (const piece of pieces) {
    if (piece.length < gatherBytesMax) {
      small.push(piece);
      continue;
    }
    if (small.length > 0) yield Buffer.concat(small);
    small = [];
    yield piece;
  }
  const [only] = small;
  if (only !== undefined) yield small.length === 1 ? only : Buffer.concat(small);
}
