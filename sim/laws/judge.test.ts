import { beforeAll, describe, expect, test } from 'vitest';
import { live } from './history.ts';
import { judge } from './judge.ts';
import type { Recording, WatchRecord } from './recording.ts';

/** A real history, in which one thing is put wrong. */
let real: Recording;
let long: WatchRecord;
beforeAll(async () => {
  ({ recording: real } = await live('7'));
  const [longest] = [...real.watches]
    .filter(({ state, events }) => state !== undefined && events.at(-1)?.type !== 'ERROR')
    .sort((a, b) => b.events.length - a.events.length);
  if (longest === undefined) throw new Error('nobody watched');
  long = longest;
});

const withWatch = (watch: Partial<WatchRecord>): Recording => ({ ...real, watches: [{ ...long, ...watch }] });
const acknowledged = (): Recording['writes'] => real.writes.filter(({ revision }) => revision !== undefined);

test('nothing is wrong with it, and much happened', () => {
  expect(judge(real)).toEqual([]);
  expect(acknowledged().length).toBeGreaterThan(10);
  expect(long.events.length).toBeGreaterThan(5);
});

describe('the judge finds', () => {
  test('a write that was lost', () => {
    const [last] = [...acknowledged()].sort((a, b) => (b.revision ?? 0) - (a.revision ?? 0));
    const changes = real.changes.filter(({ revision }) => revision < (last?.revision ?? 0));
    expect(judge({ ...real, changes })).toContain(`the write of ${last?.key} at ${last?.revision} is lost`);
  });

  test('a revision that was given twice, and one that went back', () => {
    const [first, second] = acknowledged();
    if (first === undefined || second === undefined) throw new Error('nobody wrote');
    expect(judge({ ...real, writes: [first, { ...second, revision: first.revision }] })[0]).toMatch(/was given twice/);
    const late = { ...first, calledAt: 10_000, endedAt: 10_001 };
    const early = { ...second, calledAt: 9_000, endedAt: 9_001, revision: (first.revision ?? 0) + 5 };
    expect(judge({ ...real, writes: [early, late], lists: [] })[0]).toMatch(/was over before the one at/);
    expect(judge({ ...real, batches: [5, 7, 6] })).toContain('the disk went from 7 back to 6');
  });

  test('an update that was lost', () => {
    const [first] = acknowledged();
    if (first === undefined) throw new Error('nobody wrote');
    const at = (revision: number, replaces?: number): Recording['writes'][number] => ({
      ...{ key: first.key, calledAt: revision, endedAt: revision, revision, replaces },
    });
    const lost = { ...real, lists: [], watches: [], writes: [at(10), at(11), at(12, 10)] };
    expect(judge(lost)).toContain(`${first.key} at 12 replaced 10, and lost the write at 11`);
  });

  test('a list that is older than what was told, or than what was asked for', () => {
    const last = real.lists.at(-1);
    const [first] = real.lists;
    if (last === undefined || first === undefined) throw new Error('nobody read');
    const stale = { ...first, calledAt: 100_000, endedAt: 100_001, exactly: undefined, atLeast: undefined };
    expect(judge({ ...real, lists: [...real.lists, stale] })[0]).toMatch(/^a list is of \d+ after somebody was told/);
    const asked = { ...last, atLeast: last.revision + 1 };
    expect(judge({ ...real, lists: [asked] })).toContain(
      `a list of ${last.revision + 1} at least is of ${last.revision}`,
    );
    const torn = { ...last, pages: [last.revision, last.revision + 1] };
    expect(judge({ ...real, lists: [torn] })[0]).toMatch(/^pages of one list are of/);
  });

  test('two lists of one revision that differ', () => {
    const list = real.lists.find(({ state }) => state.size > 0);
    if (list === undefined) throw new Error('nobody read anything');
    expect(judge({ ...real, lists: [list, { ...list, state: new Map() }], watches: [] })[0]).toMatch(/^two lists of/);
  });

  test('an event that is missing, or told twice, or in another order', () => {
    const changes = long.events.filter(({ type }) => type !== 'BOOKMARK');
    let found = 0;
    for (const [index, event] of changes.entries()) {
      expect(judge(withWatch({ events: changes.toSpliced(index, 0, event) })).join()).toMatch(/ tells \d+ after \d+/);
      if (judge(withWatch({ events: changes.toSpliced(index, 1) })).length > 0) found++;
    }
    // That the last one is missing cannot be told from a watch that ended before.
    expect(found).toBeGreaterThanOrEqual(changes.length - 2);
    expect(judge(withWatch({ events: [...changes].reverse() })).length).toBeGreaterThan(0);
  });

  test('a bookmark before what it says has come, and a watch that ends in anything but 410', () => {
    const at = real.lists.at(-1)?.revision ?? 0;
    const bookmark = { type: 'BOOKMARK', key: '', revision: at + 1, version: '' } as const;
    expect(judge(withWatch({ events: [bookmark] })).length).toBeGreaterThan(0);
    expect(judge(withWatch({ events: [{ type: 'ERROR', code: 500 }] }))).toEqual([
      `a watch from ${long.from} ended in 500`,
    ]);
  });
});
