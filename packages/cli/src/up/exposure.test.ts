import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exposures, exposuresOf } from './exposure.ts';

test.each<[number, number, readonly string[]]>([
  [0o700, 7, []],
  [0o600, 7, []],
  [
    0o755,
    7,
    [
      '/d is open to its group and every user of this computer (mode 755); who reads it may do everything with the cluster: mend',
    ],
  ],
  [
    0o750,
    7,
    ['/d is open to its group of this computer (mode 750); who reads it may do everything with the cluster: mend'],
  ],
  [
    0o604,
    7,
    ['/d is open to every user of this computer (mode 604); who reads it may do everything with the cluster: mend'],
  ],
  [
    0o700,
    8,
    [
      '/d belongs to user 8, not to user 7 who runs this; its owner may do everything with the cluster: chown 7 /d, unless that is meant',
    ],
  ],
])('mode %o of user %i', (mode, ownerId, expected) => {
  expect(exposuresOf({ path: '/d', mode: 0o40_000 | mode, ownerId }, { userId: 7, mend: 'mend' })).toEqual(expected);
});

test('the folder and each key in it are looked at, each with its mend', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-exposure-'));
  const userId = process.getuid?.();
  expect(await exposures({ folder, userId })).toEqual([]);
  await mkdir(join(folder, 'pki'));
  for (const name of ['ca.key', 'ca.crt', 'token']) await writeFile(join(folder, 'pki', name), '');
  await chmod(join(folder, 'pki', 'ca.key'), 0o640);
  await chmod(join(folder, 'pki', 'token'), 0o600);
  await chmod(join(folder, 'pki', 'ca.crt'), 0o644);
  await chmod(folder, 0o755);
  expect(await exposures({ folder, userId })).toEqual(
    userId === undefined
      ? []
      : [
          expect.stringMatching(/mode 755.*: chmod -R go= \S+$/),
          expect.stringMatching(/pki\/ca\.key is open to its group .*mode 640.*: chmod 600 \S+ca\.key$/),
        ],
  );
  expect(await exposures({ folder: join(folder, 'none'), userId })).toEqual([]);
  expect(await exposures({ folder: undefined, userId })).toEqual([]);
  await rm(folder, { recursive: true });
});
