import { expect, test } from 'vitest';
import { staleBackups } from './rotation.ts';

const names = [
  'audit-2026-01-01T00-00-00.000.log',
  'audit-2026-01-03T00-00-00.000.log',
  'audit-2026-01-02T00-00-00.000.log',
];
const others = ['audit.log', 'audit-old.log', 'other-2026-01-01T00-00-00.000.log', 'audit-2026-01-01T00-00-00.000.txt'];
const rotation = { stem: 'audit', end: '.log', nowMs: Date.UTC(2026, 0, 3, 12) };

test.each([
  [{}, []],
  [{ backupsMax: 1 }, [names[2], names[0]]],
  [{ ageMsMax: 2 * 86_400_000 }, [names[0]]],
  [{ backupsMax: 2, ageMsMax: 86_400_000 }, [names[2], names[0]]],
])('with %j these go: %j', (terms, stale) => {
  expect(staleBackups([...names, ...others], { ...rotation, ...terms })).toEqual(stale);
});
