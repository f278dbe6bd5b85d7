import { expect, test } from 'vitest';
import type { Detail } from './detail.ts';
import { guarded } from './guarded.ts';
import type { NodeView } from './node-view.ts';
import type { PodView } from './pod-view.ts';

test.each<[string, unknown, string]>([
  ['words', 'no room', 'not no room'],
  ['a promise', Promise.resolve([]), 'not a promise'],
  ['a mend that is none', [{ text: 'no room', mend: 5 }], 'not '],
])('details that are none are a fault of their plugin: %s', (_, told, words) => {
  const plugin = guarded({ name: 'Own', wakesOn: [], details: () => told as readonly Detail[] });
  const ask = (): unknown => plugin.details?.({} as PodView, {} as NodeView, undefined);
  expect(ask).toThrow('running Filter plugin "Own": details must give a list of { text, mend }');
  expect(ask).toThrow(words);
});
