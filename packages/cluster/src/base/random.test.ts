import { expect, test } from 'vitest';
import { randomUuid, seededRandom, systemRandom } from './random.ts';

test('one seed gives one sequence, and parts of their own', () => {
  const ids = (): readonly string[] => {
    const random = seededRandom('seed');
    return [randomUuid(random), randomUuid(random.fork('a')), randomUuid(random.fork('b'))];
  };
  expect(ids()).toEqual(ids());
  expect(new Set(ids()).size).toBe(3);
});

test('more than 32 bits stand behind each process: of 200,000 no two draw the same', () => {
  const drawn = new Set<string>();
  for (let process = 0; process < 200_000; process++) {
    const random = systemRandom();
    drawn.add(`${random.next()} ${random.next()}`);
  }
  expect(drawn.size).toBe(200_000);
});
