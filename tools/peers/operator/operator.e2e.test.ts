/**
 * An operator in Go, as kubebuilder lays them out, tests itself on `signalbox test-assets`: its own kind with rules, its cache,
 * webhooks, leader election. Its sources lie beside this as texts. It runs where Go is and the modules of controller-runtime
 * are in Go's cache; nothing is downloaded unless `SIGNALBOX_GO_DOWNLOADS` is set.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandLine } from '../../../packages/cli/src/testing/process.ts';
import { builtPeer } from '../built.ts';

const sources = join(import.meta.dirname, 'greeter');
const downloads = (process.env['SIGNALBOX_GO_DOWNLOADS'] ?? '') !== '';
/** Packages of controller-runtime whose own suites run besides: `SIGNALBOX_GO_SUITES=pkg/client,pkg/cache`. */
const suites = (process.env['SIGNALBOX_GO_SUITES'] ?? '').split(',').filter((name) => name !== '');
/** A first run compiles all of client-go. */
const compileMsMax = 600_000;

const environment = {
  ...process.env,
  // Lists of versions are completed from what is there; a workspace of somebody's own, or another toolchain, has no say.
  ...{ GOFLAGS: '-mod=mod', GOWORK: 'off', GOTOOLCHAIN: 'local' },
  ...(!downloads && { GOPROXY: 'off', GOSUMDB: 'off' }),
};

const folder = mkdtempSync(join(tmpdir(), 'signalbox-greeter-'));
for (const name of readdirSync(sources)) cpSync(join(sources, name), join(folder, basename(name, '.txt')));

function runGo(argv: readonly string[]): ReturnType<typeof spawnSync> & { readonly stdout: string | Buffer } {
  return spawnSync('go', argv, { cwd: folder, env: environment, encoding: 'utf8' });
}

function lackOfGo(): string | undefined {
  if (runGo(['version']).error !== undefined) return 'there is no Go here';
  if (runGo(['list', '-deps', '-test', '.']).status === 0) return undefined;
  return 'the modules of controller-runtime 0.22.4 are not in Go’s cache: SIGNALBOX_GO_DOWNLOADS=1 has them fetched';
}

const lack = lackOfGo();
let assets = '';
beforeAll(() => {
  if (lack !== undefined) return;
  const [program = '', ...argv] = commandLine(['test-assets', '--folder', join(folder, 'assets')]);
  const { stdout, stderr, status } = spawnSync(program, argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  assets = stdout.trim();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Tested {
  readonly code: number | null;
  readonly said: string;
}

/** Compiled once and run for a minute: a compiler that does not optimize takes a third less time for all of client-go. */
const unoptimized = ['-vet=off', '-gcflags=all=-N -l', '-ldflags=-s -w'];

function goTest(
  argv: readonly string[],
  { cwd, programs }: { readonly cwd: string; readonly programs: string },
): Promise<Tested> {
  return new Promise((resolve, reject) => {
    const child = spawn('go', ['test', '-count=1', '-v', ...unoptimized, ...argv], {
      ...{ cwd, env: { ...environment, KUBEBUILDER_ASSETS: programs } },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        said += data.toString();
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, said }));
  });
}

/** What its tests say of themselves, or all that was said where one of them failed. */
function verdicts({ code, said }: Tested): readonly string[] {
  const passed = [...said.matchAll(/^ *--- PASS: (\S+)/gm)].map(([, name = '']) => name);
  return code === 0 ? passed.sort() : [said];
}

const stories = ['', '/apply', '/index', '/life', '/rules', '/users', '/webhooks', '/wire'].map(
  (name) => `TestOperator${name}`,
);

describe.skipIf(lack !== undefined)(`an operator in Go${lack === undefined ? '' : ` (${lack})`}`, () => {
  test(
    'finds in test-assets what it needs of an API server',
    async () => {
      expect(verdicts(await goTest(['.'], { cwd: folder, programs: assets }))).toEqual(stories);
    },
    compileMsMax,
  );

  const upstream = ['etcd', 'kube-apiserver'].map((name) => [name, builtPeer(name, process.env)] as const);
  const isBuilt = upstream.every(([, path]) => path !== undefined);
  test.skipIf(!isBuilt)(
    `finds the same in upstream's${isBuilt ? '' : ' (not built: npm run peers -- etcd kube-apiserver)'}`,
    async () => {
      const programs = join(folder, 'upstream');
      mkdirSync(programs);
      for (const [name, path = ''] of upstream) symlinkSync(path, join(programs, name));
      expect(verdicts(await goTest(['.'], { cwd: folder, programs }))).toEqual(stories);
    },
    compileMsMax,
  );

  test.each(suites)(
    'controller-runtime’s own suite %s passes',
    async (name) => {
      const copy = join(folder, 'controller-runtime');
      const from = String(runGo(['list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/controller-runtime']).stdout).trim();
      // Go keeps its modules where nobody may write.
      spawnSync('sh', ['-c', 'cp -R "$1/." "$2" && chmod -R u+w "$2"', 'sh', from, copy]);
      const { code, said } = await goTest([`./${name}`], { cwd: copy, programs: assets });
      expect(code === 0 ? '' : said).toBe('');
      expect(said).toMatch(/Ran [1-9]\d* of /);
    },
    compileMsMax,
  );
});
