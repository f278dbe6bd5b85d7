/**
 * Builds upstream programs into the user's cache, once per version, and prints their paths: `npm run --silent peers [-- NAME…]`.
 * Needs Go and its module proxy, as its own environment names it. What it does is told on standard error.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { readArguments } from '../arguments.ts';
import { buildStep, fetchStep, lackOf, type Peer, peerPath, peers, peersFolder, type Step } from './peers.ts';

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
  const asked = go(['go', 'version'], '/');
  const lack = lackOf(peer, asked.error === undefined ? asked.stdout : undefined);
  if (lack !== undefined) throw new Error(lack);
  mkdirSync(dirname(path), { recursive: true });
  const { Dir: source } = JSON.parse(done(fetchStep(peer, folder))) as { readonly Dir: string };
  const target = `${path}.${process.pid}`;
  done(buildStep(peer, { source, target }));
  renameSync(target, path);
  return path;
}

function done({ says, argv, cwd }: Step): string {
  process.stderr.write(`${says}\n`);
  const { status, stdout, error } = go(argv, cwd);
  if (status === 0) return stdout;
  // What `go mod download -json` could not do stands in its answer.
  throw new Error(`\`${argv.join(' ')}\` failed in ${cwd}: ${error?.message ?? (stdout.trim() || 'see above')}`);
}

function go([program, ...args]: readonly [string, ...string[]], cwd: string): SpawnSyncReturns<string> {
  // A workspace of somebody's own has no say in it.
  const env = { ...process.env, GOWORK: 'off' };
  return spawnSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
