import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeList } from '../../api/meta.ts';
import type { ListOptions } from '../../api/operation.ts';
import { canonicalState, fold, type View } from './history.ts';
import { type Asking, asking, type OpenSubject, refusal, type Subject, versionOf, whileTimePasses } from './subject.ts';
import { selectorsOf, views } from './views.ts';
import type { LawOptions } from './watch-laws.ts';
import { perform, writeGroups } from './writes.ts';

async function withSubject(open: OpenSubject, work: (subject: Subject, ask: Asking) => Promise<void>): Promise<void> {
  const subject = await open();
  try {
    await work(subject, asking(subject));
  } finally {
    await subject.close();
  }
}

const names = ({ items }: KubeList): readonly string[] => items.map(({ metadata }) => metadata.name);

async function fill(subject: Subject, ask: Asking, count: number): Promise<void> {
  for (let index = 0; index < count; index++)
    await perform(
      { does: 'put', namespace: 'default', name: `m${index}`, labels: { color: 'red' }, finalizers: [] },
      { ask, subject },
    );
}

export function listLaws(open: OpenSubject, { runs }: LawOptions): void {
  describe('a list', () => {
    test('in pages, read while others write, is the list of the first page', async () => {
      const limits = fc.integer({ min: 1, max: 4 });
      await fc.assert(
        fc.asyncProperty(
          writeGroups({ compacting: false }),
          writeGroups({ compacting: false }),
          views,
          limits,
          pagesAre(open),
        ),
        { numRuns: runs },
      );
    });

    test('at an exact version shows that version, whatever came later', async () => {
      await fc.assert(
        fc.asyncProperty(writeGroups({ compacting: false }), views, (groups, view) =>
          withSubject(open, async (subject, ask) => {
            const seen: KubeList[] = [];
            for (const group of groups) {
              seen.push(await ask.list(selectorsOf(view), view.namespace));
              await Promise.all(group.map((step) => perform(step, { ask, subject })));
            }
            for (const list of seen) {
              const at = { resourceVersion: String(list.metadata.resourceVersion), resourceVersionMatch: 'Exact' };
              const again = await ask.list({ ...selectorsOf(view), ...at }, view.namespace);
              expect(again).toEqual(list);
            }
          }),
        ),
        { numRuns: runs },
      );
    });

    versions(open);
    expiry(open);
  });
}

type Groups = Parameters<Parameters<ReturnType<typeof writeGroups>['chain']>[0]>[0];

function pagesAre(open: OpenSubject) {
  return (before: Groups, during: Groups, view: View, limit: number): Promise<void> =>
    withSubject(open, async (subject, ask) => {
      for (const group of before) await Promise.all(group.map((step) => perform(step, { ask, subject })));
      const selectors = selectorsOf(view);
      const whole = await ask.list(selectors, view.namespace);
      const pages: KubeList[] = [];
      let next: string | undefined;
      do {
        const options = { ...selectors, limit, ...(next !== undefined && { continue: next }) };
        const page = await ask.list(options, view.namespace);
        pages.push(page);
        const left = whole.items.length - pages.flatMap(({ items }) => items).length;
        // Only without a selector does the server know how many are left.
        if (page.metadata.remainingItemCount !== undefined) expect(page.metadata.remainingItemCount).toBe(left);
        expect(page.items.length).toBeLessThanOrEqual(limit);
        next = page.metadata.continue;
        const group = during[pages.length - 1];
        if (group !== undefined) await Promise.all(group.map((step) => perform(step, { ask, subject })));
      } while (next !== undefined && next !== '');
      expect(new Set(pages.map(({ metadata }) => metadata.resourceVersion))).toEqual(
        new Set([whole.metadata.resourceVersion]),
      );
      const items = pages.flatMap((page) => page.items);
      expect(items.map(({ metadata }) => metadata.name)).toEqual(names(whole));
      expect(canonicalState(fold(items, []))).toBe(canonicalState(fold(whole.items, [])));
    });
}

