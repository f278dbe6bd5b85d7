import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitLines } from './lines.ts';

async function* chunksOf(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
    at += size;
  }
  yield bytes.subarray(at);
}

async function linesOf(text: string, sizes: readonly number[] = []): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of splitLines(chunksOf(Buffer.from(text), sizes))) lines.push(line.toString());
  return lines;
}

test('however the bytes arrive, the lines are the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' })),
      fc.array(fc.integer({ min: 0, max: 9 })),
      async (parts, sizes) => {
        const lines = parts.map((part) => part.replaceAll('\n', '')).filter((part) => part !== '');
        expect(await linesOf(lines.map((line) => `${line}\n`).join(''), sizes)).toEqual(lines);
      },
    ),
  );
});

test('empty lines are left out, and nothing is nothing', async () => {
  expect(await linesOf('\n\na\n\n')).toEqual(['a']);
  expect(await linesOf('')).toEqual([]);
});

test('an end in mid-line is an error: an event may be missing', async () => {
  await expect(linesOf('{"a":1}\n{"b"', [3])).rejects.toThrow('the stream ended in the middle of a line');
});
