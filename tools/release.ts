/** `npm run release -- 0.2.0`: collects `changes/` into CHANGELOG.md and sets the version of all packages. Commits nothing. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readArguments } from './arguments.ts';
import { type ChangeFile, collect, withVersion } from './changes.ts';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'changes');
const { positionals } = readArguments({ allowPositionals: true, options: {} }, 'npm run release -- VERSION');
const manifests = ['cluster', 'telemetry', 'node', 'cli'].map((name) => join(root, 'packages', name, 'package.json'));

try {
  const [version = ''] = positionals;
  const files: readonly ChangeFile[] = readdirSync(folder)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
  const changelog = join(root, 'CHANGELOG.md');
  const before = existsSync(changelog) ? readFileSync(changelog, 'utf8') : '';
  const date = new Date().toISOString().slice(0, 10);
  // All of it is made before any of it is written.
  const after = collect(before, { files, version, date });
  const versioned = [...manifests, join(root, 'package-lock.json')].map(
    (path) => [path, withVersion(readFileSync(path, 'utf8'), version)] as const,
  );
  writeFileSync(changelog, after);
  for (const [path, text] of versioned) writeFileSync(path, text);
  for (const { name } of files) rmSync(join(folder, name));
  process.stdout.write(`${version}: ${files.length} changes; look at git diff, then commit and tag it v${version}\n`);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
