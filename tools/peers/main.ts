/**
 * Builds upstream programs into the user's cache, once per version, and prints their paths: `npm run --silent peers [-- NAME…]`.
 * Needs Go and its module proxy, as its own environment names it. What it does is told on standard error.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readArguments } from '../arguments.ts';
import { formatAround, type Lists } from './around.ts';
import {
  buildStep,
  fetchStep,
  lackOf,
  listsStep,
  type Peer,
  peerPath,
  peers,
  peersFolder,
  type Step,
} from './peers.ts';

const usage = 'npm run --silent peers [-- NAME…]';
const { positionals } = readArguments({ allowPositionals: true }, usage);

try {
  const names = peers.map(({ name }) => name);
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no peer "${unknown}": there are ${names.join(', ')}`);
  const chosen = peers.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  for (const peer of chosen) process.stdout.write(`${built(peer, peersFolder(process.env))}\n`);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** The path of the program, which is made where there is none. */
function built(peer: Peer, folder: string): string {
  const path = peerPath(peer, folder);
  if (existsSync(path)) return path;
  const asked = go(['go', 'version'], { cwd: '/' });
  const lack = lackOf(peer, asked.error === undefined ? asked.stdout : undefined);
  if (lack !== undefined) throw new Error(lack);
  mkdirSync(dirname(path), { recursive: true });
  const fetched = JSON.parse(done(fetchStep(peer, folder))) as Fetched;
  const target = `${path}.${process.pid}`;
  const source = peer.around === undefined ? fetched.Dir : moduleAround(peer, { fetched, folder: dirname(path) });
  done(buildStep(peer, { source, target }));
  renameSync(target, path);
  return path;
}

/** What `go mod download -json` tells. */
interface Fetched {
  readonly Dir: string;
  /** The path of its go.mod. */
  readonly GoMod: string;
}

/** The folder of the module around it, which Go completes when it builds. */
function moduleAround(peer: Peer, { fetched, folder }: { readonly fetched: Fetched; readonly folder: string }): string {
  const lists = JSON.parse(done(listsStep(peer, fetched.GoMod))) as Lists;
  writeFileSync(join(folder, 'go.mod'), formatAround(peer, lists));
  return folder;
}

function done({ says, argv, cwd, env = {} }: Step): string {
  process.stderr.write(`${says}\n`);
  const { status, stdout, error } = go(argv, { cwd, env });
  if (status === 0) return stdout;
  // What `go mod download -json` could not do stands in its answer.
  throw new Error(`\`${argv.join(' ')}\` failed in ${cwd}: ${error?.message ?? (stdout.trim() || 'see above')}`);
}

function go(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env = {} }: Pick<Step, 'cwd' | 'env'>,
): SpawnSyncReturns<string> {
  return spawnSync(program, args, {
    cwd,
    // A workspace of somebody's own has no say in it.
    env: { ...process.env, GOWORK: 'off', ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    // The lists of a large module.
    maxBuffer: 64 * 2 ** 20,
  });
}
