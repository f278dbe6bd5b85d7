import { expect, test } from 'vitest';
import { makersOf } from './hidden-classes.ts';

const program = ['// a.ts', 'const a = { ...found, more };', '// b/c.ts', 'one();', '  two();'];
const made = (line: number): string => `map,Transition,399666,0x02ff,0x06ae,0x06a1,${line},3,,name`;

test('lines that make many classes are told with their module, most first', () => {
  const log = [
    made(2),
    'map,Normalize,1,0x1,0x2,0x3,4,1,,x',
    made(5),
    made(5),
    'heap-capacity,1',
    made(4),
    made(2),
    made(5),
  ];
  expect(makersOf(log, { program, least: 2 })).toEqual([
    { at: 'b/c.ts: two();', times: 3 },
    { at: 'a.ts: const a = { ...found, more };', times: 2 },
  ]);
});
