import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the README shows a test that runs', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const shown = /```ts\n(.*?)```/s.exec(readme)?.[1];
  expect(shown).toBe(readFileSync(join(import.meta.dirname, 'first.test.ts'), 'utf8'));
});
