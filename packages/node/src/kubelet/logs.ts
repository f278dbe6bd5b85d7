import { type Clock, fromTimestamp, sleep } from '@signalbox/cluster';
import { logFiles, nextLog, type OpenLog, openLog, tailOf } from './log-files.ts';

/** What of a log is wanted, as clients ask for it. */
export interface LogWish {
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly sinceMs: number | undefined;
  readonly limitBytes: number | undefined;
}

export interface LogWorld {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether nothing will be written to it any more. */
  hasEnded(): Promise<boolean>;
}

/** How often a log that is followed is looked at. */
const lookMs = 200;
const chunkBytes = 64 * 1024;

/** The log of one attempt, from files in the format of container runtimes; also while they are renamed. */
export async function* readLog(path: string, wish: LogWish, world: LogWorld): AsyncGenerator<Buffer> {
  const print = createPrinter(wish);
  let left = wish.limitBytes ?? Infinity;
  for await (const bytes of rawLog(path, wish, world)) {
    const text = print(bytes);
    if (text.length >= left) return yield text.subarray(0, left);
    left -= text.length;
    if (text.length > 0) yield text;
  }
}

/** Whole files and pieces of them, from where the wish begins. */
async function* rawLog(path: string, { follow, tailLines }: LogWish, world: LogWorld): AsyncGenerator<Buffer> {
  const { clock, signal } = world;
  let begin: Begin | undefined;
  while (begin === undefined) {
    begin = await beginning(path, tailLines);
    if (begin !== undefined) break;
    if (!follow || (await world.hasEnded())) return;
    await sleep(clock, lookMs, { signal });
  }
  let { log, start: at } = begin;
  const chunk = Buffer.alloc(chunkBytes);
  try {
    for (;;) {
      // Asked first: what was written before that is read after it.
      const isOver = !follow || (await world.hasEnded());
      const before = at;
      for (;;) {
        const { bytesRead } = await log.file.read(chunk, 0, chunkBytes, at);
        if (bytesRead === 0) break;
        at += bytesRead;
        signal.throwIfAborted();
        yield Buffer.from(chunk.subarray(0, bytesRead));
      }
      const next = at === before || isOver ? await nextLog(path, log.inode) : undefined;
      if (next !== undefined) {
        // What was written just before it was renamed.
        for (let read = await log.file.read(chunk, 0, chunkBytes, at); read.bytesRead > 0; ) {
          at += read.bytesRead;
          yield Buffer.from(chunk.subarray(0, read.bytesRead));
          read = await log.file.read(chunk, 0, chunkBytes, at);
        }
        await log.file.close();
        [log, at] = [next, 0];
      } else if (isOver) return;
      else if (at === before) await sleep(clock, lookMs, { signal });
    }
  } finally {
    await log.file.close();
  }
}

interface Begin {
  readonly log: OpenLog;
  readonly start: number;
}

/** Undefined while nothing is there. */
async function beginning(path: string, tailLines: number | undefined): Promise<Begin | undefined> {
  const files = await logFiles(path);
  if (tailLines === undefined) {
    const log = files[0] === undefined ? undefined : await openLog(files[0]);
    return log && { log, start: 0 };
  }
  let missing = tailLines;
  let begin: Begin | undefined;
  for (const each of [...files].reverse()) {
    const log = await openLog(each);
    if (log === undefined) continue;
    const { start, lines } = await tailOf(log.file, missing);
    await begin?.log.file.close();
    begin = { log, start };
    missing -= lines;
    if (missing <= 0) break;
  }
  return begin;
}

const newline = 10;

/** From lines as runtimes write them, `TIME stdout F text`, to what the container wrote. */
function createPrinter({ timestamps, sinceMs }: LogWish): (bytes: Buffer) => Buffer {
  let rest: Buffer = Buffer.alloc(0);
  let isMiddle = false;
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const out: Buffer[] = [];
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      const line = lineOf(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      if (line === undefined) continue;
      const { time, isPart, text } = line;
      const isShown = sinceMs === undefined || timeMs(time) >= sinceMs;
      if (isShown && timestamps && !isMiddle) out.push(Buffer.from(`${time} `));
      if (isShown) out.push(text);
      if (isShown && !isPart) out.push(Buffer.from('\n'));
      isMiddle = isPart;
    }
    return Buffer.concat(out);
  };
}

interface Line {
  readonly time: string;
  /** More of the same line follows. */
  readonly isPart: boolean;
  readonly text: Buffer;
}

const streams: ReadonlySet<string> = new Set(['stdout', 'stderr']);

/** Undefined for what no runtime wrote. */
function lineOf(bytes: Buffer): Line | undefined {
  const space = 32;
  const first = bytes.indexOf(space);
  const second = bytes.indexOf(space, first + 1);
  const third = bytes.indexOf(space, second + 1);
  if (first < 0 || second < 0 || !streams.has(bytes.toString('latin1', first + 1, second))) return undefined;
  const end = third < 0 ? bytes.length : third;
  const tag = bytes.toString('latin1', second + 1, end);
  return { time: bytes.toString('latin1', 0, first), isPart: tag.startsWith('P'), text: bytes.subarray(end + 1) };
}

/** Nanoseconds are cut off: nobody asks for them. */
function timeMs(time: string): number {
  return fromTimestamp(time.replace(/(\.\d{3})\d+/, '$1'));
}
