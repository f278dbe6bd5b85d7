import { failure, StatusError, systemClock } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { clusterNowMs, schedulerOf } from './cluster-facts.ts';

const { signal } = new AbortController();
const io = { clock: systemClock, signal } as unknown as Parameters<typeof schedulerOf>[1]['io'];
const command = { schedulerConfig: undefined };
const answering = (text: string) => async (): Promise<string> => text;

test('a cluster of Signalbox says by which rules its scheduler decides, and what time it is there', async () => {
  const facts = { runs: true, configuration: { profiles: [] }, ownPlugins: ['Rack'] };
  expect(await schedulerOf(answering(JSON.stringify(facts)), { command, io })).toEqual({
    configuration: { profiles: [] },
    unasked: ['Rack'],
  });
  expect(await schedulerOf(answering('{"runs":false}'), { command, io })).toBeUndefined();
  const clock = answering('{"virtual":true,"now":"2040-01-01T00:00:00.000Z"}');
  expect(await clusterNowMs(clock, io)).toBe(Date.parse('2040-01-01T00:00:00Z'));
});

test.each([
  ['refuses the path', new StatusError(failure(404, 'NotFound', 'no such path'))],
  ['does not let the user', new StatusError(failure(403, 'Forbidden', 'no'))],
  ['wants another method', new StatusError(failure(405, 'MethodNotAllowed', 'no'))],
])('one that %s says nothing, and has the time of this machine', async (_, error) => {
  const read = (): Promise<string> => Promise.reject(error);
  expect(await schedulerOf(read, { command, io })).toBeUndefined();
  expect(Math.abs((await clusterNowMs(read, io)) - systemClock.nowMs())).toBeLessThan(10_000);
});

test('so does a gateway that answers everything with a page', async () => {
  expect(await schedulerOf(answering('<html>'), { command, io })).toBeUndefined();
});

test('a server that cannot be reached is an error', async () => {
  const read = (): Promise<string> => Promise.reject(new StatusError(failure(503, 'ServiceUnavailable', 'gone')));
  await expect(schedulerOf(read, { command, io })).rejects.toThrow('gone');
});
