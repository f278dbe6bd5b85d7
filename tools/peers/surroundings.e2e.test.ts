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

/** Both control planes. */
interface Stage {
  readonly sides: readonly Side[];
  readonly signal: AbortSignal;
  close(): Promise<void>;
}

async function startStage(): Promise<Stage> {
  if (programs === undefined) throw new Error(missing);
  const ending = new AbortController();
  const { signal } = ending;
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-around-'));
  const sides = [await startUpstream(programs, join(folder, 'there')), await startHere(join(folder, 'here'))];
  for (const { requests } of sides) await anchor(requests, signal);
  return {
    sides,
    signal,
    async close() {
      ending.abort();
      for (const side of sides) await side.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** How the stories of one block are played: on one stage, and once more on another one, as the first has traces of them. */
function onStage(): (story: Story, isAgain: boolean) => Promise<readonly string[]> {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage?.close());
  return async (story, isAgain) => {
    if (!isAgain) return played(story, stage);
    const another = await startStage();
    try {
      return await played(story, another);
    } finally {
      await another.close();
    }
  };
}

async function played(story: Story, { sides, signal }: Stage): Promise<readonly string[]> {
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

const isAgain = ({ result }: { readonly result?: { readonly retryCount?: number } }): boolean =>
  (result?.retryCount ?? 0) > 0;

const apart = chosen([...budgetStories, ...nodeStories, ...shareStories, ...endpointStories]);

describe.skipIf(programs === undefined || apart.length === 0)(
  `around workloads${missing === '' ? '' : ` (${missing})`}`,
  () => {
    const play = onStage();
    test.concurrent.for(apart)('$name: $tells', { timeout: storyMs, ...onceMore }, async (story, { task }) => {
      expect(await play(story, isAgain(task))).toEqual([]);
    });
  },
);

const whole = chosen(wholeStories);

describe.skipIf(programs === undefined || whole.length === 0)('around a whole cluster', () => {
  const play = onStage();
  test.for(whole)('$name: $tells', { timeout: storyMs, ...onceMore }, async (story, { task }) => {
    expect(await play(story, isAgain(task))).toEqual([]);
  });
});
