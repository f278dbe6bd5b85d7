/** At the end of every end to end test file: whoever is part of a plane did what is listed for it, and nothing more. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { judgeVariable } from '../packages/cluster/src/testing/server/judged.ts';

// Beside upstream, parts of upstream ask under the same names.
const isJudged = !(expect.getState().testPath ?? '').includes('/tools/peers/');
const folder = mkdtempSync(join(tmpdir(), 'signalbox-judged-'));
// Other users start programs, too.
chmodSync(folder, 0o777);
if (isJudged) process.env[judgeVariable] = folder;
else delete process.env[judgeVariable];

// Registered first, it runs last: after everything has ended.
afterAll(() => {
  const said = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
  rmSync(folder, { recursive: true, force: true });
  expect([...new Set(said)].filter((line) => line !== '')).toEqual([]);
});
