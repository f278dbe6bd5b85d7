import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgedSource } from './judged.ts';

const server = readFileSync(join(import.meta.dirname, '../packages/cluster/src/server/server.ts'), 'utf8');

test('a judge stands beside whoever decides, in the server as it is', () => {
  const source = judgedSource(server);
  expect(source).toContain('authorizer: judged(options.authorizer ?? rbac, options.identities ?? []),');
  expect(source.split('\n').length).toBe(server.split('\n').length + 1);
});

test('a server that decides otherwise is no server without a judge', () => {
  expect(() => judgedSource(server.replace('?? rbac', '?? other'))).toThrow('no longer says once');
});
