import { expect, test, vi } from 'vitest';

test('a process that has run nothing yet runs a seed as one that has', async () => {
  // Modules of their own, as those of a new process are.
  vi.resetModules();
  const { simulate } = await import('./simulate.ts');
  const first = await simulate({ seed: 'first', operations: 3 });
  const second = await simulate({ seed: 'first', operations: 3 });
  expect(second.hash).toBe(first.hash);
});
