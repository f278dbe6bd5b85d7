import { expect, test } from 'vitest';
import { createLog, type LogForm, type LogLevel, reasonOf } from './log.ts';

function lines(level: LogLevel, form: LogForm): readonly string[] {
  const printed: string[] = [];
  const log = createLog({ level, form, nowMs: () => 1_767_225_600_123, print: (line) => printed.push(line) });
  log('debug', 'plain');
  log('info', 'two words', { pid: 7, path: '/a', err: 'a "b" = c\n', none: '' });
  log('warn', 'w');
  log('error', 'e');
  return printed;
}

test('a line has the keys of upstream, in either form', () => {
  expect(lines('all', 'logfmt').slice(0, 2)).toEqual([
    'ts=2026-01-01T00:00:00.123Z level=debug msg=plain',
    'ts=2026-01-01T00:00:00.123Z level=info msg="two words" pid=7 path=/a err="a \\"b\\" = c\\n" none=""',
  ]);
  expect(JSON.parse(lines('info', 'json')[0] ?? '')).toEqual({
    ts: '2026-01-01T00:00:00.123Z',
    level: 'info',
    msg: 'two words',
    pid: 7,
    path: '/a',
    err: 'a "b" = c\n',
    none: '',
  });
});

test.each<[LogLevel, number]>([
  ['all', 4],
  ['debug', 4],
  ['info', 3],
  ['warn', 2],
  ['error', 1],
  ['none', 0],
])('at %s it says %d of four lines', (level, count) => {
  expect(lines(level, 'logfmt')).toHaveLength(count);
});

test('a reason is one line', () => {
  expect(reasonOf(new Error('a\n  b\n'))).toBe('a b');
  expect(reasonOf('c')).toBe('c');
});
