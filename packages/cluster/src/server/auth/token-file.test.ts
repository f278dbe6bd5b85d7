import { expect, test } from 'vitest';
import { parseTokenFile } from './token-file.ts';

test('a line is a token, its user, and what they are', () => {
  expect(parseTokenFile('# who\nabc,jane,7,"dev,ops"\r\n\ndef, joe ,\nghi,"a ""b""",3,solo,more\n')).toEqual([
    { token: 'abc', user: { name: 'jane', uid: '7', groups: ['dev', 'ops'] } },
    { token: 'def', user: { name: 'joe', groups: [] } },
    { token: 'ghi', user: { name: 'a "b"', uid: '3', groups: ['solo'] } },
  ]);
});

test.each([
  ['abc,jane', 'line 1: must have at least 3 columns (token, user name, user uid), found 2'],
  ['a,b,c\n,jane,7', 'line 2: the token is empty'],
  ['abc,,7', 'line 1: the user name is empty'],
])('what is wrong is told without what stands there: %j', (text, message) => {
  expect(() => parseTokenFile(text)).toThrow(new Error(message));
});
