/** How quickly a real node starts pods, what a start costs, and what it costs while they do nothing: for the figures and for their test. */
import { readdirSync, readFileSync } from 'node:fs';
import { pods, systemClock } from '@signalbox/cluster';
import { type ControlGroups, openControlGroups } from '../inside/processes/control-groups.ts';
import { groupName } from '../protocol/places.ts';
import { familyOf } from './family.ts';
import type { Who } from './real-inside.ts';
import { isRunning, pause, type RealNode, realNode, shellContainer } from './real-node.ts';

export interface PaceOptions {
  /** Pods that are started one after the other. */
  readonly alone: number;
  /** Pods that are started at once, after those. */
  readonly many: number;
  readonly idleSeconds: number;
}

export interface Pace {
  /** From the creation of a pod until its status says that it runs. */
  readonly startMsP50: number;
  readonly manyMs: number;
  /** Of the agent, the process inside, and all that they start for a pod. The control plane's is not in it. */
  readonly cpuMsPerStart: number;
  /** Of one core, the agent and the process inside together, with all pods there. */
  readonly idlePercent: number;
  /** Of the agent, the process inside, and what stands by each container. */
  readonly mbPerPod: number;
  /** What the agent has said of what went wrong. */
  readonly said: readonly string[];
}

const sleeps = [shellContainer('exec sleep 10000')];
const settlingMs = 2_000;

export async function measurePace(who: Who, { alone, many, idleSeconds }: PaceOptions): Promise<Pace> {
  const node = await realNode(who);
  const group = await openControlGroups(`signalbox-pace-${process.pid}`);
  try {
    const tookMs: number[] = [];
    for (let each = 0; each < alone; each++) tookMs.push(...(await started(node, [`alone-${each}`])));
    await pause(settlingMs);
    const [, inside = 0] = familyOf(node.folder);
    const ours = [node.pid, inside];
    const cpuMsOf = await cpuCounter(node, group);
    const megabytes = (): number => sum(ours, megabytesOf) + helperMegabytesOf(node);
    const before = { mb: megabytes(), cpuMs: await cpuMsOf() };
    const sinceMs = systemClock.nowMs();
    await started(
      node,
      Array.from({ length: many }, (_, each) => `many-${each}`),
    );
    const manyMs = systemClock.nowMs() - sinceMs;
    await pause(settlingMs);
    const cpuMs = (await cpuMsOf()) - before.cpuMs;
    const idleFromMs = sum(ours, ownCpuMsOf);
    await pause(idleSeconds * 1_000);
    return {
      startMsP50: tookMs.toSorted((one, other) => one - other)[tookMs.length >> 1] ?? 0,
      manyMs,
      cpuMsPerStart: cpuMs / many,
      idlePercent: (sum(ours, ownCpuMsOf) - idleFromMs) / 10 / idleSeconds,
      mbPerPod: (megabytes() - before.mb) / many,
      said: [...node.said],
    };
  } finally {
    await node.end();
    await group.clear();
  }
}

/** How long each of them took from its creation until it was told to run. */
async function started(node: RealNode, names: readonly string[]): Promise<readonly number[]> {
  const ending = new AbortController();
  const { metadata } = await node.client.list(pods, { namespace: 'default' });
  const { resourceVersion = '' } = metadata;
  const events = node.client.watch(pods, { namespace: 'default', resourceVersion, signal: ending.signal });
  const missing = new Map<string, number>();
  const tookMs: number[] = [];
  const seen = (async () => {
    for await (const event of events) {
      if (event.type !== 'MODIFIED' || !isRunning(event.object)) continue;
      const sinceMs = missing.get(event.object.metadata.name);
      if (sinceMs === undefined) continue;
      tookMs.push(systemClock.nowMs() - sinceMs);
      missing.delete(event.object.metadata.name);
      if (tookMs.length === names.length) return;
    }
  })();
  for (const name of names) {
    missing.set(name, systemClock.nowMs());
    await node.create(name, { containers: sleeps });
  }
  await seen;
  ending.abort();
  return tookMs;
}

/**
 * Of all processes of the node, with those that have ended. Control groups tell it to the nanosecond: they are put into one, and what they
 * start begins there; what is a pod's goes on in one of the pod's, below the node's own.
 */
async function cpuCounter(node: RealNode, own: ControlGroups): Promise<() => Promise<number>> {
  const ofNode = await openControlGroups(groupName(node.folder));
  if (own.trees === undefined) return () => Promise.resolve(cpuMsOfProcesses(node));
  await own.create('', {});
  for (const pid of [node.pid, ...familyOf(node.folder).filter(isOfNode)]) await own.add('', pid);
  const usedMs = async (groups: ControlGroups): Promise<number> =>
    ((await groups.usage('').catch(() => undefined))?.cpuNanoseconds ?? 0) / 1e6;
  return async () => (await usedMs(own)) + (await usedMs(ofNode));
}

/** Not a container's: those are in groups of theirs. */
function isOfNode(pid: number): boolean {
  return ['node', 'unshare', 'MainThread'].includes(textOf(`/proc/${pid}/comm`).trim());
}

/** Who has ended counts by the hundredth of a second, so a bit less than all is told. */
function cpuMsOfProcesses(node: RealNode): number {
  return sum([node.pid, ...familyOf(node.folder)], (pid) => {
    const [, , user = 0, system = 0] = ticksOf(pid);
    return sum(threadsOf(pid), (thread) => ranMsOf(`/proc/${pid}/task/${thread}`)) + (user + system) * 10;
  });
}

function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

function ranMsOf(folder: string): number {
  return Number(textOf(`${folder}/schedstat`).split(' ')[0] ?? 0) / 1e6;
}

/** What bubblewrap keeps of itself, one process for each container; what is shared with others counts in part. */
function helperMegabytesOf(node: RealNode): number {
  const helpers = familyOf(node.folder).filter((pid) => textOf(`/proc/${pid}/comm`).trim() === 'bwrap');
  return sum(helpers, (pid) => Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024);
}

/** Without what it has started. */
function ownCpuMsOf(pid: number): number {
  const [user = 0, system = 0] = ticksOf(pid);
  return (user + system) * 10;
}

/** Hundredths of a second: user, system, and those of children that have ended. Nothing when the process has ended. */
function ticksOf(pid: number): readonly number[] {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
}

function megabytesOf(pid: number): number {
  return Number(/^RssAnon:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function sum(pids: readonly number[], of: (pid: number) => number): number {
  return pids.reduce((all, pid) => all + of(pid), 0);
}
