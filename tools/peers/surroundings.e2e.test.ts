/** What happens around workloads, there and here: the same objects and the same faults come to the same. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '@signalbox/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Alike, alike } from './compare/alike.ts';
import { differencesOf, unexplained } from './compare/differences.ts';
import { findPrograms } from './plane/programs.ts';
import { createChoice, onceMore } from './stories.ts';
import { budgetStories } from './surroundings/budgets.ts';
import { endpointStories } from './surroundings/endpoints.ts';
import { known } from './surroundings/known.ts';
import { nodeStories } from './surroundings/nodes.ts';
import { shareStories } from './surroundings/shares.ts';
import { anchor, type Side, silentAfterSeconds, startHere, startUpstream } from './surroundings/stage.ts';
import { type Played, playOn, type Story } from './surroundings/story.ts';
import { wholeStories } from './surroundings/whole.ts';

const { programs, missing = '' } = findPrograms(process.env);
const isChosen = createChoice(process.env);
const chosen = (stories: readonly Story[]): readonly Story[] => stories.filter(({ name }) => isChosen(name));

const settledWithinMs = 15_000;
const storyMs = 240_000;

interface Stages {
  readonly sides: readonly Side[];
  readonly signal: AbortSignal;
}

/** Both control planes, for the tests of one block. */
function stages(): Stages {
  const sides: Side[] = [];
  const ending = new AbortController();
  const { signal } = ending;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-around-'));
    if (programs === undefined) return;
    sides.push(await startUpstream(programs, join(folder, 'there')));
    sides.push(await startHere(join(folder, 'here')));
    for (const { requests } of sides) await anchor(requests, signal);
  });
  afterAll(async () => {
    ending.abort();
    for (const side of sides) await side.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { sides, signal };
}

async function played(story: Story, { sides, signal }: Stages): Promise<readonly string[]> {
  const plays = await Promise.all(
    sides.map(({ requests }) => playOn(requests, story, { signal, leaseSeconds: silentAfterSeconds })),
  );
  const of = async ({ look, answers }: Played): Promise<readonly Alike[]> =>
    alike([...(await look()), ...answers], { only: () => true });
  const compared = async (): Promise<readonly string[]> => {
    const [there = [], here = []] = await Promise.all(plays.map(of));
    return unexplained(differencesOf(there, here), known).lines;
  };
  const untilMs = systemClock.nowMs() + settledWithinMs;
  let lines = await compared();
  while (lines.length > 0 && systemClock.nowMs() < untilMs) {
    await sleep(systemClock, 1_000, { signal });
    lines = await compared();
  }
  const problems = plays.flatMap(({ problem }, index) =>
    problem === undefined ? [] : [`${sides[index]?.called}: ${problem}`],
  );
  return [...problems, ...lines];
}

const apart = chosen([...budgetStories, ...nodeStories, ...shareStories, ...endpointStories]);

describe.skipIf(programs === undefined || apart.length === 0)(
  `around workloads${missing === '' ? '' : ` (${missing})`}`,
  () => {
    const on = stages();
    test.concurrent.each(apart)('$name: $tells', { timeout: storyMs, ...onceMore }, async (story) => {
      expect(await played(story, on)).toEqual([]);
    });
  },
);

const whole = chosen(wholeStories);

describe.skipIf(programs === undefined || whole.length === 0)('around a whole cluster', () => {
  const on = stages();
  test.each(whole)('$name: $tells', { timeout: storyMs, ...onceMore }, async (story) => {
    expect(await played(story, on)).toEqual([]);
  });
});
