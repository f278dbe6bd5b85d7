/**
 * An operator alone: a process of its own, as `signalbox operator` starts it, beside a cluster in another one, in which nothing happens. Memory
 * is what Linux counts for the process (RSS), with all pages of Node.js, of which a third is shared with any other Node.js. CPU
 * is user and system time of all its threads, which other work on the machine hardly changes.
 */
import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figures } from './figures.ts';
import { cli, end, pause, until, withCluster } from './outside.ts';
import { cpuMs, residentMb, residentMbMost } from './process-figures.ts';

/**
 * Rest begins when what belongs to the start is over: a monitor that finds nothing is told so after a minute, and what the start has left is
 * collected ten quiet seconds after the last work. On a machine with much other work ten thousand statuses may take longer: a part of that is in the figure then.
 */
const startMs = 90_000;
const restMs = 120_000;

/** What it holds and uses, once the roots of so many monitors stand. */
export function measureOperator(monitors: number): Promise<Figures> {
  return withCluster({ args: ['--no-operator'] }, async ({ folder, kubectl }) => {
    await until(() => kubectl('get', 'servicemonitors', '-A') !== undefined);
    await createAll(monitored(monitors), folder);
    const began = performance.now();
    const child = spawn(cli, ['operator', '--kubeconfig', join(folder, 'kubeconfig')], { stdio: 'ignore' });
    const pid = child.pid ?? 0;
    try {
      await until(
        () => kubectl('-n', 'monitoring', 'get', 'prometheusagent', 'main', `-ojsonpath=${availablePath}`) === 'True',
      );
      const readyMs = performance.now() - began;
      await pause(startMs);
      const [restBeganMs, startCpuMs] = [performance.now(), cpuMs(pid)];
      await pause(restMs);
      const percent = (100 * (cpuMs(pid) - startCpuMs)) / (performance.now() - restBeganMs);
      return {
        'ms to Available': readyMs,
        'start CPU ms': startCpuMs,
        MB: residentMb(pid),
        'most MB': residentMbMost(pid),
        'idle CPU %': percent,
      };
    } finally {
      await end(child);
    }
  });
}

const availablePath = '{.status.conditions[?(@.type=="Available")].status}';
const atOnce = 8;

/** One kubectl creates one object after the other. The first brings what the others need. */
async function createAll([first = [], ...others]: readonly (readonly unknown[])[], folder: string): Promise<void> {
  const create = async (items: readonly unknown[], index: number): Promise<void> => {
    const file = join(folder, `monitors-${index}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await promisify(execFile)('kubectl', ['--kubeconfig', join(folder, 'kubeconfig'), 'create', '-f', file], {
      maxBuffer: 64 * 1024 * 1024,
    });
  };
  await create(first, 0);
  const left = others.map((items, index) => ({ items, index: index + 1 }));
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await create(next.items, next.index);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** One root, and monitors in namespaces of a hundred each, with a Service and its endpoint. Namespaces come first. */
function monitored(monitors: number): readonly (readonly unknown[])[] {
  const names = Array.from({ length: monitors }, (_, index) => ({
    namespace: `team-${Math.floor(index / 100)}`,
    name: `app-${index}`,
  }));
  const namespaces = ['monitoring', ...new Set(names.map(({ namespace }) => namespace))];
  return [
    namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    [root],
    ...namespaces.map((place) => names.filter(({ namespace }) => namespace === place).flatMap(monitorOf)),
  ].filter((part) => part.length > 0);
}

const root = {
  apiVersion: 'monitoring.coreos.com/v1alpha1',
  kind: 'PrometheusAgent',
  metadata: { namespace: 'monitoring', name: 'main' },
  spec: { shards: 2, serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {} },
};

function monitorOf(metadata: { readonly namespace: string; readonly name: string }): readonly unknown[] {
  return [
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
  ];
}
