import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import { fresh } from '../../base/fresh.ts';
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
export function writeAnswer(response: NodeResponse, answer: Answer, options: WriteOptions): Promise<void> {
  const { body } = answer;
  if (response.destroyed || response.headersSent) {
    // Nobody will read it; whoever waits for its end must hear of that.
    if (body.is === 'stream') leave(body.pieces[Symbol.asyncIterator]());
    return Promise.resolve();
  }
  const zipped = options.gzip && isLarge(body) && options.method !== 'HEAD';
  const ready = { ...fresh, ...options, zipped };
  writeHead(response, answer, ready);
  return body.is === 'stream' ? writeStream(response, body.pieces, options) : writeReady(response, body, ready);
}

type ReadyOptions = WriteOptions & { readonly zipped: boolean };

function writeHead(response: NodeResponse, answer: Answer, { last, zipped }: ReadyOptions): void {
  const { code, body } = answer;
  const headers: Record<string, string | readonly string[]> = { ...fresh, ...answer.headers };
  if (last && response.req.httpVersionMajor === 1) headers['connection'] = 'close';
  if (zipped) Object.assign(headers, { 'content-encoding': 'gzip', vary: varying(headers['vary']) });
  else if (body.is === 'bytes' && code !== 304) headers['content-length'] = String(body.bytes.length);
  response.statusCode = code;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string | string[]);
}

async function writeReady(
  response: NodeResponse,
  body: Exclude<AnswerBody, { readonly is: 'stream' }>,
  options: ReadyOptions,
): Promise<void> {
  try {
    if (options.zipped) await writePieces(response, zip(body, options), options);
    else if (body.is === 'bytes') endWith(response, options.method === 'HEAD' ? undefined : body.bytes);
    else await writePieces(response, inTurns(body.pieces, options), options);
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

function zip(body: Exclude<AnswerBody, { readonly is: 'stream' }>, options: WriteOptions): AsyncIterable<Buffer> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const pieces = body.is === 'bytes' ? [body.bytes] : inTurns(body.pieces, options);
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

function writeStream(response: NodeResponse, pieces: AsyncIterable<Buffer>, options: WriteOptions): Promise<void> {
  return new Promise((resolve) => {
    new StreamWriter(response, {
      ...fresh,
      ...options,
      iterator: pieces[Symbol.asyncIterator](),
      ended: resolve,
    }).begin();
  });
}

interface StreamWriting extends GatherOptions {
  readonly iterator: AsyncIterator<Buffer>;
  ended(): void;
}

/** No async function: ten thousand of these wait at once, each for a piece that may never come. */
class StreamWriter {
  readonly #response: NodeResponse;
  readonly #iterator: AsyncIterator<Buffer>;
  readonly #ended: () => void;
  readonly #gatherer: Gatherer;

  constructor(response: NodeResponse, { clock, stallTimeoutMs, iterator, ended }: StreamWriting) {
    this.#response = response;
    this.#iterator = iterator;
    this.#ended = ended;
    this.#gatherer = new Gatherer(response as ServerResponse, { clock, stallTimeoutMs });
  }

  begin(): void {
    try {
      // The client waits for the headers before anything else happens.
      (this.#response as ServerResponse).flushHeaders();
      this.#read();
    } catch {
      this.#failed();
    }
  }

  #read(): void {
    this.#iterator.next().then(this.#write, this.#failed);
  }

  readonly #write = ({ done, value }: IteratorResult<Buffer>): void => {
    try {
      if (this.#response.destroyed || this.#response.writableEnded) this.#leave();
      else if (done === true) this.#end();
      else {
        const room = this.#gatherer.add(value);
        if (room === undefined) this.#read();
        else room.then(() => this.#read(), this.#failed);
      }
    } catch {
      this.#failed();
    }
  };

  readonly #failed = (): void => {
    this.#response.destroy();
    this.#leave();
  };

  #end(): void {
    this.#gatherer.flush();
    this.#response.end();
    this.#ended();
  }

  #leave(): void {
    leave(this.#iterator);
    this.#ended();
  }
}

/** It only makes room; what it fails with is nobody's any more. */
function leave(iterator: AsyncIterator<Buffer>): void {
  iterator.return?.().catch(() => undefined);
}

async function writePieces(
  response: NodeResponse,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  options: WriteOptions,
): Promise<void> {
  const gatherer = new Gatherer(response as ServerResponse, options);
  for await (const piece of pieces) {
    if (response.destroyed || response.writableEnded) return;
    const room = gatherer.add(piece);
    if (room !== undefined) await room;
  }
  gatherer.flush();
  response.end();
}

type GatherOptions = Pick<WriteOptions, 'clock' | 'stallTimeoutMs'>;

/** Gathers what comes within one turn into one write: a burst of events costs one system call, not one each. */
class Gatherer {
  readonly #response: ServerResponse;
  readonly #options: GatherOptions;
  #gathered: Buffer[] | undefined;
  #size = 0;
  #scheduled = false;
  #hasRoom = true;
  #wake: (() => void) | undefined;

  constructor(response: ServerResponse, options: GatherOptions) {
    this.#response = response;
    this.#options = options;
    const freed = (): void => this.#freed();
    response.on('drain', freed).on('close', freed);
  }

  /** Undefined while there is room; otherwise resolves when there is some again. */
  add(piece: Buffer): Promise<void> | undefined {
    this.#gathered ??= [];
    this.#gathered.push(piece);
    this.#size += piece.length;
    if (this.#size >= gatherBytesMax && this.#hasRoom) this.flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      void this.#later();
    }
    return this.#hasRoom ? undefined : this.#room();
  }

  flush(): void {
    if (this.#size === 0 || this.#response.destroyed) return;
    for (const part of joined(this.#gathered ?? [])) this.#hasRoom = this.#response.write(part);
    this.#gathered = undefined;
    this.#size = 0;
  }

  #freed(): void {
    this.#hasRoom = true;
    this.flush();
    this.#wake?.();
  }

  async #later(): Promise<void> {
    await this.#options.clock.turn();
    this.#scheduled = false;
    if (this.#hasRoom) this.flush();
  }

  #room(): Promise<void> {
    const { clock, stallTimeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const cancel = clock.after(stallTimeoutMs, () => reject(new Error('the client takes nothing any more')));
      this.#wake = (): void => {
        cancel();
        resolve();
      };
    });
  }
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
