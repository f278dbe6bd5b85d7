import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freeze } from '../../base/freeze.ts';
import { openStore, put, storeConformance } from '../../testing/store/contract.ts';
import { openLmdbBackend } from './lmdb.ts';

storeConformance(
  'lmdb',
  async () => {
    const path = await mkdtemp(join(tmpdir(), 'signalbox-store-'));
    return { open: () => openLmdbBackend({ path }), remove: () => rm(path, { recursive: true }) };
  },
  { runs: 12 },
);

describe('the folder', () => {
  let parent: string;
  let path: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'signalbox-store-'));
    // A dot in the name must not make lmdb take it for a file.
    path = join(parent, 'deep', 'data.d');
  });
  afterEach(() => rm(parent, { recursive: true }));

  const modeOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8);

  test('is made with its parents, and only its owner can read it', async () => {
    await (await openLmdbBackend({ path })).close();
    expect(await modeOf(path)).toBe('700');
    expect(await modeOf(join(path, 'objects.mdb'))).toBe('600');
  });

  test('that was there before keeps its mode, and the files in it are still private', async () => {
    await mkdir(path, { recursive: true });
    await chmod(path, 0o755);
    await (await openLmdbBackend({ path })).close();
    expect([await modeOf(path), await modeOf(join(path, 'objects.mdb'))]).toEqual(['755', '600']);
  });

  test.runIf(process.platform === 'linux')('maps its file once, however much it grows', async () => {
    const store = await openStore(await openLmdbBackend({ path }));
    const text = 'x'.repeat(50_000);
    for (let number = 0; number < 40; number++) await put(store, `/a/${number}`, text);
    const lines = (await readFile('/proc/self/maps', 'utf8'))
      .split('\n')
      .filter((line) => line.endsWith('objects.mdb'));
    expect((await stat(join(path, 'objects.mdb'))).size).toBeGreaterThan(2_000_000);
    expect(lines).toHaveLength(1);
    await store.close();
  });

  test('is named when it is a file', async () => {
    await mkdir(join(parent, 'deep'));
    await writeFile(path, '');
    await expect(openLmdbBackend({ path })).rejects.toThrow(`cannot open the data folder ${path}: EEXIST`);
  });

  const file = (): string => join(path, 'objects.mdb');

  test.each([
    ['text', 'not a database'.repeat(1000), 'it does not begin like an lmdb file'],
    ['a few bytes', 'abc', 'it does not begin like an lmdb file'],
  ])('is refused when its file is %s, and is free again', async (_, content, reason) => {
    await mkdir(path, { recursive: true });
    await writeFile(file(), content);
    await expect(openLmdbBackend({ path })).rejects.toThrow(
      `cannot open the data folder ${path}: objects.mdb is damaged: ${reason}`,
    );
    await rm(file());
    await (await openLmdbBackend({ path })).close();
  });

  const filled = async (objects: number, value: string): Promise<void> => {
    const store = await openStore(await openLmdbBackend({ path }));
    for (let round = 0; round < objects; round++) await put(store, `/a/${round}`, value);
    await store.close();
  };
  const started = async (): Promise<void> => (await openStore(await openLmdbBackend({ path }))).close();
  const mend = 'restore a backup into another folder (signalbox restore FILE --data DIR), or remove';

  test.each([4_096, 100_000, 300_000, 500_000, 3_000_000])('is refused when its file lacks %i bytes', async (cut) => {
    await filled(8, 'x'.repeat(500_000));
    await truncate(file(), (await stat(file())).size - cut);
    const refusal = started();
    await expect(refusal).rejects.toThrow(
      /objects\.mdb is damaged: it ends after \d+ bytes, and what is at \d+ is missing/,
    );
    await expect(refusal).rejects.toThrow(mend);
  });

  test.each(['is missing', 'is empty'])('that has held a cluster is refused when its file %s', async (what) => {
    await filled(3, 'x');
    await (what === 'is missing' ? rm(file()) : truncate(file(), 0));
    const refusal = started();
    await expect(refusal).rejects.toThrow(
      `cannot open the data folder ${path}: objects.mdb ${what}, and the folder has held a cluster up to revision 3 or later`,
    );
    await expect(refusal).rejects.toThrow(mend);
  });

  test('is refused when an older file takes the place of its own', async () => {
    await filled(3, 'x');
    await copyFile(file(), join(parent, 'older'));
    const store = await openStore(await openLmdbBackend({ path }));
    for (let round = 0; round < 3; round++) await put(store, '/b', `${round}`);
    await store.close();
    await copyFile(join(parent, 'older'), file());
    await expect(started()).rejects.toThrow(/objects\.mdb ends with revision 3, and the folder has held revision \d+/);
  });

  test.each(['', 'not JSON', '{"least":-1,"reserved":1e99}', '{"least":0,"reserved":0}'])(
    'is opened when its marker holds %j, and the marker is true again afterwards',
    async (text) => {
      await filled(3, 'x');
      await writeFile(join(path, 'revisions.json'), text);
      const store = await openStore(await openLmdbBackend({ path }));
      expect(store.revision).toBe(3);
      await put(store, '/b');
      await store.close();
      expect(JSON.parse(await readFile(join(path, 'revisions.json'), 'utf8'))).toEqual({ least: 4, reserved: 4 });
    },
  );

  test('says while it runs that its file was removed, takes no writes, and takes them when it is back', async () => {
    const backend = await openLmdbBackend({ path });
    const store = await openStore(backend);
    await put(store, '/a');
    expect(await backend.trouble?.()).toBeUndefined();
    await rename(file(), join(parent, 'away'));
    expect(await backend.trouble?.()).toContain(`the data file ${file()} was removed while it was in use`);
    await expect.poll(() => store.failure?.message, { timeout: 5_000 }).toContain('was removed');
    await expect(put(store, '/b')).rejects.toThrow('was removed while it was in use');
    expect(store.get('/a')?.revision).toBe(1);
    await writeFile(file(), 'something else');
    expect(await backend.trouble?.()).toContain('was replaced');
    await rename(join(parent, 'away'), file());
    await expect.poll(() => store.failure, { timeout: 5_000 }).toBeUndefined();
    await put(store, '/b');
    await store.close();
    await started();
  }, 20_000);

  test('with an empty file, as a crash at the very first start leaves it, is like new', async () => {
    await mkdir(path, { recursive: true });
    await writeFile(file(), '');
    const store = await openStore(await openLmdbBackend({ path }));
    expect((await put(store, '/a')).revision).toBe(1);
    await store.close();
  });

  test('is refused to a second opener with the process that holds it, and free after close', async () => {
    const first = await openLmdbBackend({ path });
    await expect(openLmdbBackend({ path })).rejects.toThrow(
      `cannot open the data folder ${path}: it is in use by process ${process.pid};`,
    );
    await first.close();
    await (await openLmdbBackend({ path })).close();
  });

  const edit = async (
    table: string,
    change: { key: string; value: unknown; encoding: 'binary' | 'json' },
  ): Promise<void> => {
    const root = open({ path: join(path, 'objects.mdb'), noSubdir: true, overlappingSync: false, maxDbs: 2 });
    await root.openDB(table, { encoding: change.encoding }).put(change.key, change.value);
    await root.close();
  };

  test('of another format is refused', async () => {
    await (await openLmdbBackend({ path })).close();
    await edit('meta', { key: 'format', value: 2, encoding: 'json' });
    await expect(openLmdbBackend({ path })).rejects.toThrow('its format is 2, and this version reads 1 only');
  });

  test('with a damaged record is refused with the key, and is free again', async () => {
    const store = await openStore(await openLmdbBackend({ path }));
    await put(store, '/a/x');
    await put(store, '/a/y');
    await store.close();
    await edit('objects', { key: '/a/y', value: Buffer.from('{"revision":2,"value":"other"}'), encoding: 'binary' });
    for (let round = 0; round < 2; round++) {
      await expect(openLmdbBackend({ path }).then(openStore)).rejects.toThrow(
        `cannot open the data folder ${path}: the record of /a/y is damaged`,
      );
    }
  });
});

