import { type Cluster, type Event, events, leases, nodes, sleep } from '@signalbox/cluster';
import { type CacheWorld, createCacheWorld, type RootComponent } from '@signalbox/telemetry';
import type { Io } from '../io/io.ts';
import { typesOf } from '../io/types.ts';
import type { Progress } from './progress.ts';
import { isReady, isSettled, type Step, stepsOf } from './readiness.ts';

/** Looks at most this often, however much happens. */
const lookEveryMs = 50;
/** All must stay ready this long: between two steps of a chain of controllers everything may look done. */
const calmMs = 150;

export interface WaitOptions {
  readonly components: readonly RootComponent[];
  readonly progress: Progress;
  readonly timeoutMs: number;
  /** When the cluster was started. */
  readonly sinceMs: number;
  /** A node of this machine that is to be ready as well. */
  readonly realNode?: { readonly name: string; isUp(): boolean } | undefined;
  readonly io: Io;
}

export interface Waited {
  readonly isReady: boolean;
  readonly steps: readonly Step[];
}

/** What a cluster's tree and readiness are read from. */
export async function followCluster(
  cluster: Cluster,
  { components, signal }: { readonly components: readonly RootComponent[]; readonly signal: AbortSignal },
): Promise<CacheWorld> {
  const { informers } = cluster.platform;
  await informers.sync([...typesOf(components), nodes, leases], { signal });
  return createCacheWorld(informers);
}

/** Waits until all workloads and roots are ready, until what is not never will be, or until the time is up. Rejects when the user ends it. */
export async function waitUntilReady(cluster: Cluster, { world }: CacheWorld, options: WaitOptions): Promise<Waited> {
  const { components, progress, timeoutMs, sinceMs, realNode: real, io } = options;
  const { clock, signal } = io;
  const deadlineMs = clock.nowMs() + timeoutMs;
  for (let calmSinceMs = Infinity; ; ) {
    const nowMs = clock.nowMs();
    const realNode = real === undefined ? undefined : { name: real.name, isUp: real.isUp() };
    const steps = stepsOf(world, { components, realNode, sinceMs });
    progress.show(steps);
    if (!steps.every(isSettled)) calmSinceMs = Infinity;
    else if (calmSinceMs === Infinity) calmSinceMs = nowMs;
    const isCalm = nowMs - calmSinceMs >= calmMs;
    if (isCalm && steps.every(isReady)) return { isReady: true, steps };
    if (isCalm || nowMs >= deadlineMs)
      return {
        isReady: false,
        steps: stepsOf(world, { components, realNode, sinceMs, events: await warnings(cluster, signal) }),
      };
    await sleep(clock, lookEveryMs, { signal });
  }
}

async function warnings({ client }: Cluster, signal: AbortSignal): Promise<readonly Event[]> {
  return (await client.list(events, { signal })).items.filter(({ type }) => type === 'Warning');
}
