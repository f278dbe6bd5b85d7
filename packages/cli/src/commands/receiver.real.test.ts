/** What becomes of samples when the receiver is away, the reloader or the agent is killed: with real processes, and one cluster. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '@signalbox/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandProcess, repository, startCommand } from '../testing/process.ts';

const manifests = fileURLToPath(new URL('../testing/receiver/receiver.yaml', import.meta.url));
const agent = join(repository, 'examples/real/vmagent-as-prometheus');
const needed = [
  ['/usr/bin/vmagent', 'victoria-metrics'],
  ['/usr/bin/prometheus', 'prometheus'],
  ['/usr/bin/perl', 'perl'],
] as const;
const missing = needed.filter(([path]) => !existsSync(path)).map(([, name]) => name);
const mend = missing.length === 0 ? '' : ` (needs: apt-get install ${missing.join(' ')})`;
const isCi = process.env['CI'] === 'true';

const awayMs = 12_000;
const limits = { timeout: 180_000 };
const poll = { timeout: 60_000, interval: 500 };

let cwd: string;
let running: CommandProcess[];

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'signalbox-receiver-'));
  running = [];
});
afterEach(async () => {
  await start('down', '--timeout', '20s', '--force').ended;
  for (const { child } of running) child.kill('SIGKILL');
  for (const pid of processesOf(cwd)) process.kill(pid, 'SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});

const start = (...argv: readonly string[]): CommandProcess => {
  const command = startCommand(argv, { cwd });
  running.push(command);
  return command;
};

const run = promisify(execFile);
const kubectl = async (...argv: readonly string[]): Promise<string> => {
  const { stdout } = await run('kubectl', [
    '-n',
    'monitoring',
    '--kubeconfig',
    join(cwd, '.signalbox/kubeconfig'),
    ...argv,
  ]);
  return stdout;
};

interface Vector {
  readonly data: { readonly result: readonly { readonly values: readonly (readonly [number, string])[] }[] };
}

interface Sample {
  readonly seconds: number;
  /** Which scrape it was, counted by who was scraped. */
  readonly scrape: number;
}

/** In the order of scrapes; marks of an end are no samples. */
async function samples(selector = ''): Promise<readonly Sample[]> {
  const query = new URLSearchParams({ query: `steady_scrapes_total${selector}[5m]` }).toString();
  const path = `/api/v1/namespaces/monitoring/services/receiver:9090/proxy/api/v1/query?${query}`;
  const { data } = JSON.parse(await kubectl('get', '--raw', path)) as Vector;
  const all = data.result.flatMap(({ values }) => values.map(([seconds, text]) => ({ seconds, scrape: Number(text) })));
  return all.filter(({ scrape }) => !Number.isNaN(scrape)).toSorted((a, b) => a.scrape - b.scrape);
}

/** Numbers of scrapes that were answered and have not arrived. */
function lostOf(found: readonly Sample[]): readonly number[] {
  const arrived = new Set(found.map(({ scrape }) => scrape));
  const [first = 0, last = 0] = [found[0]?.scrape, found.at(-1)?.scrape];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index).filter((each) => !arrived.has(each));
}

interface ContainerSeen {
  readonly name: string;
  readonly restartCount: number;
  readonly ready: boolean;
}

async function restarts(pod: string): Promise<Readonly<Record<string, number>>> {
  const text = await kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.containerStatuses}');
  const seen = JSON.parse(text) as readonly ContainerSeen[];
  return Object.fromEntries(seen.map(({ name, restartCount, ready }) => [name, ready ? restartCount : -1]));
}

describe.skipIf(mend !== '' && !isCi)(`real agents${mend}`, () => {
  test(
    'a receiver that was away for 12 s has every sample; a killed reloader still reloads; a killed agent goes on',
    limits,
    async () => {
      expect(mend).toBe('');
      const images = ['perl=/usr/bin/perl', 'example/receiver=/bin/sh', `prometheus/prometheus=${agent}`];
      const up = start(
        'up',
        '--port',
        '0',
        '--real',
        '--node-name',
        'box',
        ...images.flatMap((each) => ['--image', each]),
        '-f',
        manifests,
      );
      await up.printed('export KUBECONFIG=');
      await expect.poll(async () => (await samples()).length, poll).toBeGreaterThan(2);

      await kubectl('exec', 'receiver', '--', 'touch', '/data/away');
      const awaySeconds = Date.now() / 1_000;
      kill(/^prometheus .*--web.enable-remote-write-receiver/);
      const pod = 'prom-agent-edge-0';
      expect(await restarts(pod)).toEqual({ prometheus: 0, 'config-reloader': 0 });
      kill(/^\S*node .* reloader .*--listen-address/);
      await expect.poll(() => restarts(pod), poll).toEqual({ prometheus: 0, 'config-reloader': 1 });
      const leftMs = awaySeconds * 1_000 + awayMs - Date.now();
      await new Promise<void>((resolve) => void systemClock.after(Math.max(0, leftMs), resolve));
      await kubectl('exec', 'receiver', '--', 'rm', '/data/away');
      const backSeconds = Date.now() / 1_000;
      await expect.poll(() => restarts('receiver'), poll).toEqual({ receiver: 1 });

      // What was scraped meanwhile comes after what is new, or before.
      const filled = async () => {
        const found = await samples();
        const isBack = found.some(({ seconds }) => seconds > backSeconds + 1);
        return { isBack, lost: lostOf(found) };
      };
      await expect.poll(filled, poll).toEqual({ isBack: true, lost: [] });
      const meanwhile = (await samples()).filter(({ seconds }) => seconds > awaySeconds && seconds < backSeconds);
      expect(meanwhile.length).toBeGreaterThanOrEqual(8);

      const relabelings = [{ targetLabel: 'changed', replacement: 'yes' }];
      const spec = { podMetricsEndpoints: [{ port: 'http', interval: '1s', relabelings }] };
      await kubectl('patch', 'podmonitor', 'steady', '--type', 'merge', '-p', JSON.stringify({ spec }));
      await expect.poll(async () => (await samples('{changed="yes"}')).length, poll).toBeGreaterThan(1);
      expect(await restarts(pod)).toEqual({ prometheus: 0, 'config-reloader': 1 });

      kill(/^vmagent /);
      const killedSeconds = Date.now() / 1_000;
      await expect.poll(() => restarts(pod), poll).toEqual({ prometheus: 1, 'config-reloader': 1 });
      const goesOn = async () => (await samples('{changed="yes"}')).some(({ seconds }) => seconds > killedSeconds + 2);
      await expect.poll(goesOn, poll).toBe(true);
    },
  );
});

/** By kill -9, the one process of the node whose command line it is. */
function kill(command: RegExp): void {
  const found = family().filter(({ args }) => command.test(args));
  expect(found.map(({ args }) => args)).toHaveLength(1);
  process.kill(found[0]?.pid ?? 0, 'SIGKILL');
}

interface Member {
  readonly pid: number;
  readonly parent: number;
  readonly args: string;
}

/** All processes of our node, below the one that made its namespaces. */
function family(): readonly Member[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 64 << 20 }).split('\n');
  const all = lines.map((line): Member => {
    const [, pid = '', parent = '', args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), parent: Number(parent), args };
  });
  const members = new Set(all.filter(({ args }) => args.startsWith('unshare ') && args.includes(cwd)));
  for (const member of members) for (const each of all) if (each.parent === member.pid) members.add(each);
  return [...members];
}

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
