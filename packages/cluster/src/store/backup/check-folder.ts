import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFileName, readRecords, readRevision } from '../backends/data-folder.ts';
import { keyText, type LmdbFile, openLmdbFile } from '../backends/lmdb-file.ts';
import { DamagedFileError } from '../backends/lmdb-pages.ts';
import { lockFolder } from '../backends/lock.ts';
import { decodeRecord } from '../backends/record.ts';
import { readMarker } from '../backends/revision-marker.ts';
import type { BackupContent, BackupFile } from './format.ts';

export interface FolderCheck {
  /** What is wrong, one line each; empty when all is well. */
  readonly findings: readonly string[];
  readonly revision: number;
  readonly objects: number;
  readonly bytes: number;
  /** Objects by their resource, `apps/deployments`. */
  readonly resources: ReadonlyMap<string, number>;
  readonly freePages: number;
}

/** Reads the whole folder and changes nothing. Rejects when a process is at work in it or there is nothing to check. */
export async function checkFolder(path: string): Promise<FolderCheck> {
  return holding(path, async () => {
    const marker = await readMarker(path);
    const file = openLmdbFile(join(path, dataFileName));
    if (file === undefined) throw new Error('this machine lays out its files in a way that is not known here');
    try {
      const check = checkFile(file);
      const missed = marker !== undefined && check.revision < marker.least && !check.findings.some(isFatal);
      const older = `${dataFileName} ends with revision ${check.revision}, and the folder has held revision ${marker?.least}: it was replaced by an older one`;
      return missed ? { ...check, findings: [...check.findings, older] } : check;
    } finally {
      file.close();
    }
  });
}

const fatalPrefix = `${dataFileName} is damaged: `;

function isFatal(finding: string): boolean {
  return finding.startsWith(fatalPrefix);
}

function checkFile(file: LmdbFile): FolderCheck {
  const findings: string[] = [];
  const seen: Seen = { uids: new Map(), revisions: new Map(), resources: new Map() };
  const counts = { revision: 0, objects: 0, bytes: 0, freePages: 0 };
  try {
    counts.revision = readRevision(file);
    for (const { key, value } of file.entries('objects')) {
      counts.objects += 1;
      counts.bytes += value.length;
      findings.push(...checkRecord(keyText(key), { value, seen, newest: counts.revision }));
    }
    counts.freePages = file.checkFreePages();
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    findings.push(`${fatalPrefix}${error.message}; what comes after it was not read`);
  }
  return { ...counts, findings, resources: seen.resources };
}

interface Seen {
  readonly uids: Map<string, string>;
  readonly revisions: Map<number, string>;
  readonly resources: Map<string, number>;
}

interface Checking {
  readonly value: Buffer;
  readonly seen: Seen;
  readonly newest: number;
}

function* checkRecord(key: string, { value, seen, newest }: Checking): Generator<string> {
  const resource = /^\/([^/]+\/[^/]+)(?:\/[^/]+){1,2}$/.exec(key)?.[1];
  if (resource === undefined) yield `${JSON.stringify(key)} is no key of an object`;
  else seen.resources.set(resource, (seen.resources.get(resource) ?? 0) + 1);
  const record = decodeRecord(key, value);
  if (record === undefined) {
    yield `the record of ${key} is damaged`;
    return;
  }
  const { revision, createdRevision } = record;
  if (revision > newest || createdRevision > revision)
    yield `${key} was written at revision ${revision} and made at ${createdRevision}, and the newest is ${newest}`;
  const sharer = seen.revisions.get(revision);
  if (sharer !== undefined) yield `${key} and ${sharer} were both written at revision ${revision}`;
  seen.revisions.set(revision, key);
  const uid = uidOf(record.bytes);
  if (uid === undefined) yield `what is stored as ${key} is no object`;
  else {
    const twin = seen.uids.get(uid);
    if (twin !== undefined) yield `${key} and ${twin} have one uid, ${uid}`;
    seen.uids.set(uid, key);
  }
}

function uidOf(bytes: Buffer): string | undefined {
  try {
    const uid = (JSON.parse(bytes.toString('utf8')) as { metadata?: { uid?: unknown } }).metadata?.uid;
    return typeof uid === 'string' ? uid : undefined;
  } catch {
    return undefined;
  }
}

/** What a backup holds of a folder in which nobody is at work. Damage is found while its records are read. */
export async function withFolderContent<T>(
  path: string,
  { time, use }: { readonly time: string; use(content: BackupContent): Promise<T> },
): Promise<T> {
  return holding(path, async () => {
    const file = openLmdbFile(join(path, dataFileName));
    const revision = file === undefined ? 0 : readRevision(file);
    file?.close();
    return use({ revision, time, files: await readPrivateFiles(path), records: readRecords(path) });
  });
}

/** Certificates, keys and the token, by their path in the folder. */
export async function readPrivateFiles(path: string): Promise<readonly BackupFile[]> {
  const names = await readdir(join(path, 'pki')).catch(() => []);
  const wanted = names.filter((name) => /^[\w-]+(\.crt|\.key)?$/.test(name)).sort();
  return Promise.all(
    wanted.map(async (name) => ({ name: `pki/${name}`, text: await readFile(join(path, 'pki', name), 'utf8') })),
  );
}

async function holding<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = await inFolder(path, async () => {
    const size = await sizeOf(join(path, dataFileName));
    if (size === 0)
      throw new Error(
        `${dataFileName} is empty; restore a backup into another folder: signalbox restore FILE --data DIR`,
      );
    return lockFolder(path);
  });
  try {
    return await inFolder(path, work);
  } finally {
    await lock.release();
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw cause;
    throw new Error(`there is no ${dataFileName} in it; name the folder of a cluster with --data`, { cause });
  }
}

async function inFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`cannot read the data folder ${path}: ${message}`, { cause });
  }
}
