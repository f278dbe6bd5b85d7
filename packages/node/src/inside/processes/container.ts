/** One attempt of a container, from its sandbox to its last words. */
import { mkdir, open, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ContainerState } from '../../protocol/inside.ts';
import type { ContainerLaunch } from '../../protocol/launch.ts';
import { containerLog, type NodePlaces } from '../../protocol/places.ts';
import { type MachineRoot, type SandboxCommand, sandboxCommand } from '../../sandbox/bubblewrap.ts';
import { type ContainerLog, type LogLimits, openContainerLog } from '../logs/container-log.ts';
import type { Volumes } from '../parts.ts';
import type { Pod } from '../pods.ts';
import type { ControlGroups } from './control-groups.ts';
import type { Pipes } from './pipes.ts';
import { type Spawned, spawnContainer } from './spawn-container.ts';

/** What starting a container takes; the same for all of them. */
export interface ContainerTools {
  readonly places: NodePlaces;
  readonly machine: MachineRoot;
  readonly groups: ControlGroups;
  readonly pipes: Pipes;
  readonly volumes: Volumes;
  readonly logLimits: LogLimits;
  readonly clock: InsideClock;
  /** 64 hexadecimal digits. */
  newId(): string;
  told(pod: string, message: string): void;
}

/** As `Clock` of the control plane, without which inside gets along. */
export interface InsideClock {
  nowMs(): number;
  /** Returns how to cancel it. */
  after(delayMs: number, work: () => void): () => void;
}

export interface Container {
  readonly launch: ContainerLaunch;
  readonly state: ContainerState;
  /** Of its first process. */
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly env: Readonly<Record<string, string>>;
  /** Its last state, when all is written. */
  readonly ended: Promise<ContainerState>;
}

const messageBytesMax = 4_096;
/** How long the output of a container that has ended is waited for. */
const outputMsMax = 2_000;

export function groupOf({ pod, name }: { readonly pod: string; readonly name: string }): string {
  return `${pod}/${name}`;
}

export async function startContainer(launch: ContainerLaunch, pod: Pod, tools: ContainerTools): Promise<Container> {
  const { groups, places, clock } = tools;
  const id = tools.newId();
  const logPath = logOf(launch, { pod, places });
  const terminationFile = join(pod.files, `${launch.name}.${launch.attempt}.termination`);
  const env = environment(launch, pod);
  const [mounts, log] = await Promise.all([
    tools.volumes.resolveMounts(launch.pod, launch.mounts),
    openContainerLog(logPath, {
      limits: tools.logLimits,
      nowMs: clock.nowMs,
      failed: (error) => tools.told(launch.pod, `the log of ${launch.name} cannot be written: ${error.message}`),
    }),
    writeFile(terminationFile, '', { mode: 0o666 }),
    linkLog(logPath, { launch, pod, places, id }),
    groups.create(groupOf(launch), launch.limits),
  ]);
  const command = sandboxCommand({
    ...{ launch, mounts, terminationFile, env, machine: tools.machine },
    ...{ imageRoot: undefined, podFiles: pod.files, sharesProcesses: false },
  });
  const spawned = await begin(launch, { command, log, pod, tools }).catch(async (error: unknown) => {
    await groups.remove(groupOf(launch));
    await rm(terminationFile, { force: true });
    throw error;
  });
  const state: ContainerState = {
    ...{ pod: launch.pod, name: launch.name, attempt: launch.attempt },
    ...{ id: `process://${id}`, startedMs: clock.nowMs() },
  };
  const ended = spawned.ended.then((exitCode) => finish({ launch, state, exitCode, log, terminationFile, tools }));
  return {
    launch,
    state,
    pid: spawned.pid,
    stdin: spawned.stdin,
    stdout: spawned.stdout,
    stderr: spawned.stderr,
    env,
    ended,
  };
}

interface Beginning {
  readonly command: SandboxCommand;
  readonly log: ContainerLog;
  readonly pod: Pod;
  readonly tools: ContainerTools;
}

