/**
 * `npm run release -- 0.2.0`: collects `changes/` into CHANGELOG.md, says there whose pods the upgrade restarts, and sets the
 * version of all packages, and where the command line and what is deployed say it. `npm run release -- --restarts` only says the
 * former. Works on the folder that it is started in, as npm starts it in the root. Commits nothing.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from './arguments.ts';
import { type ChangeFile, collect, withDeployedVersion, withVersion, withVersionConstant } from './changes.ts';
import { lastRecords, recordsOf, writeRecords } from './restarts/files.ts';
import { notCompared, restartNotes } from './restarts/notes.ts';
import { compareWith } from './restarts/record.ts';

const root = process.cwd();
const folder = join(root, 'changes');
const deployed = ['deploy/chart/Chart.yaml', 'deploy/operator.yaml', 'deploy/adapter.yaml'];
const { positionals, values } = readArguments(
  { allowPositionals: true, options: { restarts: { type: 'boolean' } } },
  'npm run release -- VERSION | --restarts',
);

try {
  if (values.restarts === true) process.stdout.write(restarts() ?? notCompared);
  else release(positionals[0] ?? '');
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function release(version: string): void {
  const files: readonly ChangeFile[] = readdirSync(folder)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
  const changelog = join(root, 'CHANGELOG.md');
  const before = existsSync(changelog) ? readFileSync(changelog, 'utf8') : '';
  const date = new Date().toISOString().slice(0, 10);
  // All of it is made before any of it is written.
  const after = collect(before, {
    files,
    version,
    date,
    restarts: () => restarts() ?? (before === '' ? '' : notCompared),
  });
  const records = recordsOf(root);
  const versioned = [
    ...[...manifests(), 'package-lock.json'].map((path) => [path, withVersion(text(path), version)] as const),
    ...['packages/cli/src/io/version.ts'].map((path) => [path, withVersionConstant(text(path), version)] as const),
    ...deployed.map((path) => [path, withDeployedVersion(text(path), version)] as const),
  ];
  writeFileSync(changelog, after);
  for (const [path, next] of versioned) writeFileSync(join(root, path), next);
  for (const { name } of files) rmSync(join(folder, name));
  writeRecords(root, records);
  process.stdout.write(`${version}: ${files.length} changes; look at git diff, then commit and tag it v${version}\n`);
}

/** Undefined: the release before has left nothing to compare with. */
function restarts(): string | undefined {
  const records = lastRecords(root);
  return records && restartNotes(records.map(compareWith));
}

function manifests(): readonly string[] {
  const { workspaces } = JSON.parse(text('package.json')) as { readonly workspaces: readonly string[] };
  return workspaces.map((workspace) => `${workspace}/package.json`);
}

function text(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
