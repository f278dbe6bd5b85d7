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
