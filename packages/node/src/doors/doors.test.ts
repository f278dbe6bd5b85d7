import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askDoor } from '../protocol/egress.ts';
import { type Doors, openDoors } from './doors.ts';

let folder: string;
let doors: Doors;
let outside: Server;
let port: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-'));
  // It hears to the end before it says anything.
  outside = createServer({ allowHalfOpen: true }, (socket) => {
    let heard = '';
    socket.on('data', (chunk) => (heard += String(chunk))).on('end', () => socket.end(`heard ${heard}`));
  }).listen(0, '127.0.0.1');
  await once(outside, 'listening');
  const place = outside.address();
  port = typeof place === 'object' ? (place?.port ?? 0) : 0;
  doors = await openDoors({
    folder,
    api: { host: '127.0.0.1', port },
    egress: [
      { host: 'localhost', port },
      { host: 'localhost', port: 1 },
    ],
  });
});
afterEach(async () => {
  await doors.close();
  outside.close();
  rmSync(folder, { recursive: true, force: true });
});

async function say(door: string, text: string, target?: { readonly host: string; readonly port: number }) {
  const socket = createConnection({ path: join(folder, door), allowHalfOpen: true });
  await once(socket, 'connect');
  if (target !== undefined) await askDoor(socket, target);
  socket.end(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

test('one leads to the API server', async () => {
  expect(await say('api.sock', 'a request')).toBe('heard a request');
});

test('the other leads to what is on the list and to nothing else', async () => {
  expect(await say('egress.sock', 'hello', { host: 'LocalHost', port })).toBe('heard hello');
  await expect(say('egress.sock', '', { host: '127.0.0.1', port })).rejects.toThrow(
    `127.0.0.1:${port} is not what --egress names`,
  );
  await expect(say('egress.sock', '', { host: 'localhost', port: port + 1 })).rejects.toThrow('is not what --egress');
  await expect(say('egress.sock', '', { host: 'localhost', port: 1 })).rejects.toThrow('localhost:1: ECONNREFUSED');
  await expect(say('egress.sock', '', { host: 'x'.repeat(1_000), port })).rejects.toThrow();
});

test('nobody else can open them', () => {
  expect(statSync(join(folder, 'egress.sock')).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'api.sock')).mode & 0o777).toBe(0o600);
});
