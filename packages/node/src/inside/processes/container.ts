/** One attempt of a container, from its sandbox to its last words. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ContainerState } from '../../protocol/inside.ts';
import type { ContainerLaunch } from '../../protocol/launch.ts';
import { containerLog, type NodePlaces } from '../../protocol/places.ts';
import { type MachineRoot, type ResolvedMount, type SandboxOf, sandboxCommand } from '../../sandbox/bubblewrap.ts';
import type { Etc } from '../etc.ts';
import { type ContainerLog, type LogLimits, openContainerLog } from '../logs/container-log.ts';
import type { PodShell } from '../network/pod-shell.ts';
import type { Volumes } from '../parts.ts';
import type { Pod } from '../pods.ts';
import type { ControlGroups } from './control-groups.ts';
import { mountsIn, openImageRoot } from './image-root.ts';
import { endAllIn, mountNamespaceOf } from './mount-namespace.ts';
import type { Pipes } from './pipes.ts';
import type { PodProcesses } from './pod-processes.ts';
import { holdProcesses, processLimit } from './process-count.ts';
import { type Spawned, type Spawning, spawnContainer } from './spawn-container.ts';
import { notStartedCode, startFailure } from './start-failure.ts';
import { ownerOf } from './terminal.ts';

/** What starting a container takes; the same for all of them. */
export interface ContainerTools {
  readonly places: NodePlaces;
  readonly machine: MachineRoot;
  readonly etc: Etc;
  readonly groups: ControlGroups;
  readonly pipes: Pipes;
  readonly podProcesses: PodProcesses;
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
  /** By which its processes are known, where those of its pod share a namespace. */
  readonly namespace: string | undefined;
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

export interface Home {
  readonly pod: Pod;
  /** Whose processes it is to see besides its own. */
  readonly target: Pick<Container, 'pid'> | undefined;
}

export async function startContainer(
  launch: ContainerLaunch,
  { pod, target }: Home,
  tools: ContainerTools,
): Promise<Container> {
  const { places, clock } = tools;
  const id = tools.newId();
  const logPath = logOf(launch, { pod, places });
  const log = await openContainerLog(logPath, {
    limits: tools.logLimits,
    nowMs: clock.nowMs,
    failed: (error) => tools.told(launch.pod, `the log of ${launch.name} cannot be written: ${error.message}`),
  });
  try {
    linkLog(logPath, { launch, pod, places, id });
    return await startLogged(launch, { id, log, pod, target, tools });
  } catch (error) {
    // What it has said stays; what nobody closes would stay open.
    await finishLog(log, clock);
    throw error;
  }
}

interface Logged extends Home {
  readonly id: string;
  readonly log: ContainerLog;
  readonly tools: ContainerTools;
}

async function startLogged(launch: ContainerLaunch, { id, log, pod, target, tools }: Logged): Promise<Container> {
  const { clock } = tools;
  const made = await prepareSandbox(launch, pod, tools);
  const env = environment(launch, pod);
  const processes = await joinedProcesses(launch, { pod, target }, tools);
  const spawned = await begin(launch, { made, env, log, pod, processes, tools }).catch(async (error: unknown) => {
    await made.close();
    throw error;
  });
  const state: ContainerState = {
    ...{ pod: launch.pod, name: launch.name, attempt: launch.attempt },
    ...{ id: `process://${id}`, startedMs: clock.nowMs() },
  };
  const namespace = processes === undefined ? undefined : await mountNamespaceOf(spawned.pid);
  const ended = spawned.ended.then((exitCode) => finish({ launch, state, exitCode, log, made, namespace, tools }));
  const { pid, stdin, stdout, stderr } = spawned;
  return { launch, state, pid, namespace, stdin, stdout, stderr, env, ended };
}

/** The first of the processes that it joins. bubblewrap may join them as the machine's root only. */
async function joinedProcesses(
  { name, pod: uid, processesOf }: ContainerLaunch,
  { pod, target }: Home,
  { machine, podProcesses, told }: ContainerTools,
): Promise<number | undefined> {
  if (machine.isRoot) return pod.place.sharesProcesses ? podProcesses.of(uid, pod.namespaces) : target?.pid;
  if (target !== undefined)
    told(
      uid,
      `${name} sees its own processes alone: a node that does not run as root cannot show those of ${processesOf}`,
    );
  return undefined;
}

/** What a sandbox needs on disk and in the kernel before it is made. */
interface Prepared {
  readonly mounts: readonly ResolvedMount[];
  readonly imageRoot: string | undefined;
  readonly terminationFile: string;
  close(): Promise<void>;
}

async function prepareSandbox(launch: ContainerLaunch, pod: Pod, tools: ContainerTools): Promise<Prepared> {
  const { root } = launch;
  const named = `${launch.name}.${launch.attempt}`;
  const terminationFile = join(pod.files, `${named}.termination`);
  const imageRoot = root.is === 'image' ? await openImageRoot(root.path, join(pod.files, `${named}.root`)) : undefined;
  const close = async (): Promise<void> => {
    await tools.groups.remove(groupOf(launch));
    await rm(terminationFile, { force: true });
    await imageRoot?.close();
  };
  try {
    writeFileSync(terminationFile, '');
    chmodSync(terminationFile, 0o666);
    const [mounts] = await Promise.all([
      tools.volumes.resolveMounts(launch.pod, launch.mounts),
      tools.groups.create(groupOf(launch), launch.limits),
    ]);
    return { mounts, imageRoot: imageRoot?.path, terminationFile, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Beginning {
  readonly made: Prepared;
  readonly env: Readonly<Record<string, string>>;
  readonly log: ContainerLog;
  readonly pod: Pod;
  readonly processes: number | undefined;
  readonly tools: ContainerTools;
}

/** Rejects with bubblewrap's words when the sandbox cannot be made. */
async function begin(launch: ContainerLaunch, beginning: Beginning): Promise<Spawned> {
  const { made, env, log, pod, processes, tools } = beginning;
  const command = sandboxCommand({
    ...{
      launch,
      machine: tools.machine,
      etc: await tools.etc.current(),
      env,
      ...(await placed(launch, { made, pod })),
    },
    ...{ imageRoot: made.imageRoot, sharesProcesses: processes !== undefined },
  });
  const shell = shellFor(launch, { pod, processes });
  const { stdout, stderr } = shell ?? (await outputOf(tools));
  log.write(stdout.readable, 'stdout');
  log.write(stderr.readable, 'stderr');
  const spawned = await spawnContainer({
    ...{ command, stdout, stderr, namespaces: pod.namespaces, shell, processes, stdin: launch.stdin },
    terminal: launch.tty ? { owner: ownerOf(launch, tools.machine) } : undefined,
    admit: (pid) => hold(pid, { launch, pod, tools }),
  });
  if (spawned.isRunning) return spawned;
  // A quick program may have ended well by now: the first words tell the difference.
  const code = await spawned.ended;
  await finishLog(log, tools.clock);
  const failure = startFailure({ exitCode: code, said: log.tail() });
  if (failure !== undefined) throw new Error(`${launch.name}: ${failure}`);
  return spawned;
}

/** Undefined: it is started by itself. */
function shellFor(
  { tty, stdin }: ContainerLaunch,
  { pod, processes }: Pick<Beginning, 'pod' | 'processes'>,
): PodShell | undefined {
  const shell = pod.namespaces.takeShell();
  // It has neither a terminal, nor an input, nor another namespace of processes; and somebody may have ended it.
  const isAlike = !tty && !stdin && processes === undefined;
  if (isAlike && shell?.child.exitCode === null && shell.child.signalCode === null) return shell;
  shell?.end();
  return undefined;
}

async function outputOf({ pipes }: ContainerTools): Promise<Pick<Spawning, 'stdout' | 'stderr'>> {
  const [stdout, stderr] = await Promise.all([pipes.take(), pipes.take()]);
  return { stdout, stderr };
}

interface Holding {
  readonly launch: ContainerLaunch;
  readonly pod: Pod;
  readonly tools: ContainerTools;
}

async function hold(pid: number, { launch, pod, tools: { groups, machine } }: Holding): Promise<void> {
  await groups.add(groupOf(launch), pid);
  const limit = processLimit(pod.place, { trees: groups.trees, isRoot: machine.isRoot });
  if (limit !== undefined) await holdProcesses(pid, limit);
}

/** In an image a path may lead somewhere else; what we bring goes where the image's own would be found. */
async function placed(
  launch: ContainerLaunch,
  { made, pod }: Pick<Beginning, 'made' | 'pod'>,
): Promise<Pick<SandboxOf, 'mounts' | 'podMounts'>> {
  const podMounts = [
    ...['hosts', 'resolv.conf', 'hostname'].map((name) => ({
      ...{ source: join(pod.files, name), target: `/etc/${name}`, isReadOnly: true },
    })),
    { source: pod.sharedMemory, target: '/dev/shm', isReadOnly: false },
    { source: made.terminationFile, target: launch.termination.path, isReadOnly: false },
  ];
  if (made.imageRoot === undefined) return { mounts: made.mounts, podMounts };
  return {
    mounts: await mountsIn(made.imageRoot, made.mounts),
    podMounts: await mountsIn(made.imageRoot, podMounts),
  };
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
function linkLog(logPath: string, { launch, pod, places, id }: LogLink): void {
  const { name, namespace } = pod.place;
  mkdirSync(places.containerLogs, { recursive: true });
  const link = join(places.containerLogs, `${name}_${namespace}_${launch.name}-${id}.log`);
  // Relative: it leads to the same file wherever the folder of logs is mounted.
  symlinkSync(relative(dirname(link), logPath), link);
}

interface Finishing {
  readonly launch: ContainerLaunch;
  readonly state: ContainerState;
  readonly exitCode: number;
  readonly log: ContainerLog;
  readonly made: Prepared;
  readonly namespace: string | undefined;
  readonly tools: ContainerTools;
}

async function finish({ launch, state, exitCode, log, made, namespace, tools }: Finishing): Promise<ContainerState> {
  const endedMs = tools.clock.nowMs();
  // Where the first process was not the first of a namespace, the others live on.
  if (namespace !== undefined) await endAllIn(namespace);
  await finishLog(log, tools.clock);
  const isOutOfMemory = await tools.groups.isOutOfMemory(groupOf(launch));
  const left = await lastWords(made.terminationFile);
  await made.close();
  const failure = startFailure({ exitCode, said: log.tail() });
  // Its last moment: it was seen to live, and then could not become its program.
  if (failure !== undefined)
    return { ...state, ended: { endedMs, exitCode: notStartedCode, isOutOfMemory: false, message: failure } };
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
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(messageBytesMax), 0, messageBytesMax, 0);
      return buffer.subarray(0, bytesRead).toString('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}
