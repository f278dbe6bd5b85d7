import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Backend, type Clock, freeze, openLmdbBackend, systemClock } from '@signalbox/cluster';
import { createMemoryBackend, createStore, type Store } from '@signalbox/cluster/testing';

interface StoreMeasure {
  readonly backend: 'memory' | 'lmdb';
  readonly commitsPerSecond: number;
  /** Opening the folder again with everything in it; 0 for memory. */
  readonly reopenMs: number;
}

interface StoreMeasureOptions {
  readonly backend: 'memory' | 'lmdb';
  readonly commits?: number;
  readonly writers?: number;
  readonly valueBytes?: number;
  readonly clock?: Clock;
}

/** Writers that each commit one object after the other, half of them over again, every commit awaited. */
async function measureStore(options: StoreMeasureOptions): Promise<StoreMeasure> {
  const { backend, commits = 40_000, writers = 64, valueBytes = 2048, clock = systemClock } = options;
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-bench-'));
  try {
    const open = async (): Promise<Store> =>
      createStore({
        backend: await openBackend(backend, folder),
        clock,
        compaction: { revisionsMax: 10_000, ageMsMax: 300_000, bytesMax: 256 * 2 ** 20 },
        watcherBufferMax: 10_000,
      });
    const store = await open();
    const startMs = clock.nowMs();
    const each = Math.floor(commits / writers);
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(store, { writer, each, valueBytes })));
    const writtenMs = clock.nowMs() - startMs;
    await store.close();
    const reopenStartMs = clock.nowMs();
    if (backend === 'lmdb') await (await open()).close();
    return {
      backend,
      commitsPerSecond: Math.round((each * writers * 1000) / writtenMs),
      reopenMs: clock.nowMs() - reopenStartMs,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function openBackend(backend: 'memory' | 'lmdb', path: string): Promise<Backend> {
  return backend === 'memory' ? createMemoryBackend() : openLmdbBackend({ path });
}

interface WriterOptions {
  readonly writer: number;
  readonly each: number;
  readonly valueBytes: number;
}

async function write(store: Store, { writer, each, valueBytes }: WriterOptions): Promise<void> {
  const padding = 'x'.repeat(valueBytes - 100);
  for (let round = 0; round < each; round++) {
    const key = `/core/pods/default/pod-${writer}-${round >> 1}`;
    await store.commit({
      key,
      expect: store.get(key)?.revision ?? 0,
      kind: 'put',
      make: (revision) => freeze({ metadata: { name: key, resourceVersion: String(revision) }, spec: { padding } }),
    });
  }
}

const measures = [await measureStore({ backend: 'memory' }), await measureStore({ backend: 'lmdb' })];
const figures = measures.flatMap(({ backend, commitsPerSecond, reopenMs }) => [
  [`${backend} commits/s`, commitsPerSecond],
  ...(backend === 'lmdb' ? [['reopen ms', reopenMs]] : []),
]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(figures))}\n`);
