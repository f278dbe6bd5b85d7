import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore, put, remove, subscribe, take } from '../../testing/store/contract.ts';
import { openLmdbBackend } from '../backends/lmdb.ts';
import type { Store } from '../store.ts';
import { checkFolder, withFolderContent } from './check-folder.ts';
import { encodeBackup, toRecords, verifyBackup } from './format.ts';
import { restoreFolder, revisionJump } from './restore.ts';

let parent: string;
let path: string;
let file: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'signalbox-backup-'));
  path = join(parent, 'data');
  file = join(parent, 'file.backup');
});
afterEach(() => rm(parent, { recursive: true }));

const open = async (at = path): Promise<Store> => openStore(await openLmdbBackend({ path: at }));
const lines = (store: Store): readonly string[] => {
  const list = store.list('');
  if ('expired' in list) throw new Error('expired');
  return list.items.map(({ key, revision, createdRevision }) => `${key} ${revision} ${createdRevision}`);
};
const files = [{ name: 'pki/ca.crt', text: 'PEM\n' }];
const time = '2026-01-02T03:04:05Z';

/** Three objects, of which two are left, and a backup that was made while the store was open. */
async function filled(): Promise<readonly string[]> {
  const store = await open();
  for (const key of ['/core/pods/default/a', '/core/pods/default/b', '/core/nodes/n']) await put(store, key, 'ü\t');
  await put(store, '/core/nodes/n', 'x'.repeat(200_000));
  await remove(store, '/core/pods/default/b');
  const list = store.list('');
  if ('expired' in list) throw new Error('expired');
  await pipeline(
    encodeBackup({ revision: store.revision, time, files, records: toRecords(list.items) }),
    createWriteStream(file),
  );
  await put(store, '/core/pods/default/later');
  const before = lines(store);
  await store.close();
  return before;
}

test('a restored folder has everything as it was, and goes on far above what anybody has seen', async () => {
  await filled();
  expect(await verifyBackup(file)).toEqual({ revision: 5, time, files: 1, objects: 2 });
  const restored = join(parent, 'deep', 'restored');
  const resumesAt = 5 + revisionJump;
  expect(await restoreFolder({ file, path: restored, replace: false })).toMatchObject({
    objects: 2,
    resumesAt,
    aside: undefined,
  });
  const store = await open(restored);
  expect(lines(store)).toEqual(['/core/nodes/n 4 3', '/core/pods/default/a 1 1']);
  expect(store.get('/core/pods/default/a')?.value).toEqual({ revision: 1, value: 'ü\t' });
  expect(await take(subscribe(store, '/', { from: 6 }), 1)).toEqual([`expired ${resumesAt}`]);
  expect((await put(store, '/core/nodes/m')).revision).toBe(resumesAt + 1);
  await store.close();
  expect(await readFile(join(restored, 'pki', 'ca.crt'), 'utf8')).toBe('PEM\n');
  expect((await stat(join(restored, 'pki', 'ca.crt'))).mode & 0o777).toBe(0o600);
  expect((await stat(restored)).mode & 0o777).toBe(0o700);
});

test('a folder that holds something is left alone, or put aside when that is asked for', async () => {
  const before = await filled();
  await expect(restoreFolder({ file, path, replace: false })).rejects.toThrow(
    `${path} is not empty; choose another folder`,
  );
  const inUse = await open();
  await expect(restoreFolder({ file, path, replace: true })).rejects.toThrow('in use by process');
  await inUse.close();
  const { aside = '', resumesAt } = await restoreFolder({ file, path, replace: true });
  expect(resumesAt).toBe(6 + revisionJump);
  const old = await open(aside);
  expect(lines(old)).toEqual(before);
  await old.close();
  expect((await readdir(parent)).filter((name) => name.includes('restoring'))).toEqual([]);
});

test('a folder in which nobody is at work makes the same backup as the running store', async () => {
  await filled();
  const other = join(parent, 'other.backup');
  await withFolderContent(path, { time, use: (content) => pipeline(encodeBackup(content), createWriteStream(other)) });
  expect(await verifyBackup(other)).toEqual({ revision: 6, time, files: 0, objects: 3 });
  const running = await open();
  await expect(checkFolder(path)).rejects.toThrow('in use by process');
  await running.close();
});

