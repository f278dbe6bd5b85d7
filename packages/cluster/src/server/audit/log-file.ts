import { appendFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { formatExactJson } from '../../base/exact-json.ts';
import type { AuditEvent } from './event.ts';
import { staleBackups } from './rotation.ts';

export interface AuditLogOptions {
  readonly path: string;
  /** A longer file is put aside, and a new one begun. The default is 100 MiB. */
  readonly sizeBytesMax?: number | undefined;
  /** Older ones that were put aside go. The default keeps them, however old. */
  readonly ageMsMax?: number | undefined;
  /** Of more than so many that were put aside the oldest go. The default keeps all. */
  readonly backupsMax?: number | undefined;
  /** What may wait for the disk; more is lost, and that is reported and counted. The default is 16 MiB. */
  readonly waitingBytesMax?: number | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly report: (problem: {
    readonly component: string;
    readonly message: string;
    readonly error?: unknown;
  }) => void;
}

export interface AuditLog {
  /** Never waits, never throws. */
  readonly write: (event: AuditEvent) => void;
  /** How many events were lost. */
  lost(): number;
  /** All that was written until now is in the file. */
  close(): Promise<void>;
}

const component = 'audit';
const waitingBytesMaxDefault = 16 * 2 ** 20;
const sizeBytesMaxDefault = 100 * 2 ** 20;
/** A longer line loses the bodies in it. */
const lineBytesMax = 2 ** 20;

/** A file of JSON lines for its owner only. Rejects when it cannot be written. */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const { path, waitingBytesMax = waitingBytesMaxDefault, report } = options;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await appendFile(path, '', { mode: 0o600 });
  const file = { size: (await stat(path)).size };
  let waiting: string[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let hasFailed = false;
  let writing: Promise<void> | undefined;

  const drop = (count: number, message: string, error?: unknown): void => {
    lost += count;
    if (!hasFailed) report({ component, message, ...(error !== undefined && { error }) });
    hasFailed = true;
  };
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      try {
        await append(lines.join(''), { ...options, file });
        hasFailed = false;
      } catch (error) {
        drop(lines.length, 'events are lost: the audit log cannot be written', error);
      }
      waitingBytes -= lines.reduce((sum, line) => sum + line.length, 0);
    }
    writing = undefined;
  };
  return {
    write(event) {
      const line = auditLine(event);
      if (waitingBytes + line.length > waitingBytesMax) {
        drop(1, 'events are lost: the disk does not keep up with the audit log');
        return;
      }
      waiting.push(line);
      waitingBytes += line.length;
      writing ??= Promise.resolve().then(flush);
    },
    lost: () => lost,
    async close() {
      await writing;
    },
  };
}

/** One event as a line; bodies that are too long are left out, and the event says so. */
export function auditLine(event: AuditEvent): string {
  const line = `${formatExactJson(event)}\n`;
  if (line.length <= lineBytesMax) return line;
  const { requestObject: _sent, responseObject: _answered, ...rest } = event;
  return `${formatExactJson({ ...rest, annotations: { ...rest.annotations, 'audit.k8s.io/truncated': 'true' } })}\n`;
}

interface Appending extends AuditLogOptions {
  readonly file: { size: number };
}

async function append(text: string, appending: Appending): Promise<void> {
  const { path, file, sizeBytesMax = sizeBytesMaxDefault } = appending;
  const bytes = Buffer.byteLength(text);
  if (file.size > 0 && file.size + bytes > sizeBytesMax) {
    await putAside(appending);
    file.size = 0;
  }
  await appendFile(path, text, { mode: 0o600 });
  file.size += bytes;
}

/** `audit-2026-01-02T15-04-05.000.log`, as upstream calls them, so that what collects them there does so here. */
async function putAside(options: Appending): Promise<void> {
  const { path, clock } = options;
  const [folder, end] = [dirname(path), extname(path)];
  const stem = basename(path, end);
  const nowMs = clock.nowMs();
  const time = new Date(nowMs).toISOString().replaceAll(':', '-').slice(0, -1);
  await rename(path, join(folder, `${stem}-${time}${end}`));
  const names = await readdir(folder);
  for (const name of staleBackups(names, { ...options, stem, end, nowMs }))
    await rm(join(folder, name), { force: true });
}
