/** What one side asks arrives at the other as it was: a client and a server with a fake behind it, over a real socket. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex, PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectInside, type InsideClient } from './client.ts';
import { doorPath } from './door.ts';
import { InsideFailure, notFound } from './failure.ts';
import { createFrameReader, encodeFrame } from './frames.ts';
import type { ExecCommand, ExecSession, Inside, InsideEvent } from './inside.ts';
import { insideDoor } from './places.ts';
import { createInsideServer } from './server.ts';

interface Call {
  readonly of: string;
  readonly args: readonly unknown[];
}

const calls: Call[] = [];
const noted =
  (of: string, answer?: unknown) =>
  async (...args: readonly unknown[]): Promise<never> => {
    calls.push({ of, args });
    return answer as never;
  };

/** Runs no process: it says back what it hears. */
function echo(command: ExecCommand | undefined, signal: AbortSignal): ExecSession {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const resized: string[] = [];
  signal.addEventListener('abort', () => calls.push({ of: 'aborted', args: [] }));
  stderr.write(JSON.stringify(command?.argv ?? 'attached'));
  stdin.pipe(stdout, { end: false });
  const ended = new Promise<number>((resolve) =>
    stdin.on('end', () => {
      stdout.write(`|${resized.join()}`);
      resolve(42);
    }),
  );
  return { stdin, stdout, stderr, ended, resize: ({ columns, rows }) => void resized.push(`${columns}x${rows}`) };
}

const happened: readonly InsideEvent[] = [
  { number: 8, is: 'told', pod: 'u1', message: 'one' },
  { number: 9, is: 'told', pod: 'u1', message: 'two' },
];

