import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type HandoverFacts, planHandover } from './handover.ts';
import { deviation, firstMapping, shardLoads } from './mapping.ts';
import { shardsThatScrape } from './sharing.ts';
import { formatState, mappingOf, parseState, type ShardingState, type Sharing } from './state-text.ts';

const bySlots = { by: 'slots', slots: 16, handsOver: true, balances: true } as const;
const byHash = { by: 'hashmod', slots: 16, handsOver: true, balances: true } as const;
const never = { by: 'hashmod', slots: 16, handsOver: false, balances: false } as const;

const standing: HandoverFacts = {
  choice: bySlots,
  shards: 2,
  stored: undefined,
  before: undefined,
  loads: undefined,
  nowMs: 0,
  isReady: true,
  isConfirmed: undefined,
  waitMs: 60_000,
};

/** What each of several looks writes: every one of them reads what the one before has written. */
function looks(...changes: readonly Partial<HandoverFacts>[]): readonly string[] {
  let facts = standing;
  return changes.map((change) => {
    facts = { ...facts, ...change };
    const { state, againInMs } = planHandover(facts);
    facts = { ...facts, stored: state && read(formatState(state)) };
    return `${described(state)}${againInMs === undefined ? '' : `, again in ${againInMs / 1_000} s`}`;
  });
}

function read(text: string): ShardingState {
  const outcome = parseState(text);
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.state;
}

function described(state: ShardingState | undefined): string {
  if (state === undefined) return 'nothing to remember';
  const { sharing, handover } = state;
  const shown = ({ shards, owners }: Sharing): string => `${shards}${owners === undefined ? ' by hash' : ''}`;
  return handover === undefined
    ? shown(sharing)
    : `${shown(sharing)} → ${shown(handover.to)} ${handover.step}, ${shardsThatScrape(state)} scrape`;
}

test('a new root begins with its shards; more of them come step by step', () => {
  expect(
    looks(
      {},
      { shards: 3, isReady: false },
      { nowMs: 30_000 },
      { nowMs: 40_000, isReady: true },
      { nowMs: 99_000 },
      { nowMs: 100_000 },
      { nowMs: 160_000 },
    ),
  ).toEqual([
    '2',
    '2 → 3 start, 3 scrape, again in 5 s',
    '2 → 3 start, 3 scrape, again in 5 s',
    '2 → 3 both, 3 scrape, again in 5 s',
    '2 → 3 both, 3 scrape, again in 1 s',
    '2 → 3 cut, 3 scrape, again in 5 s',
    '3',
  ]);
});

test('a shard that leaves scrapes until the others have its targets', () => {
  expect(looks({}, { shards: 1 }, {}, { nowMs: 60_000 }, { nowMs: 120_000 })).toEqual([
    '2',
    '2 → 1 start, 2 scrape, again in 5 s',
    '2 → 1 both, 2 scrape, again in 5 s',
    '2 → 1 cut, 1 scrape, again in 5 s',
    '1',
  ]);
});

test('agents that can be asked end the wait, or make it last', () => {
  const begun = looks(
    {},
    { shards: 3, isConfirmed: false },
    {},
    { nowMs: 600_000 },
    { nowMs: 601_000, isConfirmed: true },
    { isConfirmed: undefined },
    { nowMs: 607_000, isConfirmed: true },
  );
  expect(begun.slice(2)).toEqual([
    '2 → 3 both, 3 scrape, again in 5 s',
    '2 → 3 both, 3 scrape, again in 5 s',
    '2 → 3 cut, 3 scrape, again in 5 s',
    '2 → 3 cut, 3 scrape, again in 5 s',
    '3',
  ]);
});

test('what is asked for during a step comes after it', () => {
  expect(
    looks({}, { shards: 3 }, { shards: 5 }, { nowMs: 60_000 }, { nowMs: 120_000 }, { nowMs: 121_000 }, { shards: 3 }),
  ).toEqual([
    '2',
    '2 → 3 start, 3 scrape, again in 5 s',
    '2 → 3 both, 3 scrape, again in 5 s',
    '2 → 3 cut, 3 scrape, again in 5 s',
    '3',
    '3 → 5 start, 5 scrape, again in 5 s',
    '3 → 5 both, 5 scrape, again in 5 s',
  ]);
});

test('shards that do not start can be taken back', () => {
  expect(looks({}, { shards: 3, isReady: false }, { shards: 2 }, { nowMs: 60_000 })).toEqual([
    '2',
    '2 → 3 start, 3 scrape, again in 5 s',
    '3 → 2 cut, 2 scrape, again in 5 s',
    '2',
  ]);
});