/** Rejects with bubblewrap's words when the sandbox cannot be made. */
async function begin(launch: ContainerLaunch, { command, log, pod, tools }: Beginning): Promise<Spawned> {
  const [stdout, stderr] = await Promise.all([tools.pipes.take(), tools.pipes.take()]);
  log.write(stdout.readable, 'stdout');
  log.write(stderr.readable, 'stderr');
  const spawned = await spawnContainer({
    ...{ command, stdout, stderr, namespaces: pod.namespaces, processes: undefined, stdin: launch.stdin },
    admit: (pid) => tools.groups.add(groupOf(launch), pid),
  });
  if (spawned.isRunning) return spawned;
  // A quick program may have ended well by now: the first words tell the difference.
  const code = await spawned.ended;
  await finishLog(log, tools.clock);
  const [words = ''] = log.tail().split('\n');
  if ((code === 1 || code === 127) && /^(bwrap|nsenter): /.test(words))
    throw new Error(`the sandbox of ${launch.name} cannot be made: ${words}`);
  return spawned;
}

export function logOf(
  { name: container, attempt }: Pick<ContainerLaunch, 'name' | 'attempt'>,
  { pod, places }: { readonly pod: Pod; readonly places: NodePlaces },
): string {
  const { namespace, name, uid } = pod.place;
  return containerLog(places, { namespace, name, uid, container, attempt });
}

/** What every container finds set, unless it is told otherwise. */
function environment({ env, user, tty }: ContainerLaunch, { place }: Pod): Readonly<Record<string, string>> {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: (user.uid ?? 0) === 0 ? '/root' : '/',
    HOSTNAME: place.hostname,
    ...(tty ? { TERM: 'xterm' } : {}),
    ...env,
  };
}

interface LogLink {
  readonly launch: ContainerLaunch;
  readonly pod: Pod;
  readonly places: NodePlaces;
  readonly id: string;
}

/** `/var/log/containers/POD_NAMESPACE_CONTAINER-ID.log`, from which agents tell whose a log is. */
async function linkLog(logPath: string, { launch, pod, places, id }: LogLink): Promise<void> {
  const { name, namespace } = pod.place;
  await mkdir(places.containerLogs, { recursive: true });
  const link = join(places.containerLogs, `${name}_${namespace}_${launch.name}-${id}.log`);
  // Relative: it leads to the same file wherever the folder of logs is mounted.
  await symlink(relative(dirname(link), logPath), link);
}

interface Finishing {
  readonly launch: ContainerLaunch;
  readonly state: ContainerState;
  readonly exitCode: number;
  readonly log: ContainerLog;
  readonly terminationFile: string;
  readonly tools: ContainerTools;
}

async function finish({ launch, state, exitCode, log, terminationFile, tools }: Finishing): Promise<ContainerState> {
  const { groups, clock } = tools;
  const endedMs = clock.nowMs();
  await finishLog(log, clock);
  const isOutOfMemory = await groups.isOutOfMemory(groupOf(launch));
  await groups.remove(groupOf(launch));
  const left = await lastWords(terminationFile);
  await rm(terminationFile, { force: true });
  const message = left === '' && launch.termination.isFromLog && exitCode !== 0 ? log.tail() : left;
  return { ...state, ended: { endedMs, exitCode, isOutOfMemory, ...(message === '' ? {} : { message }) } };
}

async function finishLog(log: ContainerLog, clock: InsideClock): Promise<void> {
  const enough = new AbortController();
  const cancel = clock.after(outputMsMax, () => enough.abort());
  await log.finish(enough.signal);
  cancel();
}

/** Not more than is passed on: who writes there is not trusted. */
async function lastWords(path: string): Promise<string> {
  try {
    const file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(messageBytesMax), 0, messageBytesMax, 0);
    await file.close();
    return buffer.subarray(0, bytesRead).toString('utf8');
  } catch {
    return '';
  }
}
