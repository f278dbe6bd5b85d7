/** All containers, by pod and name: each is started at most once for an attempt, and its end is told. */
import { constants } from 'node:os';
import { invalid, notFound } from '../../protocol/failure.ts';
import type { ContainerId, ContainerState } from '../../protocol/inside.ts';
import type { ContainerLaunch } from '../../protocol/launch.ts';
import { unknownCapabilities } from '../../sandbox/capabilities.ts';
import type { Pods } from '../pods.ts';
import { assertContainer } from '../safe-names.ts';
import { type Container, type ContainerTools, startContainer } from './container.ts';
import { endAllIn } from './mount-namespace.ts';

export interface Containers {
  start(launch: ContainerLaunch): Promise<ContainerState>;
  signal(id: ContainerId, signal: NodeJS.Signals): void;
  /** One that runs. */
  get(id: ContainerId): Container;
  running(): readonly Container[];
  states(): readonly ContainerState[];
  /** Ends all of a pod's. */
  endPod(uid: string): Promise<void>;
  /** Ends all of a pod's and forgets them. */
  removePod(uid: string): Promise<void>;
}

export interface ContainersOptions {
  readonly pods: Pods;
  readonly tools: ContainerTools;
  /** How those ended that ran before. */
  readonly before: readonly ContainerState[];
  ended(state: ContainerState): void;
}

interface Entry {
  readonly attempt: number;
  /** Undefined while it is being started. */
  container: Container | undefined;
  starting: Promise<ContainerState> | undefined;
  /** Undefined before it was started. */
  last: ContainerState | undefined;
}

export function createContainers({ pods, tools, before, ended }: ContainersOptions): Containers {
  const entries = new Map(
    before.map((last): [string, Entry] => {
      return [keyOf(last), { attempt: last.attempt, container: undefined, starting: undefined, last }];
    }),
  );
  const ofPod = (uid: string): readonly [string, Entry][] => [...entries].filter(([key]) => key.startsWith(`${uid}/`));
  const begin = async (launch: ContainerLaunch, entry: Entry): Promise<ContainerState> => {
    const home = { pod: pods.get(launch.pod), target: targetOf(launch, entries) };
    const container = await startContainer(launch, home, tools);
    entry.container = container;
    entry.last = container.state;
    void container.ended.then((state) => {
      entry.container = undefined;
      entry.last = state;
      if (entries.get(keyOf(launch)) === entry) ended(state);
    });
    return container.state;
  };
  const endPod = async (uid: string): Promise<void> => {
    for (const [, { container }] of ofPod(uid)) if (container !== undefined) send(container.pid, 'SIGKILL');
    await Promise.all(ofPod(uid).map(async ([, { starting }]) => starting?.catch(() => undefined)));
    const left = ofPod(uid).flatMap(([, { container }]) => container ?? []);
    for (const { pid } of left) send(pid, 'SIGKILL');
    await Promise.all(left.map((container) => container.ended));
    tools.podProcesses.remove(uid);
  };
  return {
    async start(launch) {
      assertLaunch(launch);
      pods.get(launch.pod);
      const key = keyOf(launch);
      const known = entries.get(key);
      const started = known?.last ?? known?.starting;
      if (known !== undefined && started !== undefined && known.attempt >= launch.attempt) return started;
      if (known !== undefined && known.last?.ended === undefined)
        throw invalid(`attempt ${known.attempt} of ${key} still runs`);
      const entry: Entry = { attempt: launch.attempt, container: undefined, starting: undefined, last: undefined };
      entries.set(key, entry);
      entry.starting = begin(launch, entry);
      try {
        return await entry.starting;
      } catch (error) {
        if (known === undefined) entries.delete(key);
        else entries.set(key, known);
        throw error;
      }
    },
    signal(id, signal) {
      const { container } = entryOf(entries, id);
      if (container === undefined) return;
      send(container.pid, signal);
      if (signal === 'SIGKILL' && container.namespace !== undefined) void endAllIn(container.namespace);
    },
    get(id) {
      const { container } = entryOf(entries, id);
      if (container === undefined) throw notFound(`running container ${keyOf(id)}`);
      return container;
    },
    running: () => [...entries.values()].flatMap(({ container }) => container ?? []),
    states: () => [...entries.values()].flatMap(({ last }) => last ?? []),
    endPod,
    async removePod(uid) {
      await endPod(uid);
      for (const [key] of ofPod(uid)) entries.delete(key);
    },
  };
}

function entryOf(entries: ReadonlyMap<string, Entry>, id: ContainerId): Entry {
  assertContainer(id);
  const entry = entries.get(`${id.pod}/${id.name}`);
  if (entry === undefined) throw notFound(`container ${id.pod}/${id.name}`);
  return entry;
}

const keyOf = ({ pod, name }: ContainerId): string => `${pod}/${name}`;

/** Whose processes it is to see. */
function targetOf(
  { pod, name, processesOf }: ContainerLaunch,
  entries: ReadonlyMap<string, Entry>,
): Container | undefined {
  if (processesOf === undefined) return undefined;
  const target = entries.get(keyOf({ pod, name: processesOf }))?.container;
  if (target === undefined) throw notFound(`running container ${processesOf}, whose processes ${name} is to see`);
  return target;
}

function assertLaunch(launch: ContainerLaunch): void {
  assertContainer(launch);
  const unknown = unknownCapabilities(launch);
  if (unknown.length > 0) throw invalid(`no kernel knows the capability ${unknown.join(', ')}`);
  if (launch.argv.length === 0 || launch.argv[0] === '') throw invalid('a container without a command');
  const texts = [...launch.argv, ...Object.entries(launch.env).flat(), launch.cwd];
  if (texts.some((text) => text.includes('\0')))
    throw invalid('a zero byte in a command, its folder or its environment');
  for (const path of [launch.cwd, launch.termination.path, ...launch.mounts.map(({ mountPath }) => mountPath)])
    if (!path.startsWith('/') || path.split('/').includes('..')) throw invalid(`${path} is no absolute path`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  if (constants.signals[signal] === undefined) throw invalid(`no signal ${signal}`);
  // None: it ended before anybody knew it. To the kernel that number means everybody of our own group.
  if (pid === 0) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