test('a pod that fails while both scrape makes the wait begin anew', () => {
  expect(looks({}, { shards: 3 }, {}, { nowMs: 59_000, isReady: false }, { isReady: true }, { nowMs: 60_000 })).toEqual(
    [
      '2',
      '2 → 3 start, 3 scrape, again in 5 s',
      '2 → 3 both, 3 scrape, again in 5 s',
      '2 → 3 start, 3 scrape, again in 5 s',
      '2 → 3 both, 3 scrape, again in 5 s',
      '2 → 3 both, 3 scrape, again in 5 s',
    ],
  );
});

test('a clock that is put back makes a step last longer, never shorter', () => {
  expect(looks({}, { shards: 3, nowMs: 1e12 }, {}, { nowMs: 0 }, { nowMs: 59_000 }, { nowMs: 60_000 })).toEqual([
    '2',
    '2 → 3 start, 3 scrape, again in 5 s',
    '2 → 3 both, 3 scrape, again in 5 s',
    '2 → 3 both, 3 scrape, again in 5 s',
    '2 → 3 both, 3 scrape, again in 1 s',
    '2 → 3 cut, 3 scrape, again in 5 s',
  ]);
});

test('hashmod is handed over too, where that is asked for, and to slots and back', () => {
  expect(looks({ choice: never, before: 2 }, { choice: byHash }, { shards: 3 }, {})).toEqual([
    'nothing to remember',
    '2 by hash',
    '2 by hash → 3 by hash start, 3 scrape, again in 5 s',
    '2 by hash → 3 by hash both, 3 scrape, again in 5 s',
  ]);
  const minutes = [60_000, 120_000, 180_000, 240_000, 300_000].map((nowMs) => ({ nowMs }));
  expect(looks({ before: 2 }, {}, ...minutes.slice(0, 2), { choice: never }, {}, ...minutes.slice(2), {})).toEqual([
    '2 by hash → 2 start, 2 scrape, again in 5 s',
    '2 by hash → 2 both, 2 scrape, again in 5 s',
    '2 by hash → 2 cut, 2 scrape, again in 5 s',
    '2',
    '2 → 2 by hash start, 2 scrape, again in 5 s',
    '2 → 2 by hash both, 2 scrape, again in 5 s',
    '2 → 2 by hash cut, 2 scrape, again in 5 s',
    '2 by hash',
    'nothing to remember',
    'nothing to remember',
  ]);
});

test('who stops asking for slots in the middle of a hand-over gets its end, and is handed back', () => {
  expect(looks({ before: 2 }, {}, { choice: never }, { nowMs: 60_000 }, { nowMs: 120_000 }, {}).slice(1)).toEqual([
    '2 by hash → 2 both, 2 scrape, again in 5 s',
    '2 by hash → 2 both, 2 scrape, again in 5 s',
    '2 by hash → 2 cut, 2 scrape, again in 5 s',
    '2',
    '2 → 2 by hash start, 2 scrape, again in 5 s',
  ]);
});

const hot = Array.from({ length: 16 }, (_, slot) => (slot === 0 ? 20 : slot === 2 ? 15 : 1));
const settled = { sharing: firstMapping({ slots: 16, shards: 2 }), handover: undefined };

test('hot slots move as shards do, one step at a time', () => {
  expect(looks({ stored: settled, loads: hot, isReady: false }, {}, { isReady: true })).toEqual([
    '2 → 2 start, 2 scrape, again in 5 s',
    '2 → 2 start, 2 scrape, again in 5 s',
    '2 → 2 both, 2 scrape, again in 5 s',
  ]);
  expect(looks({ stored: settled })).toEqual(['2']);
});

/** Hand-overs until nothing moves any more, and what is remembered then. */
function atRest(facts: HandoverFacts): { readonly handovers: number; readonly state: ShardingState } {
  let now = facts;
  for (let handovers = 0; ; handovers++) {
    const { state } = planHandover(now);
    if (state?.handover === undefined) return { handovers, state: state ?? settled };
    const { handover, ...kept } = state;
    now = { ...now, stored: read(formatState({ ...kept, sharing: handover.to, handover: undefined })) };
    if (handovers > 50) throw new Error('it does not come to rest');
  }
}

const evenness = ({ sharing }: ShardingState, loads: readonly number[]): number =>
  deviation(shardLoads(mappingOf(sharing) ?? firstMapping({ slots: 1, shards: 1 }), loads));

