import { expect, test } from 'vitest';
import { senderOf } from './agent.ts';

const user = { name: 'ada', groups: [] };

test.each<[string, string | undefined, string | undefined]>([
  ['a program with a version', 'kubectl/v1.34.2 (linux/amd64) kubernetes/f5d35a2', 'kubectl'],
  ['a name alone', 'curl', 'curl'],
  ['no name', undefined, undefined],
  ['nothing before the slash', '/1', undefined],
  ['what cannot be printed', 'a\u0007b\u200bc/1', 'abc'],
  ['more than a field manager may be long', `${'x'.repeat(200)}/1`, 'x'.repeat(128)],
])('%s', (_, header, agent) => {
  const headers = header === undefined ? {} : { 'user-agent': header };
  expect(senderOf({ method: 'PUT', target: '/', headers }, user)).toEqual(
    agent === undefined ? { user } : { user, agent },
  );
});
