import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';

/** What a file loads with itself: neither types nor what is imported when it is needed. */
function loaded(file: string, seen = new Set<string>()): ReadonlySet<string> {
  for (const [, what = '', from = ''] of readFileSync(file, 'utf8').matchAll(/^import (.*?)from '([^']+)';$/gms)) {
    if (what.startsWith('type ')) continue;
    const target = from.startsWith('.') ? resolve(dirname(file), from) : from;
    if (seen.has(target)) continue;
    seen.add(target);
    if (from.startsWith('.')) loaded(target, seen);
  }
  return seen;
}

test('the reloader loads neither the cluster nor the command line: there is one beside every agent', () => {
  const all = [...loaded(resolve(import.meta.dirname, 'reloader-process.ts'))];
  expect(all).toContain(resolve(import.meta.dirname, 'reloader/reloader.ts'));
  expect(all.filter((each) => !each.startsWith('/') && !each.startsWith('node:'))).toEqual(['@signalbox/cluster/base']);
});
