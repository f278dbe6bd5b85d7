import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { refuseEmptied } from './emptied.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-emptied-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a new folder is taken, and one whose first start was killed before it had certificates', async () => {
  await refuseEmptied(folder);
  await writeFile(join(folder, 'objects.mdb'), '');
  await refuseEmptied(folder);
  await refuseEmptied(join(folder, 'not-there'));
});

test.each(['missing', 'empty'])(
  'certificates beside a data file that is %s are the rest of a cluster',
  async (what) => {
    await mkdir(join(folder, 'pki'));
    if (what === 'empty') await writeFile(join(folder, 'objects.mdb'), '');
    await expect(refuseEmptied(folder)).rejects.toThrow(
      `cannot open the data folder ${folder}: objects.mdb is ${what}, and the certificates beside it say that there was a cluster; restore a backup`,
    );
    await writeFile(join(folder, 'objects.mdb'), 'something');
    await refuseEmptied(folder);
  },
);
