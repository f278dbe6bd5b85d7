/** A release of what is committed here, in a repository that is thrown away. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordFolder } from './restarts/files.ts';

const source = join(import.meta.dirname, '..');
const script = join(import.meta.dirname, 'release.ts');
const loader = import.meta.resolve('tsx');
const examples = ['packages/telemetry/src/testdata', 'examples/quickstart'];
const deployed = ['deploy/chart/Chart.yaml', 'deploy/operator.yaml', 'deploy/adapter.yaml'];
let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'signalbox-release-'));
  for (const path of [...tracked(), 'package.json', 'packages/cluster/README.md', ...examples])
    cpSync(join(source, path), join(root, path), { recursive: true });
  for (const name of waiting()) rmSync(join(root, 'changes', name));
  writeFileSync(join(root, 'changes/001-a-thing.md'), 'added\n\nA thing.\n');
  writeFileSync(join(root, 'changes/002-a-bug.md'), 'fixed\n\nA bug.\n');
  git('init', '--quiet');
  commit('before');
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a release says its version everywhere, tells the changes once, and touches nothing else', () => {
  const { status, stdout, stderr } = release('7.8.9');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toBe('7.8.9: 2 changes; look at git diff, then commit and tag it v7.8.9\n');
  expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toMatch(
    /^# Changes\n\n## 7\.8\.9 \(\d{4}-\d\d-\d\d\)\n\n### Added\n\n- A thing\.\n\n### Fixed\n\n- A bug\.\n$/,
  );
  const touched = ['CHANGELOG.md', 'changes/001-a-thing.md', 'changes/002-a-bug.md', ...versioned()].sort();
  expect(changed().filter((path) => !path.startsWith(recordFolder))).toEqual(touched);
  expect(changed()).toEqual(
    expect.arrayContaining(['quickstart.yaml', 'slots.yaml'].map((name) => `${recordFolder}/${name}`)),
  );
  for (const path of versioned()) expect([path, ownVersions(path)]).toEqual([path, ['7.8.9']]);
});

test('nothing is touched by a release that is refused', () => {
  commit('7.8.9');
  expect(refusal('7.9.0')).toBe('error: there is nothing to release: changes/ has no file\n');
  writeFileSync(join(root, 'changes/003-more.md'), 'changed\n\nMore.\n');
  expect(refusal('7.8.9')).toBe('error: CHANGELOG.md has a section 7.8.9: give the next one\n');
  expect(refusal('v8')).toContain('"v8" is no version');
  expect(refusal()).toContain('is no version');
  expect(changed()).toEqual(['changes/003-more.md']);
});

test('the next release goes on top of it, and restarts nothing', () => {
  expect(release('8.0.0')).toMatchObject({ status: 0, stderr: '' });
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  expect(changelog.match(/^## \S+/gm)).toEqual(['## 8.0.0', '## 7.8.9']);
  expect(changelog).toContain(')\n\n### Restarts\n\nNo pod restarts by this upgrade.\n\n### Changed\n');
});

test('a release that makes other pods than the one before says whose, and from what', () => {
  const quickstart = join(root, recordFolder, 'quickstart.yaml');
  const before = readFileSync(quickstart, 'utf8');
  writeFileSync(quickstart, before.replaceAll('reloader:v0.67.1', 'reloader:v0.1'));
  const { status, stdout } = release('--restarts');
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /- GrafanaAgent, DaemonSet: restarts, one pod after the other \(1 of \d+ in the examples\)\n {2}- `spec.template.spec.containers\[config-reloader\].image`: `\S+reloader:v0.1` → `\S+reloader:v0.67.1`\n/,
  );
  // What there was is compared, and not what the examples have become.
  writeFileSync(quickstart, before);
  rmSync(join(root, 'examples/quickstart/30-grafana-agent.yaml'));
  expect(release('--restarts').stdout).toBe('### Restarts\n\nNo pod restarts by this upgrade.\n');
});

test('without what the release before left it is not known, and that is said', () => {
  rmSync(join(root, recordFolder), { recursive: true });
  writeFileSync(join(root, 'changes/004-last.md'), 'fixed\n\nLast.\n');
  expect(release('8.0.1')).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toMatch(
    /^# Changes\n\n## 8.0.1 .*\n\n### Restarts\n\nNot known/,
  );
});

function release(...args: readonly string[]): SpawnSyncReturns<string> {
  const argv = ['--conditions=signalbox-source', '--import', loader, script, ...args];
  return spawnSync(process.execPath, argv, { cwd: root, encoding: 'utf8', timeout: 60_000 });
}

function refusal(...args: readonly string[]): string {
  const { status, stderr } = release(...args);
  expect(status).toBe(1);
  return stderr;
}

function versioned(): readonly string[] {
  const { workspaces } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    readonly workspaces: readonly string[];
  };
  const manifests = workspaces.map((workspace) => `${workspace}/package.json`);
  return [...manifests, 'package-lock.json', 'packages/cli/src/io/version.ts', ...deployed];
}

function tracked(): readonly string[] {
  return [...versioned(), 'changes'];
}

function waiting(): readonly string[] {
  return readdirSync(join(root, 'changes')).filter((name) => name !== 'README.md');
}

/** The versions that a file says of our own packages. */
function ownVersions(path: string): readonly string[] {
  const text = readFileSync(join(root, path), 'utf8');
  if (path.endsWith('.yaml'))
    return [
      ...new Set(
        Array.from(
          text.matchAll(/(?:^(?:version|appVersion): "|image: "signalbox:)([^"]+)"/gm),
          ([, said = '']) => said,
        ),
      ),
    ];
  if (path.endsWith('.ts')) return [/^export const version = '(.*)';$/m.exec(text)?.[1] ?? ''];
  const found = JSON.parse(text) as Manifest & { readonly packages?: Readonly<Record<string, Manifest>> };
  const own = found.packages === undefined ? [found] : ownOf(found.packages);
  return [...new Set(own.flatMap(saidBy))];
}

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function ownOf(packages: Readonly<Record<string, Manifest>>): readonly Manifest[] {
  return Object.entries(packages).flatMap(([path, manifest]) => (/^packages\/[^/]+$/.test(path) ? [manifest] : []));
}

function saidBy({ version = '', dependencies = {} }: Manifest): readonly string[] {
  const needed = Object.entries(dependencies).filter(([name]) => name.startsWith('@signalbox/'));
  return [version, ...needed.map(([, at]) => at)];
}

function git(...args: readonly string[]): string {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'core.hooksPath=/dev/null'];
  const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

function commit(message: string): void {
  git('add', '--all');
  git('commit', '--quiet', '--message', message);
}

function changed(): readonly string[] {
  const lines = git('status', '--porcelain', '--untracked-files=all').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => line.slice(3))
    .sort();
}
