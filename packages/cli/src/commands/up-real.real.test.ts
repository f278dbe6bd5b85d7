/** `up --real` with real processes: what dies heals, and nothing is left. As root, and as an ordinary user. */
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupName } from '@signalbox/node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandProcess, startCommand } from '../testing/process.ts';

const isRoot = process.getuid?.() === 0;
/** Nobody's, and no user of a machine. */
const ordinaryUser = { uid: 64_322, gid: 64_322 };
type Who = 'root' | 'an ordinary user';
const everybody: readonly Who[] = isRoot ? ['root', 'an ordinary user'] : ['an ordinary user'];

let who: Who;
let cwd: string;
let marker: string;
let running: CommandProcess[];

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'signalbox-real-'));
  marker = `marker-${cwd.slice(-6)}`;
  running = [];
});
afterEach(async () => {
  const down = start('down', '--timeout', '20s', '--force');
  await down.ended;
  for (const { child } of running) child.kill('SIGKILL');
  for (const pid of processesOf(cwd)) kill(pid);
  rmSync(cwd, { recursive: true, force: true });
});

const start = (...argv: readonly string[]): CommandProcess => {
  const user = isRoot && who !== 'root' ? ordinaryUser : undefined;
  const command = startCommand(argv, { cwd, ...(user !== undefined && { user }) });
  running.push(command);
  return command;
};

interface Told {
  readonly running: boolean;
  readonly pid?: number;
  readonly realNodes?: readonly { readonly name: string; readonly ready: boolean; readonly pid?: number }[];
}
const told = async (): Promise<Told> => {
  const status = start('status', '-o', 'json');
  await status.ended;
  return JSON.parse(status.out()) as Told;
};
const up = async (): Promise<CommandProcess> => {
  const command = start('up', '--real', '--port', '0', '--node-name', 'box', '-f', 'web.yaml');
  await command.printed('export KUBECONFIG=');
  expect(command.err()).not.toMatch(/error/);
  return command;
};
const agentPid = async (): Promise<number | undefined> => (await told()).realNodes?.[0]?.pid;
const poll = { timeout: 60_000, interval: 100 };

/** The script that the pod runs; not bubblewrap, whose arguments it is as well. */
const podPid = (): number | undefined =>
  processesOf(marker).find((pid) => /^\/(usr\/)?bin\/sh -c/.test(commandOf(pid)));
/** The first process of its namespace; not its gateway, which has the same program, and whose number may be lower where those begin anew. */
const insidePid = (): number | undefined =>
  processesOf(cwd).find((pid) => commandOf(pid).includes('inside.js') && isFirst(pid));

describe.each(everybody)('as %s', (as) => {
  beforeEach(async () => {
    who = as;
    const script = `trap 'exit 0' TERM; while :; do sleep 0.1; done; : ${marker}`;
    await writeFile(join(cwd, 'web.yaml'), deployment(script));
    chmodSync(cwd, 0o755);
    if (isRoot && who !== 'root') chownSync(cwd, ordinaryUser.uid, ordinaryUser.gid);
  });

  test('what is killed heals, what runs goes on, and nothing is left', async () => {
    const before = traces();
    const first = await up();
    if (who === 'root') expect(traces()).toContain(groupName(join(cwd, '.signalbox/nodes/box')));
    const pod = podPid();
    expect(filesOf(pod)).not.toContainEqual(expect.stringContaining(cwd));

    const agent = await agentPid();
    kill(agent);
    await expect.poll(agentPid, poll).not.toBe(agent);
    await expect
      .poll(async () => (await told()).realNodes?.[0], poll)
      .toMatchObject({ ready: true, pid: expect.any(Number) });
    expect(podPid()).toBe(pod);

    first.child.kill('SIGKILL');
    await first.ended;
    const second = await up();
    expect(second.err()).toMatch(/takes over from process \d+/);
    expect(podPid()).toBe(pod);

    kill(insidePid());
    await expect.poll(podPid, poll).not.toBe(pod);
    await expect.poll(podPid, poll).toBeDefined();

    const down = start('down');
    expect(await down.ended, down.err()).toBe(0);
    expect(await second.ended).toBe(0);
    // The kernel takes a moment to end what was in a namespace.
    await expect.poll(() => [...processesOf(cwd), ...processesOf(marker)].map(commandOf), poll).toEqual([]);
    expect(traces()).toEqual(before);
  });

  test('down ends what a killed `up` and a killed agent have left', async () => {
    const first = await up();
    const agent = await agentPid();
    first.child.kill('SIGKILL');
    await first.ended;
    kill(agent);
    expect(podPid()).toBeDefined();
    const down = start('down');
    expect(await down.ended, down.err()).toBe(0);
    expect(down.err()).toContain('the real node box of .signalbox has stopped');
    // The kernel takes a moment to end what was in a namespace.
    await expect.poll(() => [...processesOf(cwd), ...processesOf(marker)].map(commandOf), poll).toEqual([]);
  });
});

/** It keeps something in a claim, as its node may read it, but not watch it. */
const deployment = (script: string): string => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: web, namespace: default }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Mi } } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: default }
spec:
  replicas: 1
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      volumes: [{ name: data, persistentVolumeClaim: { claimName: web } }]
      containers:
        - { name: web, volumeMounts: [{ name: data, mountPath: /data }], image: busybox, command: ['/bin/sh', '-c', "${script.replaceAll("'", "''").replaceAll('"', '\\"').replaceAll("''", "'")}"] }
`;

function kill(pid: number | undefined): void {
  if (pid === undefined) throw new Error('there is no process to kill');
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Those in whose command line the text stands, but this one and its tests. */
function processesOf(text: string): readonly number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => pid !== process.pid && commandOf(pid).includes(text));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

function isFirst(pid: number): boolean {
  try {
    return /^NSpid:.*\t1$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** What a process has open. */
function filesOf(pid: number | undefined): readonly string[] {
  if (pid === undefined) throw new Error('there is no process');
  const files = readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`));
  expect(files.length).toBeGreaterThan(2);
  return files;
}

/** What a node could leave on the machine besides processes. Nodes of other tests may come and go meanwhile. */
function traces(): readonly string[] {
  const own = groupName(join(cwd, '.signalbox/nodes/box'));
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.includes(cwd));
  const groups = readdirSync('/sys/fs/cgroup').flatMap((name) => listed(join('/sys/fs/cgroup', name)));
  return [...Object.keys(networkInterfaces()), ...mounts, ...groups.filter((name) => name === own)];
}

function listed(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
