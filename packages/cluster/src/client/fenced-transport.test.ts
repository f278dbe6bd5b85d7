import { expect, test } from 'vitest';
import { configmaps } from '../api/generated/kinds.ts';
import { createClient } from './create-client.ts';
import { fencedTransport } from './fenced-transport.ts';
import type { Transport } from './transport.ts';

const { signal } = new AbortController();

test('who may not write any more reads on', async () => {
  const verbs: string[] = [];
  const fake: Transport = {
    async perform({ verb }) {
      verbs.push(verb);
      return { code: 200, object: {} as never, warnings: [] };
    },
    watch() {
      verbs.push('watch');
      return (async function* () {})();
    },
  };
  let mayWrite = true;
  const client = createClient(
    fencedTransport(fake, () => mayWrite),
    { name: '', groups: [] },
  );
  const place = { namespace: 'a', name: 'a' };
  const write = (): Promise<unknown>[] => [
    client.create(configmaps, { metadata: place } as never, { signal }),
    client.update(configmaps, { metadata: place } as never, { signal }),
    client.patch(configmaps, { ...place, patchType: 'merge', body: {}, signal }),
    client.delete(configmaps, { ...place, signal }),
  ];
  const read = async (): Promise<void> => {
    await client.get(configmaps, { ...place, signal });
    await client.list(configmaps, { signal });
    for await (const _event of client.watch(configmaps, { signal }));
  };
  await Promise.all(write());
  await read();
  expect(verbs.splice(0)).toEqual(['create', 'update', 'patch', 'delete', 'get', 'list', 'watch']);
  mayWrite = false;
  for (const refused of await Promise.allSettled(write()))
    expect(refused).toMatchObject({ status: 'rejected', reason: { status: { reason: 'ServiceUnavailable' } } });
  await read();
  expect(verbs).toEqual(['get', 'list', 'watch']);
});

test('what waits until it may write no more does not leave', async () => {
  let mayWrite = true;
  const left: string[] = [];
  const fake: Transport = {
    async perform({ verb }, { leaves }) {
      mayWrite = false;
      leaves?.();
      left.push(verb);
      return { code: 200, object: {} as never, warnings: [] };
    },
    watch: () => (async function* () {})(),
  };
  const client = createClient(
    fencedTransport(fake, () => mayWrite),
    { name: '', groups: [] },
  );
  const write = client.update(configmaps, { metadata: { namespace: 'a', name: 'a' } } as never, { signal });
  await expect(write).rejects.toMatchObject({ status: { reason: 'ServiceUnavailable' } });
  await client.get(configmaps, { namespace: 'a', name: 'a', signal });
  expect(left).toEqual(['get']);
});