test('a value that is no JSON fails alone', async () => {
  const path = await mkdtemp(join(tmpdir(), 'signalbox-store-'));
  const store = await openStore(await openLmdbBackend({ path }));
  const loop: Record<string, unknown> = {};
  loop['loop'] = loop;
  const [failed, fine] = await Promise.allSettled([
    store.commit({ key: '/a/x', expect: 0, kind: 'put', make: () => freeze({ toJSON: () => loop }) }),
    put(store, '/a/y'),
  ]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { facts: { key: '/a/x' } } });
  expect(fine).toMatchObject({ status: 'fulfilled', value: { revision: 1 } });
  await store.close();
  await rm(path, { recursive: true });
});

const failingDisk = `
  const [, lmdb, create, clock, path] = process.argv;
  const { openLmdbBackend } = await import(lmdb);
  const { createStore } = await import(create);
  const { systemClock } = await import(clock);
  const store = await createStore({
    backend: await openLmdbBackend({ path }),
    clock: systemClock,
    compaction: { revisionsMax: 10, ageMsMax: Infinity, bytesMax: 2 ** 28 },
    watcherBufferMax: 10,
  });
  const text = 'x'.repeat(10_000);
  const put = (key) => store.commit({ key, expect: 0, kind: 'put', make: () => Object.freeze({ text }) });
  const errors = [];
  for (let number = 0; errors.length < 2; number++) {
    const results = await Promise.allSettled(['a', 'b', 'c'].map((letter) => put('/' + letter + '/' + number)));
    for (const { status, reason } of results) if (status === 'rejected') errors.push(reason.message);
  }
  const { items } = store.list('/');
  await store.close();
  console.log(JSON.stringify({ errors, revision: store.revision, items: items.length }));
`;

test.runIf(process.platform === 'linux')(
  'a disk that fails neither loses what was acknowledged nor ends the process',
  async () => {
    const path = await mkdtemp(join(tmpdir(), 'signalbox-store-'));
    const modules = ['./lmdb.ts', '../create.ts', '../../base/clock.ts'].map(
      (file) => new URL(file, import.meta.url).href,
    );
    // No file may grow beyond a megabyte: the write after that comes up short.
    const limited = ['-c', 'ulimit -f 1024; exec "$@"', 'sh', process.execPath];
    const { stdout, stderr } = await promisify(execFile)('bash', [
      ...limited,
      ...['--import', 'tsx', '--input-type=module', '-e', failingDisk, ...modules, path],
    ]);
    const { errors, revision, items } = JSON.parse(stdout) as { errors: string[]; revision: number; items: number };
    expect(errors[0]).toContain(`nothing was written: cannot write to the data folder ${path}: `);
    expect(stderr).toBe('');
    expect(revision).toBeGreaterThan(10);
    const store = await openStore(await openLmdbBackend({ path }));
    expect([store.revision, items]).toEqual([revision, revision]);
    expect(store.list('/')).toMatchObject({ items: { length: revision } });
    await store.close();
    await rm(path, { recursive: true });
  },
  30_000,
);
