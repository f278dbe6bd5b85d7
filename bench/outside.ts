/** Figures as a user sees them: the command line is started, kubectl asks. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { collector } from './collector.ts';
import type { Figures } from './figures.ts';

const cli = resolve(import.meta.dirname, '../packages/cli/bin/signalbox');

interface Outside {
  readonly folder: string;
  readonly startMs: number;
  readonly pid: number;
  /** What kubectl prints; undefined when it fails. */
  kubectl(...args: readonly string[]): string | undefined;
}

/** Starts `signalbox up` on a folder of its own and ends it afterwards. */
async function withCluster(args: readonly string[], work: (outside: Outside) => Promise<Figures>): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const startMs = performance.now();
  const up = ['up', '--data', join(folder, 'data'), '--kubeconfig', kubeconfig, '--port', '0', ...args];
  const child = spawn(cli, up, { stdio: 'ignore' });
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

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await new Promise((done) => child.once('exit', done));
}

/** From the start of the process until kubectl gets its first answer; then what the process holds after ten quiet seconds. */
export function measureStart(): Promise<Figures> {
  return withCluster([], async ({ kubectl, startMs, pid }) => {
    await until(() => kubectl('get', 'ns') !== undefined);
    const ms = performance.now() - startMs;
    await pause(10_000);
    return { 'ms to kubectl get ns': ms, 'idle MB': residentMb(pid) };
  });
}

/** `kubectl create` of a DaemonSet over simulated nodes that are there, until kubectl sees that all its pods are ready. */
export function measureDaemonSet(nodes: number): Promise<Figures> {
  return withCluster(['--nodes', `${nodes}`], async ({ folder, kubectl, pid }) => {
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

/**
 * An operator alone, beside a cluster in which nothing happens: what its process holds and uses, once the roots of so many
 * monitors stand.
 */
export function measureOperator(monitors: number): Promise<Figures> {
  return withCluster(['--no-operator'], async ({ folder, kubectl }) => {
    await until(() => kubectl('get', 'servicemonitors', '-A') !== undefined);
    const file = join(folder, 'monitors.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: monitored(monitors) }));
    if (kubectl('create', '-f', file) === undefined) throw new Error('kubectl could not create the monitors');
    const child = spawn(cli, ['operator', '--kubeconfig', join(folder, 'kubeconfig')], { stdio: 'ignore' });
    const pid = child.pid ?? 0;
    try {
      const startMs = performance.now();
      await until(
        () => kubectl('-n', 'monitoring', 'get', 'prometheusagent', 'main', `-ojsonpath=${availablePath}`) === 'True',
      );
      const readyMs = performance.now() - startMs;
      await pause(20_000);
      const [beganMs, beganCpuMs] = [performance.now(), cpuMs(pid)];
      await pause(40_000);
      const percent = (100 * (cpuMs(pid) - beganCpuMs)) / (performance.now() - beganMs);
      return { 'ms to Available': readyMs, MB: residentMb(pid), 'idle CPU %': percent };
    } finally {
      await end(child);
    }
  });
}

const availablePath = '{.status.conditions[?(@.type=="Available")].status}';

/** One root, and monitors in namespaces of a hundred each. */
function monitored(monitors: number): readonly unknown[] {
  const names = Array.from({ length: monitors }, (_, index) => ({
    namespace: `team-${Math.floor(index / 100)}`,
    name: `app-${index}`,
  }));
  const namespaces = ['monitoring', ...new Set(names.map(({ namespace }) => namespace))];
  return [
    ...namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    {
      apiVersion: 'monitoring.coreos.com/v1alpha1',
      kind: 'PrometheusAgent',
      metadata: { namespace: 'monitoring', name: 'main' },
      spec: { shards: 2, serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {} },
    },
    ...names.flatMap((metadata) => [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { ...metadata, labels: { app: metadata.name } },
        spec: { ports: [{ name: 'http', port: 80 }] },
      },
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { ...metadata, labels: { 'kubernetes.io/service-name': metadata.name } },
        addressType: 'IPv4',
        ports: [{ name: 'http', port: 80 }],
        endpoints: [{ addresses: ['10.9.0.1'] }],
      },
      {
        apiVersion: 'monitoring.coreos.com/v1',
        kind: 'ServiceMonitor',
        metadata,
        spec: { selector: { matchLabels: { app: metadata.name } }, endpoints: [{ port: 'http' }] },
      },
    ]),
  ];
}

/** User and system, in the process's life. A tick is a hundredth of a second on every Linux that we know. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

async function until(isReached: () => boolean): Promise<void> {
  const startMs = performance.now();
  while (!isReached()) {
    if (performance.now() - startMs > 60_000)
      throw new Error('kubectl did not see it within a minute; is kubectl installed?');
    await pause(10);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

function residentMb(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}
