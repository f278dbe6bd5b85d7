import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { formatExactJson } from '../../base/exact-json.ts';
import type { BackendRecord, Stored } from '../store.ts';

/**
 * A backup is text in lines, gzipped: a header, one line per file and object, and an end that carries the SHA-256 of all lines
 * before it. An object's line is its key and revisions as JSON, a tab, and its own JSON byte for byte as it is stored.
 *
 *   {"signalboxBackup":1,"revision":120,"time":"2026-01-02T03:04:05Z"}
 *   {"file":"pki/ca.crt","text":"…"}
 *   {"key":"/core/pods/default/a","created":7,"revision":9}<tab>{…}
 *   {"end":true,"files":1,"objects":1,"sha256":"…"}
 */
export interface BackupContent {
  /** The newest revision: everything is as it was then. */
  readonly revision: number;
  /** RFC 3339; when it was made. */
  readonly time: string;
  /** Small texts that belong to the cluster, by their path in the data folder: certificates and keys. */
  readonly files: readonly BackupFile[];
  readonly records: Iterable<BackendRecord>;
}

export interface BackupFile {
  readonly name: string;
  readonly text: string;
}

export interface BackupHeader {
  readonly revision: number;
  readonly time: string;
}

export interface BackupFacts extends BackupHeader {
  readonly files: number;
  readonly objects: number;
}

export type BackupItem = BackupFile | BackendRecord;

const format = 1;
const chunkBytes = 64 * 1024;

/** What a running store holds, as a backup takes it: encoded one by one, when its turn comes. */
export function* toRecords(items: Iterable<Stored>): Generator<BackendRecord> {
  for (const { key, revision, createdRevision, value } of items)
    yield { key, revision, createdRevision, bytes: Buffer.from(formatExactJson(value)) };
}

export function encodeBackup(content: BackupContent): AsyncIterable<Buffer> {
  const source = Readable.from(lines(content), { objectMode: true, highWaterMark: 1 });
  // Unlike `pipe` it hands errors on; whoever reads the result gets them.
  return pipeline(source, createGzip(), () => undefined);
}

function* lines({ revision, time, files, records }: BackupContent): Generator<Buffer> {
  const hash = createHash('sha256');
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let objects = 0;
  function* put(line: Buffer): Generator<Buffer> {
    hash.update(line);
    waiting.push(line);
    waitingBytes += line.length;
    if (waitingBytes < chunkBytes) return;
    yield Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
  }
  yield* put(lineOf({ signalboxBackup: format, revision, time }));
  for (const { name, text } of files) yield* put(lineOf({ file: name, text }));
  for (const { key, createdRevision, revision: at, bytes } of records) {
    const meta = JSON.stringify({ key, created: createdRevision, revision: at });
    yield* put(Buffer.concat([Buffer.from(`${meta}\t`), bytes, newline]));
    objects += 1;
  }
  yield Buffer.concat([...waiting, lineOf({ end: true, files: files.length, objects, sha256: hash.digest('hex') })]);
}

const newline = Buffer.from('\n');

function lineOf(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** Reads all of it and fails with an Error that names the file when anything of it is not as it was written. */
export async function verifyBackup(path: string): Promise<BackupFacts> {
  let facts: BackupFacts | undefined;
  for await (const item of readBackup(path)) if ('objects' in item) facts = item;
  if (facts === undefined) throw damaged(path, 'it has no end');
  return facts;
}

/** The items of a backup, at last its facts: until those have come nothing of it can be trusted. */
export async function* readBackup(path: string): AsyncGenerator<BackupItem | BackupFacts> {
  const hash = createHash('sha256');
  let header: BackupHeader | undefined;
  const counts = { files: 0, objects: 0 };
  let isEnded = false;
  for await (const line of splitLines(path)) {
    if (isEnded) throw damaged(path, 'something follows its end');
    const tab = line.indexOf(0x09);
    const meta = parsed(path, tab < 0 ? line : line.subarray(0, tab));
    if (header === undefined) {
      header = headerOf(path, meta);
      hash.update(line).update(newline);
      continue;
    }
    if (meta['end'] === true) {
      const isWhole =
        meta['files'] === counts.files && meta['objects'] === counts.objects && meta['sha256'] === hash.digest('hex');
      if (!isWhole) throw damaged(path, 'its checksum does not fit its content');
      isEnded = true;
      yield { ...header, ...counts };
      continue;
    }
    hash.update(line).update(newline);
    const item = itemOf(path, { meta, bytes: line.subarray(tab + 1), isObject: tab >= 0 });
    counts['name' in item ? 'files' : 'objects'] += 1;
    yield item;
  }
  if (!isEnded) throw damaged(path, 'it is cut short');
}

type Meta = Readonly<Record<string, unknown>>;

function parsed(path: string, line: Buffer): Meta {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Meta;
  } catch {
    // Said below.
  }
  throw damaged(path, 'a line of it is no JSON');
}

function headerOf(path: string, meta: Meta): BackupHeader {
  const { signalboxBackup: found, revision, time } = meta;
  if (typeof found !== 'number') throw new Error(`${path} is no backup that signalbox made`);
  if (found !== format)
    throw new Error(
      `${path} is a backup of format ${found}, and this version reads ${format} only; use a newer version`,
    );
  if (!isRevision(revision) || typeof time !== 'string') throw damaged(path, 'its header is not one');
  return { revision, time };
}

interface Line {
  readonly meta: Meta;
  readonly bytes: Buffer;
  readonly isObject: boolean;
}

function itemOf(path: string, { meta, bytes, isObject }: Line): BackupItem {
  const { file, text, key, created, revision } = meta;
  if (!isObject && typeof file === 'string' && typeof text === 'string' && isPlainPath(file))
    return { name: file, text };
  if (isObject && typeof key === 'string' && isRevision(created) && isRevision(revision))
    return { key, createdRevision: created, revision, bytes };
  throw damaged(path, 'a line of it is neither a file nor an object');
}

/** A backup from somewhere else must not write beside its folder. */
function isPlainPath(name: string): boolean {
  return /^pki\/[\w-][\w.-]*$/.test(name);
}

function isRevision(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function damaged(path: string, what: string): Error {
  return new Error(`the backup ${path} is damaged: ${what}; use another one`);
}

async function* splitLines(path: string): AsyncGenerator<Buffer> {
  const source = createReadStream(path);
  const text = createGunzip();
  source.on('error', (error) => text.destroy(error));
  let rest: Buffer[] = [];
  try {
    for await (const chunk of source.pipe(text) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
        yield Buffer.concat([...rest, chunk.subarray(from, end)]);
        rest = [];
        from = end + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    }
  } catch (cause) {
    throw readFailure(path, cause);
  } finally {
    source.destroy();
  }
  if (rest.length > 0) throw damaged(path, 'it is cut short');
}

function readFailure(path: string, cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR')
    return new Error(`the backup ${path} is damaged or none: it cannot be unpacked; use another one`, { cause });
  if (code === 'EISDIR')
    return new Error(`${path} is a folder, not a backup; name a file that "signalbox backup" wrote`, { cause });
  return cause;
}
