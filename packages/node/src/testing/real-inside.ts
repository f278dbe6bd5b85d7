/** A process inside for tests, in a folder of its own; as root and as an ordinary user. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lacksOf, observeFacts } from '../inside/preflight.ts';
import { type StartedInside, type StartInside, startInside } from '../inside/start-inside.ts';
import type { ContainerEnd, ContainerId, Inside, PodPlace } from '../protocol/inside.ts';
import type { ContainerLaunch } from '../protocol/launch.ts';
import { containerLog, nodePlaces } from '../protocol/places.ts';
import { insideCommand } from './inside-command.ts';

export type Who = 'root' | 'an ordinary user';

const isRoot = process.getuid?.() === 0;

/** Root can be both. */
export const everybody: readonly Who[] = isRoot ? ['root', 'an ordinary user'] : ['an ordinary user'];

/** Nobody's, and no user of a machine. */
export const ordinaryUser = { uid: 64_321, gid: 64_321 };

export interface RealInside extends StartedInside {
  readonly folder: string;
  /** As whom it runs, when not as the test. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  /** Starts anew in the same folder, or finds what runs. */
  again(): Promise<StartedInside>;
  end(): Promise<void>;
}

export async function realInside(who: Who, options: Partial<StartInside> = {}): Promise<RealInside> {
  await assertAble(who);
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-'));
  const user = isRoot && who !== 'root' ? ordinaryUser : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o711);
  const as = { folder, command: insideCommand, isRoot: who === 'root', ...(user === undefined ? {} : { user }) };
  const started = await startInside({ ...as, ...options });
  return {
    ...started,
    folder,
    user,
    again: () => startInside({ ...as, ...options }),
    async end() {
      const again = () => startInside({ ...as, ...options });
      // One that is just ending may take the question with it.
      const { inside } = await again().catch(again);
      await inside.end();
      inside.close();
      started.inside.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Throws what is missing: a test of real processes fails where it cannot run. */
export async function assertAble(who: Who): Promise<void> {
  const lacks = lacksOf(await observeFacts({ isRoot: who === 'root' }));
  if (lacks.length > 0) throw new Error(lacks.join('; '));
}

export function podPlace(number: number, place: Partial<PodPlace> = {}): PodPlace {
  return {
    uid: `uid-${number}`,
    namespace: 'default',
    name: `pod-${number}`,
    address: `10.64.${Math.floor((number + 1) / 250)}.${((number + 1) % 250) + 1}`,
    hostname: `pod-${number}`,
    hosts: ['127.0.0.1 localhost', `10.64.0.1 kubernetes.default.svc`],
    resolver: ['nameserver 169.254.20.10', 'search svc.cluster.local', 'options ndots:5'],
    sharesProcesses: false,
    processesMax: undefined,
    hostPorts: [],
    ...place,
  };
}

export function shell(pod: string, script: string, launch: Partial<ContainerLaunch> = {}): ContainerLaunch {
  return {
    ...{ pod, name: 'app', attempt: 0, root: { is: 'programs', paths: [] }, argv: ['/bin/sh', '-c', script] },
    ...{ env: {}, cwd: '/', mounts: [], user: { groups: [] }, capabilities: { add: [], drop: [] } },
    ...{ isPrivileged: false, allowsPrivilegeEscalation: false, isRootReadOnly: false, limits: {} },
    ...{ stdin: false, stdinOnce: false, tty: false, termination: { path: '/dev/termination-log', isFromLog: false } },
    ...launch,
  };
}

/** Pids of processes in whose command line the text stands. */
export function processesOf(text: string): readonly number[] {
  try {
    return execFileSync('pgrep', ['-f', text], { encoding: 'utf8' }).trim().split('\n').map(Number);
  } catch {
    return [];
  }
}

/** Such as came after `since`, until one is for the container. */
export async function endOf(inside: Inside, container: ContainerId, since = 0): Promise<ContainerEnd> {
  const { signal } = new AbortController();
  for await (const event of inside.events(since, { signal })) {
    if (event.is !== 'ended' || event.container.pod !== container.pod || event.container.name !== container.name)
      continue;
    if (event.container.ended !== undefined) return event.container.ended;
  }
  throw new Error(`${container.pod}/${container.name} has not ended`);
}

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function execOf(inside: Inside, container: ContainerId, script: string, input?: string): Promise<Said> {
  const { signal } = new AbortController();
  const command = { argv: ['/bin/sh', '-c', script], stdin: input !== undefined, tty: false };
  const session = await inside.exec(container, command, { signal });
  session.stdin?.end(input ?? '');
  const said = Promise.all([textOf(session.stdout), textOf(session.stderr)]);
  const code = await session.ended;
  const [stdout, stderr] = await said;
  return { code, stdout, stderr };
}

async function textOf(stream: NodeJS.ReadableStream | undefined): Promise<string> {
  let text = '';
  if (stream === undefined) return text;
  for await (const chunk of stream) text += String(chunk);
  return text;
}

/** What a container has said, without times. */
export function logOf(
  folder: string,
  place: PodPlace,
  { container = 'app', attempt = 0 }: { readonly container?: string; readonly attempt?: number } = {},
): string {
  const log = { namespace: place.namespace, name: place.name, uid: place.uid, container, attempt };
  const lines = readFileSync(containerLog(nodePlaces(folder), log), 'utf8').split('\n');
  return lines.map((line) => line.replace(/^\S+ (stdout|stderr) F /, '')).join('\n');
}
