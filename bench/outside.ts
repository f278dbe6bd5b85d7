/** Figures as a user sees them: the command line is started, kubectl asks. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { collector } from './collector.ts';
import type { Figures } from './figures.ts';
import { cpuMs, residentMb } from './process-figures.ts';

export const cli: string = resolve(import.meta.dirname, '../packages/cli/bin/signalbox');

/** What it starts Node.js with for `up`. */
export function upFlags(): readonly string[] {
  return /^up\) set -- (--\S+) /m.exec(readFileSync(cli, 'utf8'))?.slice(1) ?? [];
}

export interface Outside {
  readonly folder: string;
  readonly startMs: number;
  readonly pid: number;
  /** What kubectl prints; undefined when it fails. */
  kubectl(...args: readonly string[]): string | undefined;
}

export interface Start {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The API alone: nobody but the client does anything. */
export const apiOnly: readonly string[] = ['--nodes', '0', '--no-operator', '--without', 'scheduler,controllers'];

/** Starts `signalbox up` on a folder of its own and ends it afterwards. */
export async function withCluster(
  { args, env = {} }: Start,
  work: (outside: Outside) => Promise<Figures>,
): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const startMs = performance.now();
  const up = ['up', '--data', join(folder, 'data'), '--kubeconfig', kubeconfig, '--port', '0', ...args];
  const child = spawn(cli, up, { stdio: 'ignore', env: { ...process.env, ...env } });
  const kubectl = (...words: readonly string[]): string | undefined => {
    const { status, stdout } = spawnSync('kubectl', ['--kubeconfig', kubeconfig, ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return status === 0 ? stdout : undefined;
  };
  try {
    return await work({ folder, startMs, pid: child.pid ?? 0, kubectl });
  } finally {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await new Promise((done) => child.once('exit', done));
}

/**
 * From the start of the process until kubectl gets its first answer; then what the process holds after ten quiet seconds. Until
 * there is a kubeconfig nobody is asked: kubectl would take the machine's time from what is measured.
 */
export function measureStart(): Promise<Figures> {
  return withCluster({ args: [] }, async ({ folder, kubectl, startMs, pid }) => {
    while (!existsSync(join(folder, 'kubeconfig'))) await pause(1);
    const readyMs = performance.now() - startMs;
    const readyCpuMs = cpuMs(pid);
    await until(() => kubectl('get', 'ns') !== undefined);
    const ms = performance.now() - startMs;
    await pause(10_000);
    return {
      'ms to kubectl get ns': ms,
      'ms to kubeconfig': readyMs,
      'CPU ms to kubeconfig': readyCpuMs,
      'idle MB': residentMb(pid),
    };
  });
}

/** `kubectl create` of a DaemonSet over simulated nodes that are there, until kubectl sees that all its pods are ready. */
export function measureDaemonSet(nodes: number): Promise<Figures> {
  return withCluster({ args: ['--nodes', `${nodes}`] }, async ({ folder, kubectl, pid }) => {
    await until(() => readyNodes(kubectl) === nodes);
    const file = join(folder, 'collector.json');
    writeFileSync(file, JSON.stringify(collector));
    const startMs = performance.now();
    if (kubectl('create', '-f', file) === undefined) throw new Error('kubectl could not create the DaemonSet');
    await until(() => kubectl('-n', 'kube-system', 'get', 'ds', 'collector', `-ojsonpath=${readyPath}`) === `${nodes}`);
    return { ms: performance.now() - startMs, rssMb: residentMb(pid) };
  });
}

const readyPath = '{.status.numberReady}';

function readyNodes(kubectl: Outside['kubectl']): number {
  const lines = kubectl('get', 'nodes', '--no-headers') ?? '';
  return lines.split('\n').filter((line) => line.split(/\s+/)[1] === 'Ready').length;
}

export async function until(isReached: () => boolean): Promise<void> {
  const startMs = performance.now();
  while (!isReached()) {
    if (performance.now() - startMs > 60_000)
      throw new Error('kubectl did not see it within a minute; is kubectl installed?');
    await pause(10);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
