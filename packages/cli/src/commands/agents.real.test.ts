/** Real agents discover, shard and ship, and are scaled while they do. As root, and as an ordinary user. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { download, loadKubeconfig, systemClock } from '@signalbox/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatGaps } from '../../../../tools/gaps/format.ts';
import { findGaps, type GapsReport } from '../../../../tools/gaps/gaps.ts';
import { parseScrapes } from '../../../../tools/gaps/samples.ts';
import { type CommandProcess, repository, startCommand } from '../testing/process.ts';

const isRoot = process.getuid?.() === 0;
/** Nobody's, and no user of a machine. */
const ordinaryUser = { uid: 64_323, gid: 64_323 };
type Who = 'root' | 'an ordinary user';
const everybody: readonly Who[] = isRoot ? ['root', 'an ordinary user'] : ['an ordinary user'];

const manifests = fileURLToPath(new URL('../testing/agents/agents.yaml', import.meta.url));
/** Debian's has no Kubernetes discovery: only one that is named can be the agent. */
const upstream = process.env['PROMETHEUS'];
/** Samples arrive so much later at most: Prometheus collects them for 5 s. */
const agents = [
  { agent: 'vmagent', program: join(repository, 'examples/real/vmagent-as-prometheus'), lateSeconds: 2 },
  ...(upstream === undefined ? [] : [{ agent: 'Prometheus', program: upstream, lateSeconds: 6 }]),
];
const cases = agents.flatMap((each) => everybody.map((who) => [`${each.agent} as ${who}`, { ...each, who }] as const));

const needed = [
  ['/usr/bin/vmagent', 'victoria-metrics'],
  ['/usr/bin/prometheus', 'prometheus'],
  ['/usr/bin/perl', 'perl'],
] as const;
const missing = needed.filter(([path]) => !existsSync(path)).map(([, name]) => name);
const mend = missing.length === 0 ? '' : ` (needs: apt-get install ${missing.join(' ')})`;
const isCi = process.env['CI'] === 'true';

const targets = 240;
const replicas = 2;

let cwd: string;
let running: CommandProcess[];
let user: { readonly uid: number; readonly gid: number } | undefined;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'signalbox-agents-'));
  running = [];
});
afterEach(async () => {
  const down = start('down', '--timeout', '20s', '--force');
  await down.ended;
  for (const { child } of running) child.kill('SIGKILL');
  for (const pid of processesOf(cwd)) process.kill(pid, 'SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});

const start = (...argv: readonly string[]): CommandProcess => {
  const command = startCommand(argv, { cwd, ...(user !== undefined && { user }) });
  running.push(command);
  return command;
};
const kubectl = (...argv: readonly string[]): string =>
  execFileSync('kubectl', ['--kubeconfig', join(cwd, '.signalbox/kubeconfig'), ...argv], { encoding: 'utf8' });

/** By way of the API server's proxy, which asks the node, which asks the pod. */
async function query(promql: string): Promise<string> {
  const { connection } = await loadKubeconfig({
    path: join(cwd, '.signalbox/kubeconfig'),
    env: {},
    clock: systemClock,
  });
  const receiver = '/api/v1/namespaces/monitoring/services/receiver:9090/proxy/api/v1/query';
  const target = `${receiver}?${new URLSearchParams({ query: promql }).toString()}`;
  const chunks: Buffer[] = [];
  for await (const chunk of download({ connection, target }, { signal: new AbortController().signal }))
    chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const gaps = async (range: string): Promise<GapsReport> =>
  findGaps(parseScrapes(await query(`up{job="monitoring/apps"}${range}`), { replicaLabel: 'prometheus_replica' }));

interface Spread {
  readonly targets: number;
  readonly seen: number;
  readonly failed: number;
  readonly moved: number;
  readonly shards: readonly string[];
}

/** Of the last seconds that have arrived: each replica sees each target, by one shard. */
async function spread(lateSeconds: number): Promise<Spread> {
  const { targets: rows } = await gaps(`[5s] offset ${lateSeconds}s`);
  return {
    targets: new Set(rows.map(({ target }) => target)).size,
    seen: rows.length,
    failed: rows.reduce((sum, { failed }) => sum + failed, 0),
    moved: rows.filter(({ shards }) => shards.length > 1).length,
    shards: [...new Set(rows.flatMap(({ shards }) => shards))].toSorted(),
  };
}

const evenly = (shards: number): Spread => ({
  ...{ targets, seen: targets * replicas, failed: 0, moved: 0 },
  shards: Array.from({ length: shards }, (_, shard) => String(shard)),
});
/** For machines that have much else to do: alone the whole test takes a minute. */
const limits = { timeout: 180_000 };
const poll = { timeout: 40_000, interval: 1_000 };

interface Vector {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value: readonly [number, string];
    }[];
  };
}

async function counted(promql: string): Promise<readonly (readonly [Readonly<Record<string, string>>, number])[]> {
  const { data } = JSON.parse(await query(promql)) as Vector;
  return data.result.map(({ metric, value: [, count] }) => [metric, Number(count)] as const);
}

describe.skipIf(mend !== '' && !isCi).each(cases)(`%s${mend}`, (name, { program, who, lateSeconds }) => {
  beforeEach(() => {
    expect(mend).toBe('');
    user = isRoot && who !== 'root' ? ordinaryUser : undefined;
    chmodSync(cwd, 0o755);
    if (user !== undefined) chownSync(cwd, user.uid, user.gid);
  });

  test(
    'each target is scraped by one shard of each replica, before, while and after the shards are scaled',
    limits,
    async () => {
      const images = ['perl=/usr/bin/perl', 'example/receiver=/usr/bin/prometheus', `prometheus/prometheus=${program}`];
      const node = ['--real', '--node-name', 'box', ...images.flatMap((image) => ['--image', image])];
      const up = start('up', '--nodes', '4', '--port', '0', ...node, '-f', manifests);
      await up.printed('export KUBECONFIG=');

      await expect.poll(() => spread(lateSeconds), poll).toEqual(evenly(3));
      // Each series is there once from each replica, and says from whom.
      expect(await counted('count by (site) (real_app)')).toEqual([[{ site: 'north' }, 40 * replicas]]);
      expect(await counted('count by (site) (signalbox_simulated_info)')).toEqual([
        [{ site: 'north' }, 200 * replicas],
      ]);
      const writers = await counted('count by (prometheus, prometheus_replica) (up)');
      expect(writers.map(([{ prometheus, prometheus_replica: pod }]) => `${prometheus} ${pod}`).toSorted()).toEqual(
        ['', '-shard-1', '-shard-2'].flatMap((shard) =>
          [0, 1].map((replica) => `monitoring/edge prom-agent-edge${shard}-${replica}`),
        ),
      );

      for (const shards of [4, 2]) {
        kubectl('-n', 'monitoring', 'scale', 'prometheusagent', 'edge', `--replicas=${shards}`);
        await expect.poll(() => spread(lateSeconds), poll).toEqual(evenly(shards));
      }
      const report = await gaps('[5m]');
      process.stdout.write(`${name}, 3 → 4 → 2 shards: ${formatGaps(report, { most: 5 })}`);
      expect(report.targets).toHaveLength(targets * replicas);
    },
  );
});

/** Those in whose command line the text stands. */
function processesOf(text: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => commandOf(pid).includes(text)).map(Number);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
