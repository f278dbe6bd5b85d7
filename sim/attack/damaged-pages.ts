/** Damages copies of one data file, page by page and bit by bit, and opens each: `damaged-pages.ts SEED CASES`. A line of JSON per case. */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeze, openLmdbBackend, type Random, systemClock } from '@signalbox/cluster';
import { createStore, type Store, seededRandom } from '@signalbox/cluster/testing';

const [, , seed = '1', cases = '1'] = process.argv;
const random = seededRandom(`damaged-pages/${seed}`);
const pageBytes = 4096;

const open = async (path: string): Promise<Store> =>
  createStore({
    backend: await openLmdbBackend({ path }),
    clock: systemClock,
    compaction: { revisionsMax: 10, ageMsMax: Infinity, bytesMax: Infinity },
    watcherBufferMax: 10,
  });

const put = (store: Store, key: string): Promise<unknown> => {
  const text = 'x'.repeat(random.below(20) === 0 ? random.below(20_000) : random.below(1_500));
  return store.commit({ key, expect: store.get(key)?.revision ?? 0, kind: 'put', make: () => freeze({ text }) });
};

async function putMany(store: Store, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++)
    await Promise.all(Array.from({ length: 10 }, () => put(store, `/core/configmaps/default/${random.below(400)}`)));
}

/** Everything that can be read. */
function image(store: Store): string {
  const list = store.list('');
  if ('expired' in list) throw new Error('the newest revision is expired');
  return JSON.stringify([
    store.revision,
    list.items.map(({ key, revision, createdRevision, value }) => [key, revision, createdRevision, value]),
  ]);
}

interface Damage {
  readonly what: string;
  readonly bytes: Buffer;
}

function damage(good: Buffer, by: Random): Damage {
  const bytes = Buffer.from(good);
  const pages = bytes.length / pageBytes;
  const page = by.below(pages);
  switch (by.below(6)) {
    case 0: {
      bytes.fill(0, page * pageBytes, (page + 1) * pageBytes);
      return { what: `page ${page} is zero`, bytes };
    }
    case 1: {
      const from = by.below(pages);
      good.copy(bytes, page * pageBytes, from * pageBytes, (from + 1) * pageBytes);
      return { what: `page ${page} is a copy of page ${from}`, bytes };
    }
    case 2: {
      const to = by.below(bytes.length);
      return { what: `the file ends after ${to} bytes`, bytes: bytes.subarray(0, to) };
    }
    default: {
      // The beginnings of the file and of its pages are where most numbers stand that lmdb follows.
      const places = [by.below(2) * pageBytes + by.below(170), page * pageBytes + by.below(60), by.below(bytes.length)];
      const at = places[by.below(places.length)] ?? 0;
      const bit = by.below(8);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
      return { what: `bit ${bit} of byte ${at} has flipped`, bytes };
    }
  }
}

async function judge(path: string, before: string): Promise<string> {
  let store: Store;
  try {
    store = await open(path);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.includes('signalbox restore') && !message.includes('\n') ? 'refused' : `no mend in: ${message}`;
  }
  try {
    if (image(store) !== before) return 'it opens, and something else is in it';
    await putMany(store, 4);
  } finally {
    await store.close();
  }
  const after = image(store);
  const again = await open(path);
  const isKept = image(again) === after;
  await again.close();
  return isKept ? 'intact' : 'what was written to it is lost';
}

function tell(what: string, outcome: string): void {
  process.stdout.write(`${JSON.stringify({ what, outcome })}\n`);
}

const folder = await mkdtemp(join(tmpdir(), 'signalbox-pages-'));
try {
  const base = join(folder, 'base');
  const store = await open(base);
  await putMany(store, 60);
  for (let number = 0; number < 400; number += 4) {
    const key = `/core/configmaps/default/${number}`;
    const revision = store.get(key)?.revision;
    if (revision !== undefined) await store.commit({ key, expect: revision, kind: 'delete', make: () => freeze({}) });
  }
  await store.close();
  const before = image(store);
  const good = await readFile(join(base, 'objects.mdb'));
  for (let number = 0; number < Number(cases); number++) {
    const { what, bytes } = damage(good, random);
    tell(what, 'begun');
    const path = join(folder, 'case');
    await cp(base, path, { recursive: true });
    await writeFile(join(path, 'objects.mdb'), bytes);
    tell(what, await judge(path, before).catch((error: unknown) => `it failed later: ${String(error)}`));
    await rm(path, { recursive: true });
  }
} finally {
  await rm(folder, { recursive: true });
}
