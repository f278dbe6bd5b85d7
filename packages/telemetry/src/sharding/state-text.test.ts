import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstMapping } from './mapping.ts';
import { formatState, parseState, type ShardingState, type Sharing } from './state-text.ts';
import { levelsMax } from './weights.ts';

const sharing: fc.Arbitrary<Sharing> = fc.integer({ min: 1, max: 4_096 }).chain((shards) =>
  fc.record({
    shards: fc.constant(shards),
    owners: fc.option(fc.array(fc.nat(shards - 1), { minLength: 16, maxLength: 16 }), { nil: undefined }),
  }),
);
const weights = fc.array(fc.nat(levelsMax - 1), { minLength: 16, maxLength: 16 });
const unweighed: fc.Arbitrary<ShardingState> = fc.record({
  sharing,
  handover: fc.option(
    fc.record({ to: sharing, step: fc.constantFrom('start', 'both', 'cut'), sinceMs: fc.nat(), writtenMs: fc.nat() }),
    {
      nil: undefined,
    },
  ),
});
const state = fc
  .tuple(unweighed, fc.option(weights))
  .map(([each, known]) => (known === null || each.sharing.owners === undefined ? each : { ...each, weights: known }));

test('what is written is what is read', () => {
  fc.assert(
    fc.property(state, (each) => {
      expect(parseState(formatState(each))).toEqual({ ok: true, state: each });
    }),
  );
});

test('it is short enough for an annotation, and says what it is', () => {
  const { shards, owners } = firstMapping({ slots: 512, shards: 3 });
  const text = formatState({ sharing: { shards, owners }, handover: undefined });
  expect(text).toMatch(/^v1 shards=3 owners=512:AAABACAAABAC[\w-]+ sum=[0-9a-f]{8}$/);
  expect(text.length).toBeLessThan(1_100);
});

test('no damage goes unnoticed', () => {
  fc.assert(
    fc.property(state, fc.nat(), fc.constantFrom('', 'A', ' ', 'sum=', '='), (each, place, instead) => {
      const text = formatState(each);
      const at = place % text.length;
      const damaged = text.slice(0, at) + instead + text.slice(at + 1);
      if (damaged !== text) expect(parseState(damaged).ok).toBe(false);
    }),
  );
});

/** With the checksum that it needs. */
function signed(text: string): string {
  const { sum = '' } =
    /sum=(?<sum>.*)$/.exec(formatState({ sharing: { shards: 1, owners: undefined }, handover: undefined }))?.groups ??
    {};
  return text === 'v1 shards=1' ? `${text} sum=${sum}` : text;
}

test.each([
  ['', 'it does not begin with v1, the version that this operator reads'],
  ['v2 shards=1 sum=00000000', 'it does not begin with v1, the version that this operator reads'],
  ['{"owners":[0,1]}', 'it does not begin with v1, the version that this operator reads'],
  ['v1 shards=1', 'its checksum is wrong: it was edited, or cut off'],
  ['v1 shards=1 sum=00000000', 'its checksum is wrong: it was edited, or cut off'],
])('what is foreign or broken is said so: %s', (text, problem) => {
  expect(parseState(text)).toEqual({ ok: false, problem });
  expect(parseState(signed('v1 shards=1')).ok).toBe(true);
});
