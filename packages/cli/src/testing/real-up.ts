/** `up --real` in a folder of its own, for tests; as root and as an ordinary user. */
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { download, loadKubeconfig, systemClock } from '@signalbox/cluster';
import { type CommandProcess, startCommand } from './process.ts';

const isRoot = process.getuid?.() === 0;
/** Nobody's, and no user of a machine. */
const ordinaryUser = { uid: 64_323, gid: 64_323 };
export type Who = 'root' | 'an ordinary user';
/** Root can be both. */
export const everybody: readonly Who[] = isRoot ? ['root', 'an ordinary user'] : ['an ordinary user'];

/** What to install so that there are these programs, by the name of their package; empty when they are there. */
export function mendFor(programs: Readonly<Record<string, string>>): string {
  const missing = Object.entries(programs).filter(([, path]) => !existsSync(path));
  return missing.length === 0 ? '' : ` (needs: apt-get install ${missing.map(([name]) => name).join(' ')})`;
}

/** In CI a test fails where it cannot run. */
export const isCi: boolean = process.env['CI'] === 'true';

export interface RealUp {
  /** Of the user it runs as, removed in the end. */
  readonly cwd: string;
  start(...argv: readonly string[]): CommandProcess;
  kubectl(...argv: readonly string[]): Promise<string>;
  /** Asks the Prometheus behind the service `receiver`, by way of the API server's proxy, which asks the node, which asks the pod. */
  query(promql: string): Promise<string>;
  end(): Promise<void>;
}

export function realUp(who: Who): RealUp {
  const cwd = mkdtempSync(join(tmpdir(), 'signalbox-agents-'));
  const user = isRoot && who !== 'root' ? ordinaryUser : undefined;
  chmodSync(cwd, 0o755);
  if (user !== undefined) chownSync(cwd, user.uid, user.gid);
  const kubeconfig = join(cwd, '.signalbox/kubeconfig');
  const running: CommandProcess[] = [];
  const start = (...argv: readonly string[]): CommandProcess => {
    const command = startCommand(argv, { cwd, ...(user !== undefined && { user }) });
    running.push(command);
    return command;
  };
  return {
    cwd,
    start,
    async kubectl(...argv) {
      const { stdout } = await promisify(execFile)('kubectl', ['--kubeconfig', kubeconfig, ...argv]);
      return stdout;
    },
    async query(promql) {
      const { connection } = await loadKubeconfig({ path: kubeconfig, env: {}, clock: systemClock });
      const receiver = '/api/v1/namespaces/monitoring/services/receiver:9090/proxy/api/v1/query';
      const target = `${receiver}?${new URLSearchParams({ query: promql }).toString()}`;
      const chunks: Buffer[] = [];
      for await (const chunk of download({ connection, target }, { signal: new AbortController().signal }))
        chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    },
    async end() {
      await start('down', '--timeout', '20s', '--force').ended;
      for (const { child } of running) child.kill('SIGKILL');
      for (const pid of processesOf(cwd)) process.kill(pid, 'SIGKILL');
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Vector {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value: readonly [number, string];
    }[];
  };
}

/** What a query for a vector was answered with. */
export function parseVector(text: string): readonly Sample[] {
  const { data } = JSON.parse(text) as Vector;
  return data.result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
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
