import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeyIndex, type Keyed, type KeyIndex } from './key-index.ts';

function keysFrom(index: KeyIndex<Keyed>, start: string): readonly string[] {
  const keys: string[] = [];
  index.scan(start, ({ key }) => keys.push(key) > 0);
  return keys;
}

const key = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 5 });

test('any inserts and removals leave the keys sorted, each once', () => {
  const steps = fc.array(fc.record({ key, keep: fc.boolean() }), { maxLength: 200 });
  fc.assert(
    fc.property(steps, key, fc.integer({ min: 2, max: 5 }), (history, start, chunkMax) => {
      const index = createKeyIndex<Keyed>({ chunkMax });
      const model = new Set<string>();
      for (const step of history) {
        if (step.keep && !model.has(step.key)) index.insert({ key: step.key });
        if (step.keep) model.add(step.key);
        if (!step.keep) index.remove(step.key);
        if (!step.keep) model.delete(step.key);
      }
      const sorted = [...model].sort();
      expect(index.size).toBe(model.size);
      expect(keysFrom(index, '')).toEqual(sorted);
      expect(keysFrom(index, start)).toEqual(sorted.filter((one) => one >= start));
      expect(index.rank(start)).toBe(sorted.filter((one) => one < start).length);
    }),
  );
});

test('a scan stops when told to', () => {
  const index = createKeyIndex<Keyed>({ chunkMax: 2 });
  for (const one of ['a', 'b', 'c', 'd', 'e']) index.insert({ key: one });
  const seen: string[] = [];
  index.scan('b', (item) => {
    seen.push(item.key);
    return item.key !== 'd';
  });
  expect(seen).toEqual(['b', 'c', 'd']);
});

test('a scan reads nothing outside its range', () => {
  const index = createKeyIndex<Keyed>();
  let reads = 0;
  const counted = (name: string): Keyed => ({
    get key() {
      reads += 1;
      return name;
    },
  });
  for (let number = 0; number < 50_000; number++) index.insert(counted(`/${number % 10}/${number}`));
  reads = 0;
  let seen = 0;
  index.scan('/5/', (item) => {
    seen += 1;
    return item.key.startsWith('/5/');
  });
  expect(seen).toBe(5001);
  // One read per item, and the binary searches.
  expect(reads).toBeLessThan(5001 + 100);
});
