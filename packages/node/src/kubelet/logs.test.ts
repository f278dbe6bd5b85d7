import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LogWish, readLog } from './logs.ts';

const all: LogWish = {
  ...{ follow: false, timestamps: false },
  ...{ tailLines: undefined, sinceMs: undefined, limitBytes: undefined },
};
const { signal } = new AbortController();
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-logs-'));
  path = join(folder, '0.log');
});

afterEach(() => rmSync(folder, { recursive: true }));

const line = (second: number, text: string, tag = 'F'): string =>
  `2026-01-01T00:00:0${second}.000000000Z stdout ${tag} ${text}\n`;

async function read(wish: Partial<LogWish>): Promise<string> {
  const clock = createVirtualClock();
  let text = '';
  for await (const bytes of readLog(path, { ...all, ...wish }, { clock, signal, hasEnded: async () => true }))
    text += bytes.toString();
  return text;
}

test.each<[string, Partial<LogWish>, string]>([
  ['all of it, with what was renamed; a long line is one', {}, 'a\nlong line\n\nend\n'],
  ['its last lines, over files', { tailLines: 3 }, '\nend\n'],
  ['nothing', { tailLines: 0 }, ''],
  ['since a time', { sinceMs: Date.UTC(2026, 0, 1, 0, 0, 3) }, '\nend\n'],
  ['so many bytes', { limitBytes: 4 }, 'a\nlo'],
  [
    'with times, once a line',
    { timestamps: true, limitBytes: 74 },
    `2026-01-01T00:00:01.000000000Z a\n2026-01-01T00:00:02.000000000Z long line\n`,
  ],
])('%s', async (_, wish, expected) => {
  writeFileSync(`${path}.20260101-000002.000`, line(1, 'a') + line(2, 'long', 'P'));
  writeFileSync(path, `${line(2, ' line')}no line of a runtime\n${line(3, '')}${line(4, 'end')}`);
  expect(await read(wish)).toBe(expected);
});

test('a log that grows is followed over a new file until nothing will be written any more', async () => {
  const clock = createVirtualClock();
  let hasEnded = false;
  writeFileSync(path, line(1, 'one'));
  const seen: string[] = [];
  const world = { clock, signal, hasEnded: async () => hasEnded };
  const lines = readLog(path, { ...all, follow: true }, world);
  /** Lets time pass until the next piece is there. */
  const next = async (): Promise<boolean> => {
    let isThere = false;
    const piece = lines.next().finally(() => (isThere = true));
    while (!isThere) {
      await clock.advance(200);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { done, value } = await piece;
    if (done !== true) seen.push(value.toString());
    return done !== true;
  };
  await next();
  appendFileSync(path, line(2, 'two'));
  await next();
  renameSync(path, `${path}.20260101-000002.000`);
  writeFileSync(path, line(3, 'three'));
  await next();
  hasEnded = true;
  expect(await next()).toBe(false);
  expect(seen.join('')).toBe('one\ntwo\nthree\n');
});
