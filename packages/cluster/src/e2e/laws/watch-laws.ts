import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import {
  bookmarkFaults,
  type Change,
  canonical,
  canonicalState,
  contentFaults,
  expectedChanges,
  fold,
  orderFaults,
  revisionOf,
  stateAt,
  type View,
} from './history.ts';
import { complete, follow, type Recorder, record } from './recorder.ts';
import { type Asking, asking, type OpenSubject, type Subject, versionOf } from './subject.ts';
import { selectorsOf, views } from './views.ts';
import { byRevision, perform, type WriteStep, writeGroups } from './writes.ts';

export interface LawOptions {
  /** How many random histories per law. */
  readonly runs: number;
}

const everything: View = { has: () => true };

/** A watch that starts before one of the groups of writes, at a version some revisions back. */
interface PlannedWatch {
  readonly view: View;
  readonly beforeGroup: number;
  readonly back: number;
  /** Cut after so many events and resumed where it was. */
  readonly cutAfter: number;
}

const plannedWatches: fc.Arbitrary<readonly PlannedWatch[]> = fc.array(
  fc.record({
    view: views,
    beforeGroup: fc.nat({ max: 12 }),
    back: fc.nat({ max: 15 }),
    cutAfter: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 6 })),
  }),
  { minLength: 1, maxLength: 8 },
);

interface Followed {
  readonly plan: PlannedWatch;
  readonly from: number;
  readonly mayExpire: boolean;
  readonly mustExpire: boolean;
  readonly parts: Recorder[];
}

interface Run {
  readonly subject: Subject;
  readonly ask: Asking;
  readonly start: number;
  readonly reference: Recorder;
  readonly followed: readonly Followed[];
  readonly acknowledged: readonly KubeObject[];
}

async function run(
  open: OpenSubject,
  { groups, planned }: { readonly groups: readonly WriteStep[][]; readonly planned: readonly PlannedWatch[] },
  check: (run: Run) => Promise<void> | void,
): Promise<void> {
  const subject = await open();
  const ask = asking(subject);
  const start = subject.store.revision;
  const reference = follow(ask, everything, { from: String(start) });
  const followed: Followed[] = [];
  const acknowledged: KubeObject[] = [];
  try {
    for (const [index, group] of [...groups, []].entries()) {
      for (const plan of planned.filter(({ beforeGroup }) => Math.min(beforeGroup, groups.length) === index))
        followed.push(begin(plan, { subject, ask, start }));
      acknowledged.push(...(await Promise.all(group.map((step) => perform(step, { ask, subject })))).flat());
      await subject.pass(1);
    }
    const recorders = (): Recorder[] => [reference, ...followed.flatMap(({ parts }) => parts)];
    await complete(subject, recorders(), subject.store.revision);
    for (const watch of followed) await resume(watch, { subject, ask });
    await check({ subject, ask, start, reference, followed, acknowledged });
    await Promise.all(recorders().map((recorder) => recorder.stop()));
  } finally {
    await subject.close();
  }
}

function begin(
  plan: PlannedWatch,
  { subject, ask, start }: { readonly subject: Subject; readonly ask: Asking; readonly start: number },
): Followed {
  const from = Math.max(start, subject.store.revision - plan.back);
  const mustExpire = from < subject.store.compactedRevision;
  const parts = [follow(ask, plan.view, { from: String(from), takeMax: plan.cutAfter })];
  return {
    plan,
    from,
    mustExpire,
    parts,
    // A watch that was cut may come back too late for what was compacted since.
    get mayExpire() {
      return from < subject.store.compactedRevision;
    },
  };
}

/** Goes on where the first part was cut. */
async function resume(
  { plan, parts }: Followed,
  { subject, ask }: { readonly subject: Subject; readonly ask: Asking },
): Promise<void> {
  const [first] = parts;
  if (first === undefined || !first.ended || first.events.at(-1)?.type === 'ERROR') return;
  const rest = follow(ask, plan.view, { from: first.version });
  parts.push(rest);
  await complete(subject, [rest], subject.store.revision);
}

function changesOf({ events }: Recorder): readonly Change[] {
  return events.filter(({ type }) => type !== 'BOOKMARK' && type !== 'ERROR') as Change[];
}

function faultsOf({ plan, from, mustExpire, mayExpire, parts }: Followed, reference: readonly Change[]): string[] {
  const events = parts.flatMap((part) => part.events);
  const expected = expectedChanges(reference, from, plan.view);
  if (mustExpire)
    return events.length === 1 && events[0]?.type === 'ERROR' && events[0].object.code === 410
      ? []
      : [`a watch from the compacted ${from} showed ${canonical(events)}`];
  const faults = [...orderFaults(events), ...bookmarkFaults(events, expected), ...contentFaults(events, expected)];
  for (const event of events)
    if (event.type === 'ERROR' && !(mayExpire && event.object.code === 410))
      faults.push(`a watch from ${from} ended in ${canonical(event.object)}`);
  return faults;
}

