import { describe, expect, test } from 'vitest';
import { createLog, type Log } from './log.ts';
import { Version } from './version.ts';

function append(log: Log, key: string, deleted = false): Version {
  const revision = log.revision + 1;
  const createdRevision = log.get(key)?.createdRevision ?? revision;
  const version = new Version({ key, value: Object.freeze({}), revision, createdRevision, deleted });
  log.append(version);
  return version;
}

function logOf(...keys: readonly string[]): Log {
  const log = createLog(0);
  for (const key of keys) append(log, key.replace('-', ''), key.startsWith('-'));
  return log;
}

function listed(log: Log, prefix: string, at?: number): string {
  const list = log.list(prefix, at === undefined ? {} : { at });
  return 'expired' in list
    ? `expired ${list.compactedRevision}`
    : list.items.map(({ key, revision }) => `${key}@${revision}`).join(' ');
}

test.each([
  ['/a/', undefined, '/a/x@5 /a/y@2'],
  ['/a', undefined, '/a/x@5 /a/y@2 /ab@4'],
  ['/a/x', undefined, '/a/x@5'],
  ['/c', undefined, ''],
  ['', 1, '/a/x@1'],
  ['/a/', 2, '/a/x@1 /a/y@2'],
  ['/a/', 3, '/a/y@2'],
  ['', 0, ''],
])('a list of %j at %s', (prefix, at, expected) => {
  expect(listed(logOf('/a/x', '/a/y', '-/a/x', '/ab', '/a/x'), prefix, at)).toBe(expected);
});

test('pages of one revision make up the list of that revision, whatever is written meanwhile', () => {
  const log = logOf('/a/1', '/a/2', '/a/3', '/a/4', '/b/1');
  const at = log.revision;
  const keys: string[] = [];
  const remaining: unknown[] = [];
  for (let after = ''; ; ) {
    const page = log.list('/a/', { at, after, limit: 2 });
    if ('expired' in page) throw new Error('expired');
    keys.push(...page.items.map(({ key, revision }) => `${key}@${revision}`));
    after = page.items.at(-1)?.key ?? '';
    remaining.push(log.count('/a/', { at, after }));
    if (!page.more) break;
    append(log, '/a/3');
    append(log, '/a/4', true);
    append(log, '/a/5');
  }
  expect(keys).toEqual(['/a/1@1', '/a/2@2', '/a/3@3', '/a/4@4']);
  expect(remaining).toEqual([2, 0]);
});

test('a page that starts after a key before the prefix starts at the prefix', () => {
  const page = logOf('/a/1', '/b/1').list('/b/', { after: '/a/0' });
  expect(page).toMatchObject({ items: [{ key: '/b/1' }], more: false });
});

test('reading the future is a bug of the caller', () => {
  expect(() => logOf('/a').list('/', { at: 2 })).toThrow('a list reads a revision that was reached');
  expect(() => logOf('/a').count('/', { at: 2 })).toThrow('a count reads a revision that was reached');
});

test('a page looks at its own items and not at what follows them', () => {
  let looks = 0;
  const counted = (version: Version): Version =>
    new Proxy(version, {
      get(target, name) {
        looks += 1;
        return Reflect.get(target, name);
      },
    });
  const versions = Array.from({ length: 20_000 }, (_, index) => {
    const revision = index + 1;
    const key = `/a/${String(index).padStart(5, '0')}`;
    return counted(new Version({ key, value: {}, revision, createdRevision: revision, deleted: false }));
  });
  const log = createLog(versions.length, versions);
  looks = 0;
  const page = log.list('/a/', { after: '/a/00099', limit: 100 });
  const after = 'items' in page ? (page.items.at(-1)?.key ?? '') : '';
  expect([after, log.count('/a/', { after })]).toEqual(['/a/00199', 19_800]);
  expect(looks).toBeLessThan(100 * 10);
});

describe('compaction', () => {
  test('keeps the state at its revision and forgets what was before', () => {
    const log = logOf('/a', '/b', '/a', '-/b', '/c');
    log.compact(4);
    expect(listed(log, '', 3)).toBe('expired 4');
    expect(listed(log, '', 4)).toBe('/a@3');
    expect(listed(log, '', 5)).toBe('/a@3 /c@5');
    expect(log.eventAt(5).stored.key).toBe('/c');
    expect(() => log.eventAt(4)).toThrow('in history');
  });

  test('a deletion right after the compacted revision is still seen', () => {
    const log = logOf('/a', '-/a');
    log.compact(1);
    expect(log.eventAt(2)).toMatchObject({ type: 'delete', key: '/a', previous: { revision: 1 } });
    expect(listed(log, '', 1)).toBe('/a@1');
  });

  test('lets go of what cannot be read any more', () => {
    const log = createLog(0);
    const first = append(log, '/a');
    const second = append(log, '/a');
    append(log, '/b', false);
    expect(second.older).toBe(first);
    log.compact(2);
    expect(second.older).toBeUndefined();
  });

  test('a key that was deleted and made again before the compacted revision stays', () => {
    const log = logOf('/a', '-/a', '/a', '/b');
    log.compact(3);
    expect(listed(log, '')).toBe('/a@3 /b@4');
    log.compact(2);
    expect(log.compactedRevision).toBe(3);
    log.compact(99);
    expect([log.compactedRevision, listed(log, '')]).toEqual([4, '/a@3 /b@4']);
  });

  test('keeps up with a key that is written all the time', () => {
    const log = createLog(0);
    for (let round = 0; round < 5000; round++) {
      append(log, '/lease');
      log.compact(log.revision - 1000);
    }
    let length = 0;
    for (let version = log.get('/lease'); version !== undefined; version = version.older) length += 1;
    expect(length).toBe(1001);
    expect(listed(log, '', 4000)).toBe('/lease@4000');
  });
});

test('loaded versions are the state at the revision, with no history', () => {
  const version = new Version({ key: '/a', value: {}, revision: 3, createdRevision: 2, deleted: false });
  const log = createLog(7, [version]);
  expect([log.revision, log.compactedRevision, listed(log, ''), listed(log, '', 6)]).toEqual([
    7,
    7,
    '/a@3',
    'expired 7',
  ]);
  expect(append(log, '/a')).toMatchObject({ revision: 8, createdRevision: 2 });
  expect(log.eventAt(8).previous).toBe(version);
  expect(() => createLog(2, [version])).toThrow('what is stored was written at a revision given out');
});

test('a list in which there was nothing shows what came since, also what came back', () => {
  const log = logOf('/a/1', '-/a/1');
  expect(listed(log, '/a/')).toBe('');
  expect(listed(log, '/b/')).toBe('');
  append(log, '/a/1');
  expect(listed(log, '/a/')).toBe('/a/1@3');
  append(log, '/b/1');
  expect([listed(log, '/b/'), listed(log, '/b/', 3)]).toEqual(['/b/1@4', '']);
  append(log, '/b/1', true);
  expect(listed(log, '/b/')).toBe('');
  expect(listed(log, '/b/', 4)).toBe('/b/1@4');
});

test('of any number of prefixes it is remembered well that there was nothing', () => {
  const log = createLog(0);
  const prefixes = Array.from({ length: 50 }, (_, index) => `/${index}/`);
  for (const prefix of prefixes) expect(listed(log, prefix)).toBe('');
  for (const prefix of prefixes) append(log, `${prefix}x`);
  for (const [index, prefix] of prefixes.entries()) expect(listed(log, prefix)).toBe(`${prefix}x@${index + 1}`);
});
