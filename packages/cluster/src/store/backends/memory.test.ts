import { expect, inject, test } from 'vitest';
import { change, openStore, put, storeConformance } from '../../testing/store/contract.ts';
import { createMemoryBackend } from './memory.ts';

storeConformance(
  'memory',
  async () => {
    const backend = createMemoryBackend();
    return { open: async () => backend, remove: async () => undefined };
  },
  { runs: 40 * inject('thoroughness') },
);

test('a commit resolves within microtasks, so that a virtual clock drives it', async () => {
  const store = await openStore(createMemoryBackend());
  let macrotask = false;
  setImmediate(() => {
    macrotask = true;
  });
  for (let round = 0; round < 20; round++) {
    await Promise.all([put(store, `/a/${round}`), change(store, '/a/0', { expect: 999 })]);
  }
  expect([store.revision, macrotask]).toEqual([20, false]);
});

test('nothing is encoded, because nobody reads the bytes', async () => {
  const store = await openStore(createMemoryBackend());
  let encodings = 0;
  const value = Object.freeze({
    toJSON: () => {
      encodings += 1;
      return { encodings };
    },
  });
  await store.commit({ key: '/a', expect: 0, kind: 'put', make: () => value });
  store.list('/');
  expect(encodings).toBe(0);
});
