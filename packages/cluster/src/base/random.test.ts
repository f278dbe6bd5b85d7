import { expect, inject, test } from 'vitest';
import { fnv1a, randomUuid, seededRandom, systemRandom } from './random.ts';

test('one seed gives one sequence, and parts of their own', () => {
  const ids = (): readonly string[] => {
    const random = seededRandom('seed');
    return [randomUuid(random), randomUuid(random.fork('a')), randomUuid(random.fork('b'))];
  };
  expect(ids()).toEqual(ids());
  expect(new Set(ids()).size).toBe(3);
});

// The first three as its authors give them.
test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
  ['grün 🚦!', 1_014_655_867],
])('the hash of %j is of its bytes, and goes on from what stood before', (text, hash) => {
  expect(fnv1a(text)).toBe(hash);
  for (let at = 0; at < 3; at++) expect(fnv1a(text.slice(at), fnv1a(text.slice(0, at)))).toBe(hash);
});

// With 32 bits, two of 200,000 would nearly always draw the same; the simulation's tests take as many.
test('more than 32 bits stand behind each process: of thousands no two draw the same', () => {
  const processes = 20_000 * inject('thoroughness');
  const drawn = new Set<string>();
  for (let process = 0; process < processes; process++) {
    const random = systemRandom();
    drawn.add(`${random.next()} ${random.next()}`);
  }
  expect(drawn.size).toBe(processes);
});
