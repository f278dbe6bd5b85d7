import { expect, test } from 'vitest';
import { pods } from '../api/generated/kinds.ts';
import type { KubeObject } from '../api/meta.ts';
import { failure, StatusError } from '../api/status.ts';
import { makePod } from '../testing/makers.ts';
import type { Client } from './client.ts';
import { listAll } from './list-all.ts';

type Answer = { readonly names: readonly string[]; readonly next?: string } | { readonly expired: string | undefined };

/** A cluster that answers so, one after the other; and with which tokens it was asked. */
function answering(...answers: readonly Answer[]): { readonly client: Client; readonly asked: (string | undefined)[] } {
  const asked: (string | undefined)[] = [];
  const list = async (_: unknown, options: { readonly continue?: string }): Promise<object> => {
    const answer = answers[asked.push(options.continue) - 1];
    if (answer === undefined) throw new Error('nobody asks so often');
    if ('names' in answer)
      return { metadata: { continue: answer.next ?? '' }, items: answer.names.map((name) => makePod(name)) };
    const status = failure(410, 'Expired', 'too old');
    throw new StatusError(
      answer.expired === undefined ? status : { ...status, metadata: { continue: answer.expired } },
    );
  };
  return { client: { list } as unknown as Client, asked };
}

const { signal } = new AbortController();
const names = (objects: readonly KubeObject[]): readonly string[] => objects.map(({ metadata }) => metadata.name);

test('pages are put together', async () => {
  const { client, asked } = answering({ names: ['a'], next: 'x' }, { names: ['b'] });
  expect(names(await listAll(client, pods, { signal }))).toEqual(['a', 'b']);
  expect(asked).toEqual([undefined, 'x']);
});

test('a token that is too old is exchanged for the one in the answer', async () => {
  const { client, asked } = answering({ names: ['a'], next: 'x' }, { expired: 'y' }, { names: ['b'] });
  expect(names(await listAll(client, pods, { signal }))).toEqual(['a', 'b']);
  expect(asked).toEqual([undefined, 'x', 'y']);
});

test('without one it begins again, three times', async () => {
  const first: Answer = { names: ['a'], next: 'x' };
  const old: Answer = { expired: undefined };
  const again = answering(first, old, first, { names: ['b'] });
  expect(names(await listAll(again.client, pods, { signal }))).toEqual(['a', 'b']);
  await expect(listAll(answering(first, old, first, old, first, old).client, pods, { signal })).rejects.toThrow(
    'too old',
  );
});

interface Open {
  readonly token: string | undefined;
  readonly goesOn: (token: string) => void;
  readonly answer: (names: readonly string[], next?: string) => void;
  readonly fail: (error: Error) => void;
}

/** A cluster that says early where a list goes on, when the test wants it to. */
function telling(): { readonly client: Client; readonly open: Open[] } {
  const open: Open[] = [];
  const list = (_: unknown, options: { readonly continue?: string; goesOn(token: string): void }): Promise<object> =>
    new Promise((resolve, reject) => {
      open.push({
        token: options.continue,
        goesOn: (token) => options.goesOn(token),
        answer: (each, next = '') =>
          resolve({ metadata: { continue: next }, items: each.map((name) => makePod(name)) }),
        fail: reject,
      });
    });
  return { client: { list } as unknown as Client, open };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('the next page is on its way while one is read, and no more than that one', async () => {
  const { client, open } = telling();
  const all = listAll(client, pods, { signal });
  open[0]?.goesOn('x');
  // Told again, as when the transport has tried again.
  open[0]?.goesOn('x');
  expect(open.map(({ token }) => token)).toEqual([undefined, 'x']);
  open[1]?.goesOn('y');
  expect(open).toHaveLength(2);
  open[0]?.answer(['a'], 'x');
  await turn();
  expect(open.map(({ token }) => token)).toEqual([undefined, 'x', 'y']);
  open[2]?.answer(['c']);
  open[1]?.answer(['b'], 'y');
  expect(names(await all)).toEqual(['a', 'b', 'c']);
  expect(open).toHaveLength(3);
});

test('what is told early and turns out otherwise counts for nothing', async () => {
  const { client, open } = telling();
  const all = listAll(client, pods, { signal });
  open[0]?.goesOn('wrong');
  open[1]?.fail(new Error('nobody asked for it'));
  open[0]?.answer(['a'], 'x');
  await turn();
  expect(open.map(({ token }) => token)).toEqual([undefined, 'wrong', 'x']);
  open[2]?.answer(['b']);
  expect(names(await all)).toEqual(['a', 'b']);
});

test('a token that expires on its way is exchanged all the same', async () => {
  const { client, open } = telling();
  const all = listAll(client, pods, { signal });
  open[0]?.goesOn('x');
  open[0]?.answer(['a'], 'x');
  open[1]?.fail(new StatusError({ ...failure(410, 'Expired', 'too old'), metadata: { continue: 'y' } }));
  await turn();
  expect(open.map(({ token }) => token)).toEqual([undefined, 'x', 'y']);
  open[2]?.answer(['b']);
  expect(names(await all)).toEqual(['a', 'b']);
});
