/** Requests by chance to upstream's API server and to ours: what differs is known, and stands in docs/differences.md. `npm run differ` plays more of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@signalbox/cluster/testing';
import { describe, expect, test } from 'vitest';
import { findPrograms } from '../plane/programs.ts';
import { createChoice } from '../stories.ts';
import { playedKinds } from './kinds.ts';
import { explain } from './known.ts';
import { type Playing, play } from './play.ts';
import { startSides } from './sides.ts';

const { programs, missing = '' } = findPrograms(process.env);
const steps = 1_000;
/** Of each all thousand answers are alike, or known to differ. */
const seeds = ['2', '17', '29', '36'];
const further = ['5', '20', '23', '26', '28', '30', '31', '32', '33', '34', '35', '37'];
/** Each takes half a minute: CI has other tests beside. */
const parts = process.env['CI'] === undefined ? { games: 1, kinds: 1 } : { games: seeds.length, kinds: 3 };

/** Played alone a kind comes to rules that it seldom does among others. Each line has two servers of its own. */
const alone: readonly (readonly string[])[] = [
  ['ConfigMap', 'Secret', 'ValidatingAdmissionPolicyBinding', 'RoleBinding', 'ServiceMonitor', 'GrafanaAgent'],
  ['StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController', 'PodTemplate'],
  ['CronJob', 'Job', 'Deployment', 'Service', 'HorizontalPodAutoscaler'],
];
const stepsAlone = 200;

const ofSeeds = createChoice(process.env, parts.games);
const ofKinds = createChoice(process.env, parts.kinds);

describe.skipIf(programs === undefined)(`upstream's API server${missing === '' ? '' : ` (${missing})`}`, () => {
  test.each((process.env['CI'] === undefined ? [...seeds, ...further] : seeds).filter(ofSeeds))(
    'is asked the same, and answers the same but for what is known: %s',
    async (seed) => {
      expect(await newsOf([{ seed, steps }])).toEqual([]);
    },
  );

  test.each(alone.filter(([name = '']) => ofKinds(name)))(
    'is asked about one kind at a time, and answers the same but for what is known: %s',
    async (...names) => {
      const games = names.map((name): Game => {
        const kinds = playedKinds.filter(({ kind }) => kind === name);
        return { seed: `alone-${name}`, steps: stepsAlone, kinds };
      });
      // Some have more than one version.
      expect(games.filter(({ kinds = [] }) => kinds.length === 0)).toEqual([]);
      expect(await newsOf(games)).toEqual([]);
    },
  );
});

interface Game extends Pick<Playing, 'steps' | 'kinds'> {
  readonly seed: string;
}

/** What nobody has explained, of games with the same two servers. */
async function newsOf(games: readonly Game[]): Promise<readonly string[]> {
  if (programs === undefined) return [];
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-differ-'));
  const sides = await startSides({ programs, folder });
  const found: string[] = [];
  try {
    for (const { seed, ...game } of games)
      for await (const parted of play({ ...sides, ...game, random: seededRandom(seed) })) {
        const { asked } = parted;
        const { news } = explain(parted);
        if (news.length > 0) found.push(`${asked.method} ${asked.path} ${asked.body ?? ''}\n${news.join('\n')}`);
      }
  } finally {
    await sides.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return found;
}
