/** Requests by chance to upstream's API server and to ours. `npm run differ` prints what this counts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@signalbox/cluster/testing';
import { describe, expect, test } from 'vitest';
import { findPrograms } from '../plane/programs.ts';
import { playedKinds } from './kinds.ts';
import { newsOf } from './known.ts';
import { play } from './play.ts';
import { startSides } from './sides.ts';

const { programs, missing = '' } = findPrograms(process.env);
const steps = 1_000;
/** Those that are mended, or listed, one by one. Others follow. */
const kinds = playedKinds.slice(
  0,
  playedKinds.findIndex(({ kind }) => kind === 'ServiceAccount'),
);

describe.skipIf(programs === undefined)(`upstream's API server${missing === '' ? '' : ` (${missing})`}`, () => {
  test('takes and refuses what ours does, and answers it in the same words, nearly always', async () => {
    if (programs === undefined) return;
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-differ-'));
    const sides = await startSides({ programs, folder });
    const broken: string[] = [];
    const judged: string[] = [];
    const told: string[] = [];
    try {
      for await (const parted of play({ ...sides, kinds, random: seededRandom('1'), steps })) {
        const { asked, there, here } = parted;
        const lines = newsOf(parted);
        if (lines.length === 0) continue;
        const text = `${asked.method} ${asked.path} ${asked.body ?? ''}\n${lines.join('\n')}`;
        if (here.code >= 500) broken.push(text);
        (there.code < 300 === here.code < 300 ? told : judged).push(text);
      }
    } finally {
      await sides.close();
      rmSync(folder, { recursive: true, force: true });
    }
    expect(broken).toEqual([]);
    // What is left stands in no list yet; less of it is better, more is a bug.
    expect(judged.length, judged.join('\n\n')).toBeLessThanOrEqual(steps * 0.015);
    expect(told.length, told.join('\n\n')).toBeLessThanOrEqual(steps * 0.15);
  });
});
