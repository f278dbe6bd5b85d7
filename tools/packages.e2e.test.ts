/** What npm would publish, unpacked in a folder of its own beside nothing but what it declares. Needs `npm run build`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const packages = ['cluster', 'telemetry', 'cli'] as const;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly repository?: { readonly directory?: string };
  readonly keywords?: readonly string[];
  readonly exports?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

let folder = '';
const packed = new Map<string, readonly string[]>();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-packages-'));
  for (const name of packages) packed.set(name, unpack(name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Packs, unpacks into node_modules, links the declared dependencies beside it; returns the files. */
function unpack(name: string): readonly string[] {
  const source = join(root, 'packages', name);
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: source,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const answer = JSON.parse(output) as readonly Packed[] | Readonly<Record<string, Packed>>;
  const [tarball] = Object.values(answer);
  if (tarball === undefined) throw new Error(`npm pack printed no tarball: ${output}`);
  const manifest = manifestOf(name);
  const target = join(folder, 'node_modules', manifest.name);
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, tarball.filename), '-C', target, '--strip-components=1']);
  for (const dependency of Object.keys(manifest.dependencies ?? {})) link(dependency);
  return tarball.files.map(({ path }) => path);
}

function link(dependency: string): void {
  const target = join(folder, 'node_modules', dependency);
  if (dependency.startsWith('@signalbox/') || existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(root, 'node_modules', dependency), target);
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}

const story = `
  const cluster = await createTestCluster({ nodes: 1 });
  await cluster.advance(60_000);
  const { items } = await cluster.client.list(nodes);
  console.log(items.map(({ metadata }) => metadata.name).join());
  await cluster.close();
`;

describe.each(packages)('the package of %s', (name) => {
  test('says what it is, under which terms and where it comes from', () => {
    const manifest = manifestOf(name);
    expect(manifest).toMatchObject({
      license: 'Apache-2.0',
      homepage: expect.stringMatching(/^https:/) as string,
      repository: { directory: `packages/${name}` },
    });
    expect(manifest.keywords?.length).toBeGreaterThan(3);
    expect(packed.get(name)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
  });

  test('holds what its entry points reach, and no tests, sources or build information', () => {
    const strays = (packed.get(name) ?? []).filter(
      (path) => /\.test\.|\.e2e\.|tsbuildinfo|conformance|fake|testdata|golden/.test(path) || path.startsWith('src/'),
    );
    expect(strays).toEqual([]);
  });

  test('has every file that its exports name', () => {
    const targets = Object.values(manifestOf(name).exports ?? {}).flatMap(
      ({ 'signalbox-source': _source, ...conditions }) => JSON.stringify(conditions).match(/\.\/[^"]+/g) ?? [],
    );
    expect(targets.filter((path) => !(packed.get(name) ?? []).includes(path.slice(2)))).toEqual([]);
  });
});

describe('unpacked, beside nothing but what it declares', () => {
  const run = (file: string, text: string): string => {
    writeFileSync(join(folder, file), text);
    return execFileSync('node', [file], { cwd: folder, encoding: 'utf8' });
  };

  test('the library is imported', () => {
    const imports = `import { createTestCluster } from '@signalbox/cluster/testing';
      import { nodes } from '@signalbox/cluster';
      import '@signalbox/telemetry';`;
    expect(run('story.mjs', `${imports}${story}`)).toBe('node-1\n');
  });

  test('the library is required, as by Jest', () => {
    const requires = `const { createTestCluster } = require('@signalbox/cluster/testing');
      const { nodes } = require('@signalbox/cluster');
      require('@signalbox/telemetry');`;
    expect(run('story.cjs', `${requires}(async () => {${story}})();`)).toBe('node-1\n');
  });

  test.each(['story.mts', 'story.cts'])('its types serve %s', (file) => {
    const text = `import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
      import { nodes, resourceType, type KubeObject } from '@signalbox/cluster';
      import { createTelemetryOperator } from '@signalbox/telemetry';
      interface Widget extends KubeObject { readonly spec: { readonly size: number } }
      const widgets = resourceType<Widget>({ group: 'a.io', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true });
      export async function sizes(cluster: TestCluster): Promise<readonly number[]> {
        await cluster.client.list(nodes);
        return (await cluster.client.list(widgets)).items.map(({ spec }) => spec.size);
      }
      export const made: Promise<TestCluster> = createTestCluster({ nodes: 1 });
      export { createTelemetryOperator };\n`;
    writeFileSync(join(folder, file), text);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck', 'false'];
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
    const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
    expect(execFileSync('node', [tsc, ...options, ...types, file], { cwd: folder, encoding: 'utf8' })).toBe('');
  });

  test('the command line brings the process inside a real node, which asks for its settings', () => {
    const inside = join(folder, 'node_modules/signalbox/dist/bundle/inside.js');
    // Outside of namespaces of its own it must do nothing.
    const { status, stderr } = spawnSync('node', [inside], { cwd: folder, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).not.toMatch(/Cannot find (module|package)/);
  });

  test('the command line runs and carries the licences of what is bundled in it', () => {
    const cli = join(folder, 'node_modules/signalbox');
    const up = ['up', '--memory', '--port', '0', '--nodes', '1', '--exit-when-ready'];
    const output = execFileSync(join(cli, 'bin/signalbox'), up, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    expect(output).not.toContain('error');
    expect(readFileSync(join(cli, 'dist/THIRD-PARTY-NOTICES'), 'utf8')).toContain('commander');
    expect(Object.keys(manifestOf('cli').dependencies ?? {})).not.toContain('@signalbox/cluster');
  });
});
