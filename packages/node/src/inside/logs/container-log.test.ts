import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ContainerLog, type LogLimits, openContainerLog } from './container-log.ts';
import { createLineCutter } from './cri-lines.ts';

const time = '2026-11-22T07:45:13.123000000Z';
const nowMs = Date.parse('2026-11-22T07:45:13.123Z');
const bytes = (text: string): Buffer => Buffer.from(text);

test('lines are whole, however they come', () => {
  const cutter = createLineCutter('stdout');
  expect(cutter.take(bytes('one\ntw'), nowMs).toString()).toBe(`${time} stdout F one\n`);
  expect(cutter.take(bytes('o\n\n'), nowMs).toString()).toBe(`${time} stdout F two\n${time} stdout F \n`);
  expect(cutter.take(bytes('rest'), nowMs).toString()).toBe('');
  expect(cutter.end(nowMs).toString()).toBe(`${time} stdout F rest\n`);
  expect(cutter.end(nowMs).toString()).toBe('');
});

test('a line that is too long comes in parts', () => {
  const cutter = createLineCutter('stderr');
  const out = cutter
    .take(bytes(`${'x'.repeat(40_000)}\n`), nowMs)
    .toString()
    .split('\n');
  expect(out.map((line) => [line.slice(31, 39), line.slice(40).length])).toEqual(
    [
      ['stderr P', 16_384],
      ['stderr P', 16_384],
      ['stderr F', 7_232],
      ['', 0],
    ].map(([tag, length]) => [tag, length]),
  );
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const path = (): string => join(folder, 'app/0.log');
const never = new AbortController().signal;

function opened(limits: LogLimits, failures: string[] = []): Promise<ContainerLog> {
  let later = nowMs;
  return openContainerLog(path(), { limits, nowMs: () => later++, failed: ({ message }) => failures.push(message) });
}

test('both streams go to one file, and the last of it is remembered', async () => {
  const log = await opened({ bytesMax: 1_000_000, filesMax: 5 });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  log.write(stdout, 'stdout');
  log.write(stderr, 'stderr');
  stdout.end('out\n');
  stderr.end('err');
  await log.finish(never);
  expect(
    readFileSync(path(), 'utf8')
      .split('\n')
      .map((line) => line.slice(31))
      .toSorted(),
  ).toEqual(['', 'stderr F err', 'stdout F out']);
  expect(log.tail()).toContain('out\n');
});

test('a full file makes way for a new one, and only so many stay', async () => {
  const log = await opened({ bytesMax: 1_000, filesMax: 3 });
  const stdout = new PassThrough();
  log.write(stdout, 'stdout');
  const files = (): readonly string[] => readdirSync(join(folder, 'app')).toSorted();
  for (const expected of [2, 3, 3, 3]) {
    const before = files().at(-1);
    stdout.write('much to say\n'.repeat(100));
    await expect.poll(() => files().at(-1)).not.toBe(before);
    await expect.poll(() => files().length).toBe(expected);
  }
  stdout.end();
  await log.finish(never);
  expect(files()[0]).toBe('0.log');
  expect(files()[1]).toMatch(/^0\.log\.20261122-074513/);
});

test('output that somebody else keeps open is not waited for', async () => {
  const log = await opened({ bytesMax: 1_000, filesMax: 3 });
  const stdout = new PassThrough();
  log.write(stdout, 'stdout');
  stdout.write('said\n');
  const enough = new AbortController();
  const finished = log.finish(enough.signal);
  await new Promise((resolve) => setImmediate(resolve));
  enough.abort();
  await finished;
  expect(readFileSync(path(), 'utf8')).toContain('said');
});

test('a log that cannot be written is told once, and its container goes on', async () => {
  const failures: string[] = [];
  const log = await opened({ bytesMax: 10, filesMax: 3 }, failures);
  const stdout = new PassThrough();
  log.write(stdout, 'stdout');
  rmSync(join(folder, 'app'), { recursive: true });
  for (let count = 0; count < 5; count++) {
    stdout.write(`${'x'.repeat(100_000)}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  stdout.end();
  await log.finish(never);
  expect(failures).toHaveLength(1);
});