test('skewed slots come to rest with a deviation of at most a tenth, and stay while the load wobbles for a day', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 8 }),
      fc.infiniteStream(fc.double({ min: 0, max: 0.99 })),
      (shards, chance) => {
        const next = (): number => chance.next().value;
        const loads = Array.from({ length: 512 }, () => Math.min(200, 1 / (1 - next())) + 10 * next());
        const stored = { sharing: firstMapping({ slots: 512, shards }), handover: undefined };
        const choice = { ...bySlots, slots: 512 };
        const rest = atRest({ ...standing, choice, shards, stored, loads });
        expect(evenness(rest.state, loads)).toBeLessThanOrEqual(0.1);
        let moves = 0;
        let kept: ShardingState = rest.state;
        for (let half = 0; half < 48; half++) {
          const day = 2 + Math.sin((half / 48) * 2 * Math.PI);
          const wobbling = loads.map((load) => load * day * (0.9 + 0.2 * next()));
          const after = atRest({ ...standing, choice, shards, stored: kept, loads: wobbling });
          moves += after.handovers;
          kept = after.state;
        }
        expect(moves).toBe(0);
      },
    ),
    { numRuns: 20 },
  );
});

test('what was measured once is remembered: another number of shards goes by it, also without a new measure', () => {
  const { state, handovers } = atRest({ ...standing, stored: settled, loads: hot });
  expect(handovers).toBeGreaterThan(0);
  expect(state.weights).toHaveLength(16);
  expect(atRest({ ...standing, stored: state })).toEqual({ handovers: 0, state });
  const { weights: _, ...forgetful } = state;
  const grown = planHandover({ ...standing, shards: 3, stored: state });
  expect(grown.state?.handover?.to.owners).not.toEqual(
    planHandover({ ...standing, shards: 3, stored: forgetful }).state?.handover?.to.owners,
  );
  expect(grown).toEqual(planHandover({ ...standing, shards: 3, stored: state, loads: hot }));
});

test('nothing moves, and nothing is remembered, where that is not wanted', () => {
  const choice = { ...bySlots, balances: false };
  expect(atRest({ ...standing, choice, stored: settled, loads: hot })).toEqual({ handovers: 0, state: settled });
  const { state } = atRest({ ...standing, stored: settled, loads: hot });
  expect(atRest({ ...standing, choice, stored: state }).state.weights).toBeUndefined();
});

test('one target that weighs more than all others together moves nothing back and forth', () => {
  const loads = Array.from({ length: 16 }, (_, slot) => (slot === 5 ? 1_000 : 1));
  const { state } = atRest({
    ...standing,
    shards: 3,
    stored: { sharing: firstMapping({ slots: 16, shards: 3 }), handover: undefined },
    loads,
  });
  expect(atRest({ ...standing, shards: 3, stored: state, loads })).toEqual({ handovers: 0, state });
});

/** Which shards scrape a slot, or a hash, in a state: a pure model of what the rules do. */
function scrapers({ sharing, handover }: ShardingState, target: number): ReadonlySet<number> {
  const owner = ({ shards, owners }: Sharing): number =>
    owners === undefined ? target % shards : (owners[target % owners.length] ?? -1);
  if (handover === undefined) return new Set([owner(sharing)]);
  return new Set(handover.step === 'cut' ? [owner(handover.to)] : [owner(sharing), owner(handover.to)]);
}

const change: fc.Arbitrary<Partial<HandoverFacts> & { readonly passes: number }> = fc.record(
  {
    shards: fc.integer({ min: 1, max: 6 }),
    isReady: fc.boolean(),
    isConfirmed: fc.option(fc.boolean(), { nil: undefined }),
    choice: fc.constantFrom(bySlots, bySlots, bySlots, byHash),
    loads: fc.option(fc.array(fc.nat(20), { minLength: 16, maxLength: 16 }), { nil: undefined }),
    passes: fc.constantFrom(0, 5_000, 60_000),
  },
  { requiredKeys: ['passes'] },
);

test('whatever happens, between any two states that follow one another no target is without a scraper', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 40 }), (changes) => {
      let facts = { ...standing, stored: planHandover(standing).state };
      for (const { passes, ...given } of changes) {
        facts = { ...facts, ...given, nowMs: facts.nowMs + passes };
        const before = facts.stored;
        const after = planHandover(facts).state;
        if (before === undefined || after === undefined) throw new Error('nothing is remembered');
        for (let target = 0; target < 30; target++) {
          const [old, next] = [scrapers(before, target), scrapers(after, target)];
          // Some shard has the target by both, so it does not matter who reads which of them.
          expect([...old].some((shard) => next.has(shard))).toBe(true);
          expect(new Set([...old, ...next]).size).toBeLessThanOrEqual(2);
          for (const shard of [...old, ...next])
            expect(shard).toBeLessThan(Math.max(shardsThatScrape(before), shardsThatScrape(after)));
        }
        // Looking again, as after a crash, decides the same.
        expect(planHandover({ ...facts, stored: before }).state).toEqual(after);
        facts = { ...facts, stored: after };
      }
    }),
    { numRuns: 50 },
  );
});