const fake: Inside = {
  state: noted('state', { event: 7, pods: [], containers: [], orphans: [], lacks: [] }),
  async *events(since, { signal }) {
    if (since < 7) throw new InsideFailure('forgotten', { code: 'Expired' });
    yield* happened;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
  addPod: noted('addPod'),
  removePod: async (uid) => {
    throw notFound(`pod ${uid}`);
  },
  writeVolume: noted('writeVolume'),
  removeVolumes: noted('removeVolumes'),
  start: noted('start', { pod: 'u1', name: 'app', attempt: 2, id: 'process://1', startedMs: 5 }),
  signal: noted('signal'),
  exec: async ({ name }, command, { signal }) => {
    if (name === 'gone') throw notFound('running container');
    return echo(command, signal);
  },
  attach: async (_, { signal }) => echo(undefined, signal),
  dial: async (to) => {
    calls.push({ of: 'dial', args: [to] });
    if (to.port === 1) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const one = new PassThrough();
    return Duplex.from({ readable: one, writable: one });
  },
  usage: noted('usage', [{ pod: 'u1', name: 'app', cpuNanoseconds: 1, memoryBytes: 2 }]),
  setServices: noted('setServices'),
  setZone: noted('setZone'),
  setSimulated: noted('setSimulated'),
  end: noted('end'),
};

let folder: string;
let server: Server;
let inside: InsideClient;
const waiting = { signal: new AbortController().signal };
const app = { pod: 'u1', name: 'app' };

beforeEach(async () => {
  calls.length = 0;
  // Deeper than the path of a socket may be long.
  folder = mkdtempSync(join(tmpdir(), 'doors-'));
  const doors = join(folder, 'a'.repeat(120));
  mkdirSync(doors);
  server = createInsideServer(fake);
  const door = doorPath(doors, insideDoor);
  await new Promise<void>((resolve) => server.listen(door.path, resolve));
  inside = connectInside(doors);
});
afterEach(async () => {
  inside.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

test('what is asked arrives, and so does the answer', async () => {
  const zone = { domain: 'cluster.local', records: [] };
  expect(await inside.state()).toMatchObject({ event: 7 });
  expect(await inside.start({ ...app, attempt: 2 } as never)).toMatchObject({ id: 'process://1' });
  expect(await inside.usage()).toEqual([{ ...app, cpuNanoseconds: 1, memoryBytes: 2 }]);
  await inside.addPod({ uid: 'u/1' } as never);
  await inside.removeVolumes('u/1');
  await inside.signal({ pod: 'u1', name: 'ä/b' }, 'SIGTERM');
  await inside.setZone(zone);
  const end = inside.end();
  await expect.poll(() => calls.at(-1)?.of).toBe('end');
  // It is over when the other side has gone, not when it has answered.
  expect(await Promise.race([end.then(() => 'over'), inside.state().then(() => 'there')])).toBe('there');
  calls.pop();
  server.closeAllConnections();
  await end;
  expect(calls.map(({ of, args }) => [of, ...args])).toEqual([
    ['state'],
    ['start', { ...app, attempt: 2 }],
    ['usage'],
    ['addPod', { uid: 'u/1' }],
    ['removeVolumes', 'u/1'],
    ['signal', { pod: 'u1', name: 'ä/b' }, 'SIGTERM'],
    ['setZone', zone],
    ['end'],
  ]);
});

test('a failure keeps its words and its code', async () => {
  await expect(inside.removePod('u9')).rejects.toMatchObject({
    message: 'there is no pod u9 inside',
    code: 'NotFound',
  });
  await expect(
    inside.exec({ pod: 'u1', name: 'gone' }, { argv: [], stdin: false, tty: false }, waiting),
  ).rejects.toMatchObject({ code: 'NotFound' });
  await expect(inside.dial({ host: '10.64.0.2', port: 1 }, waiting)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  const nobody = connectInside(folder);
  await expect(nobody.state()).rejects.toMatchObject({ code: 'ENOENT' });
});

test('events come as they happen, until nobody waits any more', async () => {
  const enough = new AbortController();
  const seen: InsideEvent[] = [];
  const reading = (async () => {
    for await (const event of inside.events(7, { signal: enough.signal })) {
      seen.push(event);
      if (seen.length === 2) enough.abort(new Error('enough'));
    }
  })();
  await expect(reading).rejects.toThrow('enough');
  expect(seen).toEqual(happened);
  await expect(inside.events(3, waiting)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'Expired' });
});

test('a session carries all streams, sizes and the exit code', async () => {
  const session = await inside.exec(app, { argv: ['cat', '-'], stdin: true, tty: false }, waiting);
  const said = Promise.all([textOf(session.stdout), textOf(session.stderr ?? new PassThrough().end())] as const);
  const big = 'x'.repeat(3 << 20);
  session.resize({ columns: 80, rows: 25 });
  session.stdin?.write(big);
  session.stdin?.end();
  expect(await session.ended).toBe(42);
  const [stdout, stderr] = await said;
  expect(stdout === `${big}|80x25`).toBe(true);
  expect(stderr).toBe('["cat","-"]');
});

test('a client that goes away is noticed', async () => {
  const gone = new AbortController();
  const session = await inside.attach(app, { signal: gone.signal });
  gone.abort(new Error('away'));
  await expect(session.ended).rejects.toThrow('away');
  await expect.poll(() => calls.map(({ of }) => of)).toContain('aborted');
});

test('a dialled connection passes bytes both ways', async () => {
  for (const to of [
    { host: 'fd00::7', port: 80 },
    { host: '10.64.0.2', port: 80 },
    { pod: 'u1', port: 80 },
  ]) {
    const socket = await inside.dial(to, waiting);
    socket.end('echo');
    expect(await textOf(socket)).toBe('echo');
  }
  expect(calls.flatMap(({ of, args }) => (of === 'dial' ? args : []))).toEqual([
    { host: 'fd00::7', port: 80 },
    { host: '10.64.0.2', port: 80 },
    { pod: 'u1', port: 80 },
  ]);
});

test('frames survive any cut', () => {
  const bytes = Buffer.concat([encodeFrame(5, Buffer.from('one')), encodeFrame(3), encodeFrame(6, Buffer.from('two'))]);
  for (let size = 1; size <= bytes.length; size++) {
    const read = createFrameReader();
    const frames = [];
    for (let at = 0; at < bytes.length; at += size) frames.push(...read(bytes.subarray(at, at + size)));
    expect(frames.map(({ channel, payload }) => [channel, payload.toString()])).toEqual([
      [5, 'one'],
      [3, ''],
      [6, 'two'],
    ]);
  }
});