export function watchLaws(open: OpenSubject, { runs }: LawOptions): void {
  describe('a watch', () => {
    test('shows every acknowledged write once, in order, as it was acknowledged', async () => {
      await fc.assert(
        fc.asyncProperty(writeGroups({ compacting: false }), (groups) =>
          run(open, { groups, planned: [] }, ({ reference, acknowledged, start }) => {
            const changes = changesOf(reference);
            expect([...orderFaults(reference.events)]).toEqual([]);
            const shown = byRevision(changes.map(({ object }) => object));
            for (const [revision, object] of byRevision(acknowledged))
              expect(canonical(shown.get(revision) ?? `nothing at ${revision}`)).toBe(canonical(object));
            // One collection is written to alone, so its revisions have no holes either.
            expect(changes.map(revisionOf)).toEqual(changes.map((_, index) => start + 1 + index));
          }),
        ),
        { numRuns: runs },
      );
    });

    test('from any version shows what its selector saw change; cut and resumed, the same', async () => {
      await fc.assert(
        fc.asyncProperty(writeGroups({ compacting: false }), plannedWatches, (groups, planned) =>
          run(open, { groups, planned }, ({ reference, followed }) => {
            const changes = changesOf(reference);
            expect(followed.flatMap((watch) => faultsOf(watch, changes))).toEqual([]);
          }),
        ),
        { numRuns: runs },
      );
    });

    test('from a compacted version is 410 and nothing else; from any other it misses nothing', async () => {
      await fc.assert(
        fc.asyncProperty(writeGroups({ compacting: true }), plannedWatches, (groups, planned) =>
          run(open, { groups, planned }, ({ reference, followed }) => {
            const changes = changesOf(reference);
            expect(followed.flatMap((watch) => faultsOf(watch, changes))).toEqual([]);
          }),
        ),
        { numRuns: runs },
      );
    });

    test('that begins with the state ends it with a bookmark, then goes on without a gap', async () => {
      await fc.assert(
        fc.asyncProperty(writeGroups({ compacting: true }), views, (groups, view) =>
          initialEvents(open, { groups, view }),
        ),
        { numRuns: runs },
      );
    });

    test('from the version of any list completes that list to any later one', async () => {
      await fc.assert(
        fc.asyncProperty(writeGroups({ compacting: false }), views, (groups, view) =>
          listThenWatch(open, { groups, view }),
        ),
        { numRuns: runs },
      );
    });

    compactionBoundary(open);
  });
}

interface Scenario {
  readonly groups: readonly WriteStep[][];
  readonly view: View;
}

async function initialEvents(open: OpenSubject, { groups, view }: Scenario): Promise<void> {
  const half = Math.floor(groups.length / 2);
  await run(open, { groups: groups.slice(0, half), planned: [] }, async ({ subject, ask, reference }) => {
    const options = {
      ...selectorsOf(view),
      allowWatchBookmarks: true,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
    };
    const recorder = record(ask, options, { namespace: view.namespace });
    for (const group of groups.slice(half)) await Promise.all(group.map((step) => perform(step, { ask, subject })));
    await complete(subject, [reference, recorder], subject.store.revision);
    await recorder.stop();
    const { events } = recorder;
    const ended = events.findIndex(
      ({ type, object }) =>
        type === 'BOOKMARK' && object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true',
    );
    expect(ended).toBeGreaterThanOrEqual(0);
    const at = revisionOf(events[ended] as Change);
    const changes = changesOf(reference);
    const initial = events.slice(0, ended);
    expect(initial.every(({ type }) => type === 'ADDED')).toBe(true);
    expect(canonicalState(fold([], initial))).toBe(canonicalState(stateAt(changes, at, view)));
    const later = events.slice(ended + 1);
    const expected = expectedChanges(changes, at, view);
    expect([...orderFaults(later), ...bookmarkFaults(later, expected), ...contentFaults(later, expected)]).toEqual([]);
  });
}

async function listThenWatch(open: OpenSubject, { groups, view }: Scenario): Promise<void> {
  const half = Math.floor(groups.length / 2);
  await run(open, { groups: groups.slice(0, half), planned: [] }, async ({ subject, ask, reference }) => {
    const selectors = selectorsOf(view);
    const rest = groups.slice(half);
    const [first, ...writing] = [
      ask.list(selectors, view.namespace),
      ...(rest[0] ?? []).map((step) => perform(step, { ask, subject })),
    ] as const;
    const list = await first;
    await Promise.all(writing);
    const recorder = follow(ask, view, { from: list.metadata.resourceVersion });
    for (const group of rest.slice(1)) {
      await Promise.all(group.map((step) => perform(step, { ask, subject })));
      const later = await ask.list(selectors, view.namespace);
      await complete(subject, [reference, recorder], versionOf(later));
      const seen = recorder.events.filter((event) => event.type === 'ERROR' || revisionOf(event) <= versionOf(later));
      const wanted = canonicalState(stateAt(changesOf(reference), versionOf(later), view));
      expect(canonicalState(fold(list.items, seen))).toBe(wanted);
      expect(canonicalState(fold(later.items, []))).toBe(wanted);
    }
    await recorder.stop();
  });
}

function compactionBoundary(open: OpenSubject): void {
  test('at the boundary of compaction still shows the deletion that came right after', async () => {
    const subject = await open();
    const ask = asking(subject);
    try {
      const put = { does: 'put', namespace: 'default', name: 'a', labels: {}, finalizers: [] } as const;
      await perform(put, { ask, subject });
      const created = subject.store.revision;
      await perform({ does: 'delete', namespace: 'default', name: 'a' }, { ask, subject });
      const deleted = subject.store.revision;
      const shown = async (from: number, compacted: number): Promise<readonly string[]> => {
        await subject.store.compact(compacted);
        const recorder = follow(ask, everything, { from: String(from) });
        await complete(subject, [recorder], deleted);
        await recorder.stop();
        return recorder.events.map(({ type }) => type).filter((type) => type !== 'BOOKMARK');
      };
      await perform({ ...put, name: 'b' }, { ask, subject });
      expect(await shown(created - 1, created - 1)).toEqual(['ADDED', 'DELETED', 'ADDED']);
      expect(await shown(created, created)).toEqual(['DELETED', 'ADDED']);
      expect(await shown(created - 1, created)).toEqual(['ERROR']);
      expect(await shown(deleted, deleted)).toEqual(['ADDED']);
      expect(await shown(created, deleted)).toEqual(['ERROR']);
    } finally {
      await subject.close();
    }
  });
}
