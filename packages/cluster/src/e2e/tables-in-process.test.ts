import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtinDefinitions } from '../resources/builtin.ts';
import { createTestServer } from '../testing/api-server.ts';
import { createWire } from '../testing/wire.ts';
import type { AskOptions } from './served-cluster.ts';
import { type Judged, playTables } from './tables/play.ts';

/** The same requests, by their bytes, without a socket. */
async function openInProcess(): Promise<Judged> {
  const { server } = await createTestServer({ definitions: builtinDefinitions });
  const wire = createWire(server);
  return {
    hasListener: false,
    problems: [],
    close: () => server.close(),
    async ask(path, options: AskOptions = {}) {
      const { method = 'GET', headers = {}, body, anonymous = false } = options;
      const { accept } = headers;
      const contentType = headers['content-type'] ?? (body === undefined ? undefined : 'application/json');
      const {
        code,
        headers: said,
        text,
        json,
      } = await wire(method, path, {
        ...(body !== undefined && { body }),
        ...(accept !== undefined && { accept }),
        ...(contentType !== undefined && { contentType }),
        ...(anonymous && { who: { is: 'anonymous' } }),
      });
      return { code, headers: said, text, body: json as Readonly<Record<string, unknown>> | undefined };
    },
  };
}

describe('in process', () => {
  playTables(openInProcess);
});

test('every file with rows stands in the list that both play', () => {
  const folder = join(import.meta.dirname, 'tables');
  const listed = readFileSync(join(folder, 'tables.ts'), 'utf8');
  const withRows = readdirSync(folder).filter((file) =>
    /^export const \w+: readonly Row\[\]/m.test(readFileSync(join(folder, file), 'utf8')),
  );
  expect(withRows.length).toBeGreaterThan(7);
  expect(withRows.filter((file) => !listed.includes(`from './${file}'`))).toEqual([]);
});
