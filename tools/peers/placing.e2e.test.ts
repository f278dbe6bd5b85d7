/**
 * What upstream's scheduler says and does, beside ours, in stories that wait, clear and choose: where pods are, what stands on them,
 * and what is told of them, word for word. What differs on purpose is in no story, but in docs/differences.md.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aboutChanges } from './placing/changes.ts';
import { aboutNodes, aboutOthers } from './placing/filters.ts';
import { aboutPreemption } from './placing/preemption.ts';
import { aboutProfiles, configuration } from './placing/profiles.ts';
import { aboutRestarts } from './placing/restarts.ts';
import { type Side, type Sides, startSides } from './placing/sides.ts';
import type { Story } from './placing/story.ts';
import { aboutVolumes } from './placing/volumes.ts';
import { findPrograms } from './plane/programs.ts';
import { createChoice, onceMore } from './stories.ts';

const { programs, missing = '' } = findPrograms(process.env);
const isChosen = createChoice(process.env);
const ofOneProfile = {
  ...{ ...aboutNodes, ...aboutOthers, ...aboutChanges, ...aboutPreemption },
  ...{ ...aboutVolumes, ...aboutRestarts },
};
const suites = (
  [
    ['one profile', undefined, ofOneProfile],
    ['several profiles', configuration, aboutProfiles],
  ] as const
)
  .map(([title, told, stories]) => {
    const chosen = Object.entries<Story>(stories).filter(([name]) => isChosen(name));
    return [title, told, chosen] as const;
  })
  // A suite without a test would be a failure.
  .filter(([, , chosen]) => chosen.length > 0);

describe.each(suites)(`upstream’s scheduler and ours, %s ${missing}`, (_, told, chosen) => {
  let both: Sides;

  beforeAll(async () => {
    if (programs !== undefined) both = await startSides(programs, told);
  });

  afterAll(() => both?.close());

  test.skipIf(programs === undefined).each(chosen)('%s', onceMore, async (_name, story) => {
    const { here, there } = both.sides;
    const [ours, theirs] = await Promise.all([playOn(here, story), playOn(there, story)]);
    expect(ours).toEqual(theirs);
  });
});

async function playOn(side: Side, story: Story): Promise<readonly string[]> {
  const lines: string[] = [];
  await story(side, async (title) => {
    await side.rest();
    lines.push(`${title}:`, ...(await side.told()).map((line) => `  ${line}`));
  });
  await side.tidy();
  return lines;
}
