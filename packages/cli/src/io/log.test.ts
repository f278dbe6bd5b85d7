import { createVirtualClock } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import { CommandError } from './errors.ts';
import type { Output } from './io.ts';
import { createJsonLog } from './json-log.ts';
import { createTextLog, described, type LogLevel, loggingFailure } from './log.ts';

interface Written {
  readonly stderr: Output;
  readonly text: string[];
  readonly forms: (string | undefined)[];
}

function remembering(): Written {
  const text: string[] = [];
  const forms: (string | undefined)[] = [];
  const write: Output['write'] = (line, form) => {
    text.push(line);
    forms.push(form);
  };
  return { stderr: { write, isTerminal: false }, text, forms };
}

function jsonLog(level: LogLevel = 'info') {
  const { stderr, text, forms } = remembering();
  const log = createJsonLog({ level, component: 'up', io: { stderr, clock: createVirtualClock() } });
  return { log, forms, lines: () => text.map((line) => JSON.parse(line) as Record<string, unknown>), text };
}

const problem = { level: 'warn', component: 'fleet', message: 'cannot report on pod a/b' } as const;

test('as text a line says where, what and why', () => {
  expect(described({ ...problem, error: new Error('the disk\n  is full') })).toBe(
    'fleet: cannot report on pod a/b: the disk is full',
  );
  expect(described({ level: 'info', message: 'stopped' })).toBe('stopped');
});

test('as text a line has the form of its command, or its own', () => {
  const lines: string[] = [];
  const log = createTextLog({
    level: 'info',
    text: ({ message }) => `> ${message}`,
    print: (line) => void lines.push(line),
  });
  log.write({ level: 'info', message: 'a' });
  log.write({ level: 'error', message: 'b', text: 'b:' });
  expect(lines).toEqual(['> a', 'b:']);
});

test('as JSON a line is one object with level, time, component, error and message', () => {
  const { log, lines, text, forms } = jsonLog();
  log.write({ ...problem, error: new Error('the disk\n  is full') });
  log.write({ level: 'info', message: 'two\nlines', text: 'only for people' });
  expect(lines()).toEqual([
    {
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      component: 'fleet',
      error: 'the disk is full',
      message: 'cannot report on pod a/b',
    },
    { level: 'info', time: expect.any(String), component: 'up', message: 'two\nlines' },
  ]);
  expect(text.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
  expect(forms).toEqual(['timed', 'timed']);
});

test('what an error carries besides its message is not logged: it may be a secret', () => {
  const { log, text } = jsonLog('debug');
  const error = Object.assign(new Error('refused'), { request: { authorization: 'Bearer hunter2' } });
  log.write({ ...problem, error });
  log.write({ ...problem, error: new AggregateError([new Error('one'), error]) });
  expect(text.join('')).not.toContain('hunter2');
  expect(JSON.parse(text[1] ?? '')).toMatchObject({ error: 'one; refused' });
});

test('where an error comes from is for who asks for everything', () => {
  for (const level of ['info', 'debug'] as const) {
    const { log, lines } = jsonLog(level);
    log.write({ ...problem, error: new Error('a defect') });
    expect('stack' in (lines()[0] ?? {})).toBe(level === 'debug');
  }
});

test.each<[LogLevel, readonly string[]]>([
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
])('%s leaves out what is less important, as text and as JSON', (level, expected) => {
  const text: string[] = [];
  const json = jsonLog(level);
  const logs = [createTextLog({ level, text: (line) => line.level, print: (line) => void text.push(line) }), json.log];
  for (const log of logs)
    for (const each of ['debug', 'info', 'warn', 'error'] as const) log.write({ level: each, message: each });
  expect(text).toEqual(expected);
  expect(json.lines().map((line) => line['level'])).toEqual(expected);
});

test('a command that fails says so in its JSON log; text is left to the command line', async () => {
  const { log, lines } = jsonLog();
  const fails = () => Promise.reject(new CommandError(['port 1 is in use', 'choose another']));
  expect(await loggingFailure(log, { logFormat: 'json', logLevel: 'info' }, fails)).toBe(1);
  expect(lines().map(({ level, message }) => [level, message])).toEqual([
    ['error', 'port 1 is in use'],
    ['error', 'choose another'],
  ]);
  await expect(loggingFailure(log, { logFormat: 'text', logLevel: 'info' }, fails)).rejects.toThrow('port 1');
});
