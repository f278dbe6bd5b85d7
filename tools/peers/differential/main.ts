/** Plays requests by chance against upstream's API server and ours, and prints what they answer differently: `npm run --silent differ -- --seed 1 --steps 500 [KIND…]`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@signalbox/cluster/testing';
import { readArguments } from '../../arguments.ts';
import { findPrograms } from '../plane/programs.ts';
import { playedKinds } from './kinds.ts';
import { explain } from './known.ts';
import { play } from './play.ts';
import { startSides } from './sides.ts';

const usage = 'npm run --silent differ -- [--seed N] [--steps N] [--limited] [--json] [KIND…]';
const { values, positionals } = readArguments(
  {
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      steps: { type: 'string', default: '500' },
      limited: { type: 'boolean', default: false },
      // Each difference as JSON, also of what is known.
      json: { type: 'boolean', default: false },
    },
  },
  usage,
);
const { programs, missing } = findPrograms(process.env);
if (programs === undefined) {
  process.stderr.write(`error: upstream's control plane is ${missing}\n`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'signalbox-differ-'));
const sides = await startSides({ programs, folder, limited: values.limited });
try {
  const kinds = playedKinds.filter(({ kind }) => positionals.length === 0 || positionals.includes(kind));
  const classes = new Map<string, number>();
  let unexplained = 0;
  const counts = new Map<string, number>();
  const compared = (called: string): void => void counts.set(called, (counts.get(called) ?? 0) + 1);
  const played = play({ ...sides, kinds, random: seededRandom(values.seed), steps: Number(values.steps), compared });
  for await (const parted of played) {
    const { method, path, body = '' } = parted.asked;
    const { rows, news } = explain(parted);
    for (const row of rows) classes.set(row, (classes.get(row) ?? 0) + 1);
    if (news.length > 0) unexplained++;
    if (values.json) process.stdout.write(`${JSON.stringify({ ...parted, rows, news })}\n`);
    for (const line of values.json ? [] : news) process.stdout.write(`${line}\t${method} ${path} ${body}\n`);
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  process.stderr.write(`${total} answers compared, ${unexplained} with differences that are not known\n`);
  const known = [...classes].sort(([, a], [, b]) => b - a);
  for (const [row, count] of known) process.stderr.write(`${String(count).padStart(6)}  ${row}\n`);
} finally {
  await sides.close();
  rmSync(folder, { recursive: true, force: true });
}
