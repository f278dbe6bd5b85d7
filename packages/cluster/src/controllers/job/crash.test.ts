import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { jobs, pods } from '../../api/generated/kinds.ts';
import { completionIndexKey, isTracked, jobEnd } from '../../resources/batch/facts.ts';
import type { Action } from '../../runtime/plan.ts';
import { end, job, key } from '../../testing/job-world.ts';
import { createWorld, type World } from '../../testing/plan-world.ts';
import { jobController } from './controller.ts';

/** What of a Job has to be the same, whatever died on the way. */
interface Outcome {
  readonly succeeded: number;
  readonly failed: number;
  readonly completedIndexes: string;
  readonly failedIndexes: string;
  readonly ends: string;
}

interface Story {
  readonly spec: Partial<Job['spec']>;
  /** How the pods end, by the order in which they were made, or by index. */
  readonly fails: readonly boolean[];
  /** After how many writes the controller dies, again and again. */
  readonly crashes: readonly number[];
}

function play({ spec, fails, crashes }: Story): Outcome {
  const world = createWorld();
  world.put(jobs, job(spec));
  const ends = new Map<string, boolean>();
  let crash = 0;
  for (let round = 0; round < 3_000; round++) {
    const writes = crashes[crash] ?? Number.POSITIVE_INFINITY;
    const { isIdle, died } = run(world, writes);
    if (died) crash++;
    const current = world.of(jobs).get(key) as Job;
    if (isIdle && jobEnd(current) !== undefined) return outcomeOf(world, { current, ends });
    if (!isIdle) continue;
    world.nowMs += 10_000;
    // One pod a round, so that the order in which they end does not depend on where somebody died.
    const [pod] = activePods(world);
    if (pod === undefined) continue;
    const index = pod.metadata.annotations?.[completionIndexKey];
    const fails_ =
      fails[index === undefined ? ends.size : (Number(index) + failuresOf(ends, index)) % fails.length] ?? false;
    ends.set(`${index ?? ''} ${pod.metadata.uid}`, fails_);
    end(world, pod, { phase: fails_ ? 'Failed' : 'Succeeded' });
  }
  throw new Error('does not come to an end');
}

function failuresOf(ends: ReadonlyMap<string, boolean>, index: string): number {
  return [...ends].filter(([name, failed]) => failed && name.startsWith(`${index} `)).length;
}

function activePods(world: World): readonly Pod[] {
  return world
    .list(pods)
    .filter(({ status, metadata }) => status.phase === 'Pending' && metadata.deletionTimestamp === undefined)
    .sort((a, b) => order(a) - order(b));
}

function order({ metadata }: Pod): number {
  return Number(metadata.annotations?.[completionIndexKey] ?? 0);
}

/** One plan, of which only the first `writes` writes are done. */
function run(world: World, writes: number): { readonly isIdle: boolean; readonly died: boolean } {
  const observed = jobController.observe(key, world, undefined);
  const actions = observed === undefined ? [] : jobController.plan(observed, world.nowMs).actions;
  const flat = actions.flatMap(single).filter((action) => action.do !== 'emit');
  for (const action of flat.slice(0, writes)) world.apply(action);
  return { isIdle: flat.length === 0, died: flat.length > writes };
}

function single(action: Action): readonly Action[] {
  return action.do === 'inOrder' ? action.actions.flatMap(single) : [action];
}

function outcomeOf(
  world: World,
  { current, ends }: { readonly current: Job; readonly ends: ReadonlyMap<string, boolean> },
): Outcome {
  const {
    succeeded = 0,
    failed = 0,
    completedIndexes = '',
    failedIndexes = '',
    uncountedTerminatedPods,
  } = current.status;
  expect(uncountedTerminatedPods).toEqual({});
  expect(world.list(pods).filter(isTracked)).toEqual([]);
  // Each pod that ended by itself is counted once; those that were stopped at the end have failed.
  const stopped = failed - [...ends.values()].filter(Boolean).length;
  expect(succeeded).toBe([...ends.values()].filter((hasFailed) => !hasFailed).length);
  expect(stopped).toBeGreaterThanOrEqual(0);
  const conditions = (current.status.conditions ?? []).map(({ type, reason }) => `${type} ${reason}`);
  return { succeeded, failed, completedIndexes, failedIndexes, ends: conditions.join(', ') };
}

const kinds: readonly Partial<Job['spec']>[] = [
  { completions: 4, parallelism: 1, backoffLimit: 3 },
  { completions: 5, parallelism: 3, backoffLimit: 2 },
  { completions: undefined as never, parallelism: 3, backoffLimit: 1 },
  { completionMode: 'Indexed', completions: 5, parallelism: 2, backoffLimit: 4 },
  { completionMode: 'Indexed', completions: 4, parallelism: 4, backoffLimit: 99, backoffLimitPerIndex: 1 },
  {
    completionMode: 'Indexed',
    completions: 6,
    parallelism: 3,
    backoffLimit: 99,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 1,
  },
  {
    completionMode: 'Indexed',
    completions: 6,
    parallelism: 3,
    backoffLimit: 99,
    successPolicy: { rules: [{ succeededCount: 3 }] },
  },
];

test('a controller that dies after any write ends where one that lives does', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds),
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 25, size: 'max' }),
      (spec, fails, crashes) => {
        expect(play({ spec, fails, crashes })).toEqual(play({ spec, fails, crashes: [] }));
      },
    ),
    { numRuns: 60 },
  );
});
