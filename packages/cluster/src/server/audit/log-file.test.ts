import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import type { AuditEvent } from './event.ts';
import { type AuditLog, type AuditLogOptions, auditLine, openAuditLog } from './log-file.ts';

let folder: string;
let problems: string[];
const clock = createVirtualClock();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-audit-'));
  problems = [];
});
afterEach(() => rm(folder, { recursive: true }));

const event = (auditID: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata', auditID, stage: 'ResponseComplete' },
  ...{ requestURI: '/', verb: 'get', user: {}, requestReceivedTimestamp: '', stageTimestamp: '', ...more },
});
const open = (options: Partial<AuditLogOptions> = {}): Promise<AuditLog> =>
  openAuditLog({
    path: join(folder, 'audit.log'),
    clock,
    report: ({ message }) => problems.push(message),
    ...options,
  });
const ids = async (name: string): Promise<readonly string[]> =>
  (await readFile(join(folder, name), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as AuditEvent).auditID);

test('events are lines of a file that only its owner reads, behind those of the last run', async () => {
  for (const id of ['a', 'b']) {
    const log = await open();
    log.write(event(id));
    await log.close();
  }
  expect(await ids('audit.log')).toEqual(['a', 'b']);
  expect((await stat(join(folder, 'audit.log'))).mode & 0o777).toBe(0o600);
});

test('a file that would become too long is put aside, and only so many are kept', async () => {
  const sizeBytesMax = auditLine(event('a')).length;
  for (const id of ['a', 'b', 'c', 'd']) {
    await clock.advance(1_000);
    const log = await open({ sizeBytesMax, backupsMax: 2 });
    log.write(event(id));
    await log.close();
  }
  const names = (await readdir(folder)).sort();
  expect(names).toHaveLength(3);
  expect(names[0]).toMatch(/^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log$/);
  expect([await ids(names[0] ?? ''), await ids(names[1] ?? ''), await ids('audit.log')]).toEqual([['b'], ['c'], ['d']]);
});

test('beyond what may wait events are lost, which is told once', async () => {
  const log = await open({ waitingBytesMax: auditLine(event('a')).length * 2 });
  for (const id of ['a', 'b', 'c', 'd']) log.write(event(id));
  await log.close();
  expect(await ids('audit.log')).toEqual(['a', 'b']);
  expect(log.lost()).toBe(2);
  expect(problems).toEqual(['events are lost: the disk does not keep up with the audit log']);
});

test('a disk that fails costs events, and nobody else anything', async () => {
  const log = await open();
  await rm(join(folder, 'audit.log'));
  await rm(folder, { recursive: true });
  log.write(event('a'));
  await log.close();
  expect(log.lost()).toBe(1);
  expect(problems).toEqual(['events are lost: the audit log cannot be written']);
  folder = await mkdtemp(join(tmpdir(), 'signalbox-audit-'));
});

test('what is no folder is refused at the start', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(open({ path: join(folder, 'file', 'audit.log') })).rejects.toThrow();
});

test('a line has an end: bodies that are too long are left out', () => {
  const line = JSON.parse(auditLine(event('a', { responseObject: 'x'.repeat(2 ** 20) }))) as AuditEvent;
  expect(line).toMatchObject({ auditID: 'a', annotations: { 'audit.k8s.io/truncated': 'true' } });
  expect(line).not.toHaveProperty('responseObject');
});
