/**
 * Upstream's scheduler and ours in clusters of more than a hundred nodes, of which only a part is looked at for each pod: how large the
 * part is, that every zone has nodes in it, what is said of pods that no node takes, and where room is made.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configuration, preemption, round, shares, slack, zones } from './large/worlds.ts';
import { type Side, type Sides, startSides } from './placing/sides.ts';
import { findPrograms } from './plane/programs.ts';
import { onceMore } from './stories.ts';

const { programs, missing = '' } = findPrograms(process.env);
let both: Sides;

beforeAll(async () => {
  if (programs !== undefined) both = await startSides(programs, configuration);
});

afterAll(() => both?.close());

async function onBoth<T>(world: (side: Side) => Promise<T>): Promise<Readonly<Record<'here' | 'there', T>>> {
  const { here, there } = both.sides;
  const [ours, theirs] = await Promise.all(
    [here, there].map(async (side) => {
      try {
        return await world(side);
      } finally {
        await side.tidy();
      }
    }),
  );
  return { here: ours as T, there: theirs as T };
}

test.skipIf(programs === undefined)(`the same part of the nodes is looked at ${missing}`, onceMore, async () => {
  const { here, there } = await onBoth(shares);
  for (const [profile, part] of Object.entries(there))
    expect(Math.abs((here[profile] ?? 0) - part), profile).toBeLessThanOrEqual(slack);
});

test.skipIf(programs === undefined).each([
  ['nodes of every zone are in it', zones],
  ['pods go round where nobody scores', round],
  ['pods that no node takes, and nodes that are cleared', preemption],
] as const)('%s', onceMore, async (_, world) => {
  const { here, there } = await onBoth<unknown>(world);
  expect(here).toEqual(there);
});
