import { expect, test } from 'vitest';
import { createChooser } from './chooser.ts';

const one = { address: '10.64.0.2', port: 80 };
const two = { address: '10.64.0.3', port: 80 };

function world() {
  const now = { ms: 0, chance: 0 };
  const chooser = createChooser({ clock: { nowMs: () => now.ms }, chance: () => now.chance });
  return { now, chooser };
}

test('anybody gets any, the others come after it', () => {
  const { now, chooser } = world();
  chooser.update([one, two], undefined);
  expect(chooser.order('10.64.0.9')).toEqual([one, two]);
  now.chance = 0.5;
  chooser.took('10.64.0.9', one);
  expect(chooser.order('10.64.0.9')).toEqual([two, one]);
});

test('a client keeps its backend until it has been away too long', () => {
  const { now, chooser } = world();
  chooser.update([one, two], 10);
  chooser.took('10.64.0.9', two);
  expect(chooser.order('10.64.0.9')).toEqual([two, one]);
  expect(chooser.order('10.64.0.8')).toEqual([one, two]);
  now.ms = 9_000;
  chooser.took('10.64.0.9', two);
  now.ms = 18_000;
  expect(chooser.order('10.64.0.9')[0]).toBe(two);
  now.ms = 19_000;
  expect(chooser.order('10.64.0.9')[0]).toBe(one);
});

test('a backend that is gone is kept by nobody', () => {
  const { chooser } = world();
  chooser.update([one, two], 10);
  chooser.took('10.64.0.9', two);
  chooser.update([one], 10);
  expect(chooser.order('10.64.0.9')).toEqual([one]);
  chooser.update([{ ...one }, { ...two }], 10);
  expect(chooser.order('10.64.0.9')[0]).toEqual(two);
});
