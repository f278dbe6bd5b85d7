/** Requests by chance to upstream's API server and to ours: what differs is known, and stands in docs/differences.md. `npm run differ` plays more of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@signalbox/cluster/testing';
import { describe, expect, test } from 'vitest';
import { findPrograms } from '../plane/programs.ts';
import { explain } from './known.ts';
import { play } from './play.ts';
import { startSides } from './sides.ts';

const { programs, missing = '' } = findPrograms(process.env);
const steps = 1_000;
/** Of each all thousand answers are alike, or known to differ. */
const seeds = ['2', '3', '4', '5', '15', '16', '17', '18', '19', '20', '21', '22', '23', '24', '25', '26'];

describe.skipIf(programs === undefined)(`upstream's API server${missing === '' ? '' : ` (${missing})`}`, () => {
  test.each(seeds)('is asked the same, and answers the same but for what is known: %s', async (seed) => {
    if (programs === undefined) return;
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-differ-'));
    const sides = await startSides({ programs, folder });
    const found: string[] = [];
    try {
      for await (const parted of play({ ...sides, random: seededRandom(seed), steps })) {
        const { asked } = parted;
        const { news } = explain(parted);
        if (news.length === 0) continue;
        found.push(`${asked.method} ${asked.path} ${asked.body ?? ''}\n${news.join('\n')}`);
      }
    } finally {
      await sides.close();
      rmSync(folder, { recursive: true, force: true });
    }
    expect(found).toEqual([]);
  });
});
