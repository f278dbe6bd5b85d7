/** When a client over WebSocket is talked to. */
import { EventEmitter } from 'node:events';
import { createVirtualClock, type VirtualClock } from '@signalbox/cluster/testing';
import { beforeEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import type { Channels } from './channels.ts';
import { webChannels } from './web-channels.ts';

const wanted = { stdin: true, stdout: true, stderr: false, tty: false };
let clock: VirtualClock;
let socket: EventEmitter;
let told: string[];
let channels: Channels | undefined;

beforeEach(async () => {
  clock = createVirtualClock();
  told = [];
  channels = undefined;
  socket = Object.assign(new EventEmitter(), {
    ping: () => void told.push('ping'),
    send: (bytes: Buffer) => void told.push(`to ${bytes[0]}: ${bytes.subarray(1).toString()}`),
  });
  void webChannels(socket as WebSocket, wanted, clock).then((opened) => (channels = opened));
  await clock.settle();
  expect([channels, told]).toEqual([undefined, ['ping']]);
});

test.each([
  ['it answers', () => socket.emit('pong')],
  ['it sends input', () => socket.emit('message', Buffer.from('\0typed'))],
  ['it has gone', () => socket.emit('close')],
])('when %s', async (_, say) => {
  say();
  await clock.settle();
  expect([channels !== undefined, told.slice(1)]).toEqual([true, ['to 1: ']]);
});

test('input that comes first is kept', async () => {
  socket.emit('message', Buffer.from('\0typed'));
  await clock.settle();
  expect(String(channels?.stdin?.read())).toBe('typed');
});

test('after a second, whatever it does not say', async () => {
  await clock.advance(999);
  expect(channels).toBeUndefined();
  await clock.advance(1);
  expect(told).toEqual(['ping', 'to 1: ']);
});
