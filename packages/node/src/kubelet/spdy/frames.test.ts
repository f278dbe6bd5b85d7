import { expect, test } from 'vitest';
import { controlFrame, controls, createFrameReader, dataFrame, fin, words } from './frames.ts';
import { createHeaderBlocks } from './header-blocks.ts';

test('frames come out as they went in, however they are cut', () => {
  const sent = Buffer.concat([
    dataFrame(5, Buffer.from('hello'), false),
    controlFrame(controls.ping, 0, words(7)),
    dataFrame(5, Buffer.alloc(0), true),
    controlFrame(controls.synStream, fin, words(9, 0)),
  ]);
  for (const size of [1, 3, 8, sent.length]) {
    const read = createFrameReader();
    const frames = [];
    for (let at = 0; at < sent.length; at += size) frames.push(...read(sent.subarray(at, at + size)));
    expect(frames).toEqual([
      { is: 'data', stream: 5, isLast: false, bytes: Buffer.from('hello') },
      { is: 'control', type: 6, flags: 0, body: words(7) },
      { is: 'data', stream: 5, isLast: true, bytes: Buffer.alloc(0) },
      { is: 'control', type: 1, flags: 1, body: words(9, 0) },
    ]);
  }
});

test('what is no SPDY/3 is refused', () => {
  expect(() => createFrameReader()(Buffer.from('8002000100000000', 'hex'))).toThrow('SPDY version 2');
  expect(() => createFrameReader()(Buffer.from('00000001ffffffff', 'hex'))).toThrow('at most');
});

test('blocks of headers build on those before, and on the dictionary that all have', async () => {
  const [client, server] = [createHeaderBlocks(), createHeaderBlocks()];
  const headers = new Map([
    ['streamtype', 'data'],
    ['port', '8080'],
  ]);
  const first = await client.write(headers);
  // The checksum of the dictionary, as the protocol's own.
  expect(first.subarray(2, 6).toString('hex')).toBe('e3c6a7c2');
  const second = await client.write(headers);
  expect(second.length).toBeLessThan(first.length);
  expect(await server.read(first)).toEqual(headers);
  expect(await server.read(second)).toEqual(headers);
  client.close();
  server.close();
});
