import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPrograms } from './programs.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-')));
  mkdirSync(join(folder, 'bin'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, text: string): string {
  const file = join(folder, 'bin', name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

const programs = (path = `relative:${folder}/none:${folder}/bin`) =>
  createPrograms({ path, reloader: { argv: ['/usr/bin/node', 'x'], path: '/usr/bin/node', paths: [] } });

test('programs are found on PATH or where they are said to be, with what they need of the machine', async () => {
  const file = program('agent', 'ELF');
  symlinkSync(file, join(folder, 'bin/other'));
  program('script', '#!/opt/none/python -x\n');
  expect(await programs().findProgram('agent')).toEqual({ argv: [file], path: file, paths: [file] });
  expect(await programs('').findProgram(file)).toEqual({ argv: [file], path: file, paths: [file] });
  const link = join(folder, 'bin/other');
  expect(await programs().findProgram('other')).toEqual({ argv: [link], path: file, paths: [link, file] });
  expect((await programs().findProgram('script'))?.paths).toContain('/opt/none/python');
  expect((await programs('/usr/bin:/bin').findProgram('sh'))?.paths).toEqual([]);
});

test('what cannot be started is not there', async () => {
  chmodSync(program('plain', 'text'), 0o644);
  mkdirSync(join(folder, 'bin/folder'));
  expect(await programs().findProgram('folder')).toBeUndefined();
  expect(await programs().findProgram('nobody')).toBeUndefined();
  expect(await programs().findProgram('n'.repeat(300))).toBeUndefined();
  expect((await programs().findProgram('signalbox reloader'))?.argv).toEqual(['/usr/bin/node', 'x']);
});

test('a program is asked for what it can do, anew when it has changed', async () => {
  const filler = 'x'.repeat((1 << 20) - 10);
  const mark = (name: string): string => `${filler}github.com/prometheus/prometheus/discovery/${name}`;
  const file = program('prometheus', mark('targetgroup'));
  const known = programs();
  const found = { argv: [file] as const, path: file, paths: [] };
  expect(await known.lacking(found)).toEqual(['kubernetes discovery']);
  program('prometheus', mark('targetgroup') + mark('kubernetes'));
  expect(await known.lacking(found)).toEqual([]);
  const other = program('vmagent', 'whatever');
  expect(await known.lacking({ ...found, path: other })).toEqual([]);
});
