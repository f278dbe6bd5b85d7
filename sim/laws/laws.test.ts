import { expect, test } from 'vitest';
import { live } from './history.ts';
import { judge } from './judge.ts';

/** `npm run sim` has a thousand. */
const tens = [0, 10, 20, 30, 40, 50];

test.each(tens)('what is told holds together, whatever loses its power: ten histories from %i on', async (from) => {
  for (let seed = from + 1; seed <= from + 10; seed++) {
    const { recording } = await live(`${seed}`);
    expect({ seed, findings: judge(recording) }).toEqual({ seed, findings: [] });
  }
});

test('one seed, one history', async () => {
  const [first, second] = [await live('same'), await live('same')];
  expect(second).toEqual(first);
});
