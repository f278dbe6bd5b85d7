import { expect, test } from 'vitest';
import { leftAtOnce } from './real-node.ts';

test.each([
  ['.signalbox', '"signalbox down" ends'],
  ['my data', `"signalbox down --data 'my data'" ends`],
])('who does not wait is told how to end what is left of %s', (data, expected) => {
  expect(leftAtOnce({ name: 'box' }, { data })).toContain(expected);
});
