import { describe, expect, test } from 'vitest';
import { attacks } from './attacks.ts';

/** The long ones are for `npm run sim -- --attack --long`; these take seconds each. */
describe('strangers find nothing', () => {
  test.each(attacks)('$name: $summary', async (attack) => {
    const { signal } = new AbortController();
    const { cases, findings } = await attack.run({ seed: 1, effort: 'short', signal, log: () => undefined });
    expect(findings).toEqual([]);
    expect(cases).toBeGreaterThan(0);
  });

  test('every attack has a name of its own', () => {
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
  });
});
