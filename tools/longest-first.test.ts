import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TestSpecification } from 'vitest/node';
import { byWait, longest } from './longest-first.ts';

test('what waits longest begins first, and the others stay in their order', () => {
  const files = ['a.test.ts', longest[2], 'b.test.ts', longest[0]].map(
    (path) => ({ moduleId: `/somewhere/${path}` }) as TestSpecification,
  );
  expect(byWait(files).map(({ moduleId }) => moduleId.replace('/somewhere/', ''))).toEqual([
    longest[0],
    longest[2],
    'a.test.ts',
    'b.test.ts',
  ]);
});

test.each(longest)('%s is there', (path) => {
  expect(existsSync(join(import.meta.dirname, '..', path))).toBe(true);
});