test.each<[string, (text: Buffer) => Buffer | string, RegExp]>([
  ['changed', (text) => text.toString().replace('xxx', 'xyx'), /its checksum does not fit/],
  ['shortened by a line', (text) => text.subarray(0, text.lastIndexOf('{"end"')), /it is cut short/],
  ['lengthened', (text) => `${text.toString()}{"file":"pki/x.crt","text":""}\n`, /something follows its end/],
  [
    'of another format',
    (text) => text.toString().replace('"signalboxBackup":1', '"signalboxBackup":2'),
    /of format 2, and this version reads 1 only/,
  ],
  ['something else', () => '{"a":1}\n', /is no backup that signalbox made/],
  ['empty', () => '', /it is cut short/],
  [
    'made to write elsewhere',
    (text) => text.toString().replace('pki/ca.crt', 'pki/../../x'),
    /neither a file nor an object/,
  ],
])('a backup that is %s is refused before anything is written', async (_, change, reason) => {
  await filled();
  await writeFile(file, gzipSync(change(gunzipSync(await readFile(file)))));
  const target = join(parent, 'restored');
  await expect(restoreFolder({ file, path: target, replace: false })).rejects.toThrow(reason);
  await expect(stat(target)).rejects.toThrow('ENOENT');
});

test('a backup that was cut anywhere is refused', async () => {
  await filled();
  const { size } = await stat(file);
  for (const to of [0, 1, 10, Math.floor(size / 2), size - 1]) {
    await truncate(file, to);
    await expect(verifyBackup(file)).rejects.toThrow(/damaged/);
  }
});

test('a check counts what is there, finds what is not as it should be, and changes nothing', async () => {
  await filled();
  const found = await checkFolder(path);
  expect([found.revision, found.objects, [...found.resources]]).toEqual([
    6,
    3,
    [
      ['core/nodes', 1],
      ['core/pods', 2],
    ],
  ]);
  // What the test puts there is no Kubernetes object.
  expect(found.findings).toHaveLength(3);
  const data = join(path, 'objects.mdb');
  const before = await readFile(data);
  await checkFolder(path);
  expect(before.equals(await readFile(data))).toBe(true);
  before.write('damage', before.indexOf('ü'));
  await writeFile(data, before);
  expect((await checkFolder(path)).findings).toEqual(
    expect.arrayContaining([expect.stringMatching(/^the record of \/core\/pods\/default\/\w+ is damaged$/)]),
  );
  await truncate(data, 8192);
  expect((await checkFolder(path)).findings.join()).toContain('objects.mdb is damaged: it ends after 8192 bytes');
  await mkdir(join(parent, 'none'));
  await expect(checkFolder(join(parent, 'none'))).rejects.toThrow(
    /cannot read the data folder .*there is no objects\.mdb in it/,
  );
});

test('two objects with one uid are found', async () => {
  const store = await open();
  const commit = (key: string): Promise<unknown> =>
    store.commit({
      key,
      expect: 0,
      kind: 'put',
      make: () => Object.freeze({ metadata: Object.freeze({ uid: 'one' }) }),
    });
  await commit('/core/pods/default/a');
  await commit('/core/pods/default/b');
  await store.close();
  expect((await checkFolder(path)).findings).toEqual([
    '/core/pods/default/b and /core/pods/default/a have one uid, one',
  ]);
});

test('a source that fails on the way fails the backup', async () => {
  const records: Iterable<never> = {
    [Symbol.iterator]() {
      throw new Error('unreadable');
    },
  };
  const reading = Readable.from(encodeBackup({ revision: 1, time, files: [], records })).toArray();
  await expect(reading).rejects.toThrow('unreadable');
});

test('a folder without a cluster, and a folder in place of a file, are told with the mend', async () => {
  const nothing = 'there is no objects.mdb in it; name the folder of a cluster with --data';
  await expect(checkFolder(path)).rejects.toThrow(`cannot read the data folder ${path}: ${nothing}`);
  await writeFile(file, 'no folder');
  await expect(checkFolder(file)).rejects.toThrow(nothing);
  await expect(restoreFolder({ file: parent, path, replace: false })).rejects.toThrow(
    `${parent} is a folder, not a backup; name a file that "signalbox backup" wrote`,
  );
});
