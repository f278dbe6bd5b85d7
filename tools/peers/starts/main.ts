/**
 * How long an API for tests takes to start, and what it holds: upstream's programs and ours, in turns, each started as envtest
 * does. `npm run --silent starts -- [--runs 5]` prints a line for each run and the medians.
 */
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@signalbox/cluster';
import { freePorts } from '@signalbox/cluster/testing';
import { commandLine } from '../../../packages/cli/src/testing/process.ts';
import { readArguments } from '../../arguments.ts';
import bundlePrograms from '../../bundle-programs.ts';
import { builtPeer } from '../built.ts';

const usage = 'npm run --silent starts -- [--runs 5]';
const { values } = readArguments({ options: { runs: { type: 'string', default: '5' } } }, usage);

interface Side {
  readonly name: string;
  readonly etcd: string;
  readonly apiServer: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Of both programs. */
interface Figures {
  /** From the start of the first program until the API server says that it is well. */
  readonly readyMs: number;
  readonly cpuMs: number;
  /** The most that they held of the machine's memory. */
  readonly peakMb: number;
  /** What they hold two seconds later. */
  readonly restMb: number;
  readonly endedMs: number;
}

const restMs = 2_000;
const lookEveryMs = 5;
const after = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve));

function isWell(url: string): Promise<boolean> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const sent = request(url, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.once('error', () => resolve(false)).end();
  });
}

interface Used {
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly nowMb: number;
}

/** By the kernel: Linux counts CPU in hundredths of a second. */
function usedBy(pid: number): Used {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { cpuMs: (Number(stat[11]) + Number(stat[12])) * 10, peakMb: mb('VmHWM'), nowMb: mb('VmRSS') };
}

interface Program {
  readonly pid: number;
  end(): Promise<void>;
}

function started(path: string, flags: readonly string[], env: Side['env'] = {}): Program {
  const child = spawn(path, flags, { stdio: 'ignore', env: { ...process.env, ...env } });
  const gone = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  return {
    pid: child.pid ?? 0,
    end() {
      child.kill('SIGTERM');
      return gone;
    },
  };
}

async function measured({ etcd, apiServer, env }: Side): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-starts-'));
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = join(folder, 'sa.key');
  writeFileSync(key, privateKey.export({ type: 'pkcs1', format: 'pem' }));
  const [client = 0, peer = 0, port = 0] = await freePorts(3);
  const clients = `http://127.0.0.1:${client}`;
  const began = performance.now();
  const store = started(etcd, [
    ...[`--listen-client-urls=${clients}`, `--advertise-client-urls=${clients}`, '--unsafe-no-fsync=true'],
    ...[`--listen-peer-urls=http://127.0.0.1:${peer}`, `--data-dir=${join(folder, 'etcd')}`],
  ]);
  while (!(await isWell(`${clients}/health`))) await after(lookEveryMs);
  const api = started(
    apiServer,
    [
      ...[`--etcd-servers=${clients}`, '--bind-address=127.0.0.1', `--secure-port=${port}`, `--cert-dir=${folder}`],
      ...['--authorization-mode=RBAC', '--service-cluster-ip-range=10.0.0.0/24', '--allow-privileged=true'],
      ...['--disable-admission-plugins=ServiceAccount', `--service-account-issuer=https://127.0.0.1:${port}/`],
      ...[`--service-account-key-file=${key}`, `--service-account-signing-key-file=${key}`],
    ],
    env,
  );
  while (!(await isWell(`https://127.0.0.1:${port}/healthz`))) await after(lookEveryMs);
  const readyMs = performance.now() - began;
  const both = [store, api].map(({ pid }) => usedBy(pid));
  await after(restMs);
  const rested = [store, api].map(({ pid }) => usedBy(pid));
  const ending = performance.now();
  await api.end();
  await store.end();
  const endedMs = performance.now() - ending;
  rmSync(folder, { recursive: true, force: true });
  const sum = (used: readonly Used[], what: keyof Used): number => used.reduce((total, each) => total + each[what], 0);
  return { readyMs, cpuMs: sum(both, 'cpuMs'), peakMb: sum(rested, 'peakMb'), restMb: sum(rested, 'nowMb'), endedMs };
}

function told({ readyMs, cpuMs, peakMb, restMb, endedMs }: Figures): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  const memory = `${peakMb.toFixed(0)} MB at most, ${restMb.toFixed(0)} MB after ${restMs / 1000} s`;
  return `ready ${seconds(readyMs)} (CPU ${seconds(cpuMs)}), ${memory}, ended ${seconds(endedMs)}`;
}

function medianOf(all: readonly Figures[]): Figures {
  const middle = (what: keyof Figures): number =>
    all.map((each) => each[what]).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
  const [readyMs, cpuMs, peakMb] = [middle('readyMs'), middle('cpuMs'), middle('peakMb')];
  return { readyMs, cpuMs, peakMb, restMb: middle('restMb'), endedMs: middle('endedMs') };
}

function sidesIn(folder: string): readonly Side[] {
  const [program = '', ...argv] = commandLine(['test-assets', '--folder', folder]);
  const { stdout, stderr, status } = spawnSync(program, argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const own = { etcd: join(stdout.trim(), 'etcd'), apiServer: join(stdout.trim(), 'kube-apiserver') };
  const [etcd, apiServer] = ['etcd', 'kube-apiserver'].map((name) => builtPeer(name, process.env));
  if (etcd === undefined || apiServer === undefined) throw new Error('not built: npm run peers -- etcd kube-apiserver');
  return [
    { name: 'Signalbox', ...own },
    { name: 'Signalbox with all controllers', ...own, env: { SIGNALBOX_TEST_CONTROLLERS: 'all' } },
    { name: 'etcd and kube-apiserver', etcd, apiServer },
  ];
}

const removePrograms = await bundlePrograms();
const folder = mkdtempSync(join(tmpdir(), 'signalbox-starts-'));
try {
  mkdirSync(join(folder, 'assets'));
  const sides = sidesIn(join(folder, 'assets'));
  const figures = new Map<string, Figures[]>(sides.map(({ name }) => [name, []]));
  for (let run = 0; run < Number(values.runs); run++)
    for (const side of sides) {
      const one = await measured(side);
      figures.get(side.name)?.push(one);
      process.stdout.write(`${side.name}: ${told(one)}\n`);
    }
  process.stdout.write(
    `\n${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown'}; medians of ${values.runs}\n`,
  );
  for (const [name, all] of figures) {
    const least = Math.min(...all.map(({ readyMs }) => readyMs));
    process.stdout.write(`${name}: ${told(medianOf(all))}; the quickest was ready in ${(least / 1000).toFixed(2)} s\n`);
  }
} finally {
  removePrograms();
  rmSync(folder, { recursive: true, force: true });
}