function versions(open: OpenSubject): void {
  test.each<[string, (version: string) => ListOptions, 'newest' | 'then']>([
    ['unset: the newest', () => ({}), 'newest'],
    ['0: anything there is', () => ({ resourceVersion: '0' }), 'newest'],
    ['a version: not older', (resourceVersion) => ({ resourceVersion }), 'newest'],
    [
      'a version, not older: the newest',
      (resourceVersion) => ({ resourceVersion, resourceVersionMatch: 'NotOlderThan' }),
      'newest',
    ],
    ['a version and a limit: exactly it', (resourceVersion) => ({ resourceVersion, limit: 500 }), 'then'],
    ['a version, exact: exactly it', (resourceVersion) => ({ resourceVersion, resourceVersionMatch: 'Exact' }), 'then'],
    [
      'a limit, not older: the newest',
      (resourceVersion) => ({ resourceVersion, resourceVersionMatch: 'NotOlderThan', limit: 500 }),
      'newest',
    ],
  ])('with resourceVersion %s', (_what, options, shown) =>
    withSubject(open, async (subject, ask) => {
      await fill(subject, ask, 2);
      const then = await ask.list({}, 'default');
      await fill(subject, ask, 4);
      const list = await ask.list(options(String(then.metadata.resourceVersion)), 'default');
      expect(names(list)).toEqual(shown === 'then' ? ['m0', 'm1'] : ['m0', 'm1', 'm2', 'm3']);
      expect(versionOf(list)).toBe(shown === 'then' ? versionOf(then) : subject.store.revision);
    }),
  );

  test.each<[string, ListOptions]>([
    ['match without a version', { resourceVersionMatch: 'Exact' }],
    ['exactly 0', { resourceVersion: '0', resourceVersionMatch: 'Exact' }],
    ['a match that does not exist', { resourceVersion: '5', resourceVersionMatch: 'Newest' }],
  ])('refuses %s', (_what, options) =>
    withSubject(open, async (subject, ask) => {
      expect((await refusal(subject, ask.list(options))).code).toBe(422);
    }),
  );

  test('of a version that is still to come waits for it', () =>
    withSubject(open, async (subject, ask) => {
      const coming = String(subject.store.revision + 1);
      const list = whileTimePasses(subject, ask.list({ resourceVersion: coming }, 'default'));
      await fill(subject, ask, 1);
      expect(names((await list) as KubeList)).toEqual(['m0']);
    }));

  test.each(['', 'Exact', 'NotOlderThan'])('of a version that never comes is 504 (%s)', (match) =>
    withSubject(open, async (subject, ask) => {
      const options = { resourceVersion: '99999', ...(match !== '' && { resourceVersionMatch: match }) };
      const status = await refusal(subject, ask.list(options));
      expect(status).toMatchObject({ code: 504, reason: 'Timeout', details: { retryAfterSeconds: 1 } });
      expect(status.details?.causes).toEqual([expect.objectContaining({ reason: 'ResourceVersionTooLarge' })]);
    }),
  );

  test('and a get read a version that never comes as 504 too', () =>
    withSubject(open, async (subject, ask) => {
      await fill(subject, ask, 1);
      const get = { verb: 'get', namespace: 'default', name: 'm0', resourceVersion: '99999' } as const;
      expect((await refusal(subject, ask.perform(get))).code).toBe(504);
    }));
}

function expiry(open: OpenSubject): void {
  test('whose history is gone is 410 for an exact version', () =>
    withSubject(open, async (subject, ask) => {
      await fill(subject, ask, 1);
      const first = subject.store.revision;
      await fill(subject, ask, 3);
      await subject.store.compact(first + 1);
      const exact = (version: number): Promise<KubeList> =>
        ask.list({ resourceVersion: String(version), resourceVersionMatch: 'Exact' }, 'default');
      expect(await refusal(subject, exact(first))).toMatchObject({ code: 410, reason: 'Expired' });
      expect(names(await exact(first + 1))).toEqual(['m0', 'm1']);
    }));

  test('whose pages expired is 410 with a token that goes on in the newest state', () =>
    withSubject(open, async (subject, ask) => {
      await fill(subject, ask, 5);
      const first = await ask.list({ limit: 2 }, 'default');
      await perform({ does: 'delete', namespace: 'default', name: 'm3' }, { ask, subject });
      await fill(subject, ask, 7);
      await subject.store.compact(subject.store.revision);
      const late = ask.list({ limit: 2, continue: first.metadata.continue ?? '' }, 'default');
      const status = await refusal(subject, late);
      expect(status).toMatchObject({ code: 410, reason: 'Expired' });
      const token = (status as { readonly metadata?: { readonly continue?: string } }).metadata?.continue ?? '';
      const rest = await ask.list({ limit: 2, continue: token }, 'default');
      expect(names(rest)).toEqual(['m2', 'm3']);
      expect(versionOf(rest)).toBe(subject.store.revision);
      const last = await ask.list({ continue: rest.metadata.continue ?? '' }, 'default');
      expect(names(last)).toEqual(['m4', 'm5', 'm6']);
      expect(versionOf(last)).toBe(versionOf(rest));
    }));

  test('refuses a token of another collection, a made-up one, and one with a version', () =>
    withSubject(open, async (subject, ask) => {
      await fill(subject, ask, 3);
      const { metadata } = await ask.list({ limit: 1 }, 'default');
      const token = metadata.continue ?? '';
      expect((await refusal(subject, ask.list({ continue: token }, 'other'))).code).toBe(400);
      expect((await refusal(subject, ask.list({ continue: 'bm9uc2Vuc2U' }, 'default'))).code).toBe(400);
      const withVersion = { continue: token, resourceVersion: metadata.resourceVersion ?? '' };
      expect((await refusal(subject, ask.list(withVersion, 'default'))).code).toBe(400);
    }));
}
