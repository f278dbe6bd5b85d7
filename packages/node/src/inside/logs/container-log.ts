/**
 * The log of one attempt of a container, on disk. When the file is full it is renamed and a new one begins, as a kubelet does; the
 * oldest goes. A container writes no faster than the disk does: while much is waiting, nothing more is read from it.
 */
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { createLineCutter, type StreamName } from './cri-lines.ts';

export interface ContainerLog {
  /** Until the stream's end. */
  write(from: Readable, stream: StreamName): void;
  /** Resolves when all streams have ended, or `enough` has aborted, and all is written. */
  finish(enough: AbortSignal): Promise<void>;
  /** The last of it as text without times. */
  tail(): string;
}

export interface LogLimits {
  readonly bytesMax: number;
  readonly filesMax: number;
}

/** As a kubelet's `containerLogMaxSize` and `containerLogMaxFiles`. */
export const defaultLogLimits: LogLimits = { bytesMax: 10 << 20, filesMax: 5 };

export interface LogOptions {
  readonly limits: LogLimits;
  nowMs(): number;
  /** It cannot be written; told once until it can again. */
  failed(error: Error): void;
}

const waitingBytesMax = 1 << 18;
/** As much of a log as may become a termination message. */
const tailBytesMax = 2_048;
const tailLinesMax = 80;

export async function openContainerLog(path: string, options: LogOptions): Promise<ContainerLog> {
  await mkdir(dirname(path), { recursive: true });
  const file = await createRotatingFile(path, options);
  const streams = new Set<Readable>();
  let tail = Buffer.alloc(0);
  let allEnded: () => void = () => undefined;
  const remember = (bytes: Buffer): void => {
    tail = Buffer.concat([tail, bytes.subarray(-tailBytesMax)]).subarray(-tailBytesMax);
  };
  return {
    write(from, stream) {
      const cutter = createLineCutter(stream);
      streams.add(from);
      from.on('data', (bytes: Buffer) => {
        remember(bytes);
        if (file.append(cutter.take(bytes, options.nowMs())) <= waitingBytesMax) return;
        from.pause();
        void file.written().then(() => from.resume());
      });
      from.on('error', () => from.destroy());
      from.once('close', () => {
        file.append(cutter.end(options.nowMs()));
        streams.delete(from);
        if (streams.size === 0) allEnded();
      });
    },
    async finish(enough) {
      const stop = (): void => {
        for (const each of streams) each.destroy();
      };
      if (streams.size > 0)
        await new Promise<void>((resolve) => {
          allEnded = resolve;
          enough.addEventListener('abort', stop, { once: true });
          if (enough.aborted) stop();
        });
      enough.removeEventListener('abort', stop);
      await file.close();
    },
    tail: () =>
      tail
        .toString('utf8')
        .split('\n')
        .slice(-tailLinesMax - 1)
        .join('\n'),
  };
}

interface RotatingFile {
  /** Returns how many bytes are waiting. */
  append(bytes: Buffer): number;
  written(): Promise<void>;
  close(): Promise<void>;
}

async function createRotatingFile(path: string, { limits, nowMs, failed }: LogOptions): Promise<RotatingFile> {
  let file: FileHandle | undefined = await open(path, 'a', logMode);
  let size = (await file.stat()).size;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let working: Promise<void> = Promise.resolve();
  let isWorking = false;
  let isTold = false;
  let isClosed = false;
  const begin = async (): Promise<void> => {
    await file?.close();
    file = undefined;
    await rotate(path, { limits, nowMs });
    file = await open(path, 'a', logMode);
    size = 0;
  };
  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const bytes = Buffer.concat(waiting);
      waiting = [];
      waitingBytes = 0;
      try {
        file ??= await open(path, 'a', logMode);
        await file.appendFile(bytes);
        size += bytes.length;
        if (size >= limits.bytesMax) await begin();
        isTold = false;
      } catch (error) {
        // A full disk may have room later: what cannot be written now is lost, and the container goes on.
        if (!isTold) failed(error as Error);
        isTold = true;
      }
    }
    isWorking = false;
  };
  return {
    append(bytes) {
      // What comes after the end would open the file anew, and nobody would close it.
      if (bytes.length === 0 || isClosed) return waitingBytes;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (!isWorking) {
        isWorking = true;
        working = work();
      }
      return waitingBytes;
    },
    written: () => working,
    async close() {
      isClosed = true;
      await working;
      await file?.close().catch(() => undefined);
      file = undefined;
    },
  };
}

/** As a kubelet's: for root, and for the group of who reads logs. */
const logMode = 0o640;

/** `0.log` becomes `0.log.20261122-074513.123`; of these only so many stay that all together are at most `filesMax`. */
async function rotate(path: string, { limits, nowMs }: Pick<LogOptions, 'limits' | 'nowMs'>): Promise<void> {
  const stamp = new Date(nowMs()).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 19);
  const folder = dirname(path);
  const earlier = (await readdir(folder)).filter((name) => name.startsWith(`${basename(path)}.`)).sort();
  const name = `${basename(path)}.${stamp}`;
  await rename(path, join(folder, earlier.includes(name) ? `${name}x${earlier.length}` : name));
  const surplus = earlier.slice(0, Math.max(0, earlier.length + 2 - limits.filesMax));
  for (const each of surplus) await rm(join(folder, each), { force: true });
}
