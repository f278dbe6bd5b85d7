import { expect, test } from 'vitest';
import { badRequest, StatusError } from '../../api/status.ts';
import { systemClock } from '../../base/clock.ts';
import { answerStream, type StreamOptions, untilEnded } from './stream.ts';

type Options = StreamOptions<string>;

const refusal = new StatusError(badRequest('not so'));

function options(more: Partial<Options> = {}): Options {
  return {
    encode: (part) => part.split('').map((letter) => Buffer.from(letter)),
    clock: systemClock,
    signal: new AbortController().signal,
    report: () => undefined,
    contentType: 'text/plain',
    ...more,
  };
}

async function* parts(
  given: readonly (string | Error)[],
  returned: () => void = () => undefined,
): AsyncGenerator<string> {
  try {
    for (const part of given) {
      if (part instanceof Error) throw part;
      yield part;
    }
  } finally {
    returned();
  }
}

async function piecesOf(source: AsyncIterable<string>, more?: Partial<Options>): Promise<AsyncIterable<Buffer>> {
  const { body } = await answerStream(source, options(more));
  if (body.is !== 'stream') throw new Error('no stream');
  return body.pieces;
}

async function read(pieces: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

test('parts come in their pieces, one without any is passed over, and the end is told once to all who wait for it', async () => {
  const told: string[] = [];
  const pieces = await piecesOf(parts(['ab', '', 'c']), { ended: () => void told.push('first') });
  expect(untilEnded(pieces, () => void told.push('second'))).toBe(pieces);
  expect(await read(pieces)).toBe('abc');
  expect(await read(pieces)).toBe('');
  untilEnded(pieces, () => void told.push('late'));
  expect(told).toEqual(['first', 'second', 'late']);
});

test('a first part that is refused is no stream, and a later refusal is its last part', async () => {
  let ended = 0;
  const more: Partial<Options> = { ended: () => void ended++, last: ({ message }) => `!${message}` };
  await expect(piecesOf(parts([refusal]), more)).rejects.toBe(refusal);
  expect(ended).toBe(1);
  expect(await read(await piecesOf(parts(['a', refusal]), more))).toBe('a!not so');
  expect(ended).toBe(2);
});

test('whoever leaves in between ends the source, also without having read', async () => {
  const left: string[] = [];
  for (const reads of [0, 1]) {
    const pieces = await piecesOf(
      parts(['ab', 'c'], () => void left.push(`source ${reads}`)),
      { ended: () => void left.push(`ended ${reads}`) },
    );
    const iterator = pieces[Symbol.asyncIterator]();
    for (let read = 0; read < reads; read++) await iterator.next();
    await iterator.return?.();
    expect(await iterator.next()).toMatchObject({ done: true });
  }
  expect(left).toEqual(['ended 0', 'source 0', 'ended 1', 'source 1']);
});

test('of pieces that cannot tell their end it is told by who reads them', async () => {
  let ended = 0;
  async function* plain(): AsyncGenerator<Buffer> {
    yield Buffer.from('a');
  }
  expect(await read(untilEnded(plain(), () => void ended++))).toBe('a');
  expect(ended).toBe(1);
});
