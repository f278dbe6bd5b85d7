import { expect, test } from 'vitest';
import type { LabelSelector } from '../meta.ts';
import { goSelectorText } from './go-text.ts';

test.each<readonly [LabelSelector | undefined, string]>([
  [undefined, 'nil'],
  [{}, '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}'],
  [
    { matchLabels: { tier: 'b', app: 'a' }, matchExpressions: [{ key: 'x', operator: 'In', values: ['1', '2'] }] },
    '&LabelSelector{MatchLabels:map[string]string{app: a,tier: b,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:x,Operator:In,Values:[1 2],},},}',
  ],
])('%j is spelled as in the messages of upstream', (selector, text) => {
  expect(goSelectorText(selector)).toBe(text);
});
