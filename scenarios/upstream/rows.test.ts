/** No row of upstream's tables is left out, and none is played twice. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rows } from './rows.ts';

const played = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8');
    return [...text.matchAll(/^row\(\s*'([\d.]+)'/gm)].map(([, number]) => number);
  });

test('every row is played once', () => {
  expect(new Set(played)).toEqual(new Set(Object.keys(rows)));
  expect(played).toHaveLength(Object.keys(rows).length);
});
