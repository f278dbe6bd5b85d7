/** Two API servers of ours, one with our scheduler and one with upstream's: the same is done on both, and what comes of it is told in lines. */
import {
  type Cluster,
  createCluster,
  createSupervisor,
  isStatusError,
  type KubeObject,
  type New,
  nodes,
  type Pod,
  persistentvolumeclaims,
  persistentvolumes,
  pods,
  type ResourceType,
  services,
  sleep,
  storageclasses,
  systemClock,
} from '@signalbox/cluster';
import {
  csidrivers,
  csinodes,
  events,
  poddisruptionbudgets,
  priorityclasses,
} from '../../../packages/cluster/src/api/generated/kinds.ts';
import { schedulerOptions } from '../../../packages/cluster/src/scheduler/configuration/configuration.ts';
import { createScheduler, type SchedulerOptions } from '../../../packages/cluster/src/scheduler/loop.ts';
import { makeNode, makePod, type NodeParts, type PodParts } from '../../../packages/cluster/src/testing/makers.ts';
import type { Programs } from '../plane/programs.ts';
import { bare, startTheirScheduler } from '../plane/their-scheduler.ts';

/** One of the two, for a story. */
export interface Side {
  readonly cluster: Cluster;
  node(name: string, parts?: NodeParts): Promise<void>;
  pod(name: string, parts?: PodParts): Promise<void>;
  create<T extends KubeObject>(type: ResourceType<T>, object: object): Promise<T>;
  /** A merge patch, of the status where it names that. */
  change(type: ResourceType, name: string, body: object): Promise<void>;
  /** As a kubelet does with a pod that has ended. */
  remove(type: ResourceType, name: string): Promise<void>;
  /** Until nothing has been said for a while. */
  rest(): Promise<void>;
  pause(ms: number): Promise<void>;
  /** While its scheduler is away. */
  without(happens: () => Promise<void>): Promise<void>;
  /** What stands on pods now, and what was told of them. */
  told(): Promise<readonly string[]>;
  /** Takes away what stories leave behind. */
  tidy(): Promise<void>;
}

export interface Sides {
  readonly sides: Readonly<Record<'here' | 'there', Side>>;
  close(): Promise<void>;
}

const { signal } = new AbortController();
const restMs = 1_300;
/** Until a scheduler has heard of a node. */
const hearsWithinMs = 250;
/** Until it has heard that everything is gone. */
const forgetsWithinMs = 900;
const restMsMax = 20_000;
/** Asks for what no node has, so that it is seen that somebody decides. */
const probeAt = { namespace: 'default', name: 'probe' };

export async function startSides(programs: Programs, configuration?: object): Promise<Sides> {
  const there = await startTheirScheduler(programs, {
    parts: ['persistentvolume-binder'],
    ...(configuration !== undefined && { configuration }),
  });
  const here = await createCluster({
    ...{ nodes: 0, parts: ['persistentvolume-binder'] },
    withoutAdmission: ['ServiceAccount', 'TaintNodesByCondition'],
  });
  const ours = ourScheduler(here, schedulerOptions({ ...(configuration !== undefined && { configuration }) }));
  await ours.begin();
  return {
    sides: { here: sideOf(here, ours), there: sideOf(there.cluster, there) },
    async close() {
      await ours.end();
      await there.close();
      await here.close();
    },
  };
}

/** What ends, and begins anew with nothing but what the API tells. */
interface Restarts {
  end(): Promise<void>;
  begin(): Promise<void>;
}

function ourScheduler({ platform }: Cluster, options: SchedulerOptions): Restarts {
  let ending = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  return {
    async begin() {
      ending = new AbortController();
      const supervisor = createSupervisor([(own) => createScheduler(own, options)], platform);
      running = supervisor.run({ signal: ending.signal });
    },
    async end() {
      ending.abort(new Error('the scheduler is ended'));
      await running;
    },
  };
}

function sideOf(cluster: Cluster, scheduler: Restarts): Side {
  const { client } = cluster;
  const create = <T extends KubeObject>(type: ResourceType<T>, object: object): Promise<T> =>
    client.create(type, object as New<T>, { signal });
  const change: Side['change'] = async (type, name, body) => {
    const at = { name, signal, patchType: 'merge', ...(type.namespaced && { namespace: 'default' }) } as const;
    await client.patch(type, { ...at, body, ...('status' in body && { subresource: 'status' }) });
  };
  return {
    ...{ cluster, create, change },
    async node(name, parts = {}) {
      await create(nodes, bare(makeNode(name, parts)));
      await sleep(systemClock, hearsWithinMs, { signal });
    },
    async pod(name, parts = {}) {
      await create(pods, bare(makePod(name, parts)));
      if (parts.spec?.nodeName !== undefined) await sleep(systemClock, hearsWithinMs, { signal });
    },
    async remove(type, name) {
      const at = { name, signal, gracePeriodSeconds: 0, ...(type.namespaced && { namespace: 'default' }) } as const;
      await client.delete(type, at);
    },
    async rest() {
      const untilMs = systemClock.nowMs() + restMsMax;
      let before = '';
      let sinceMs = systemClock.nowMs();
      while (systemClock.nowMs() < untilMs && systemClock.nowMs() - sinceMs < restMs) {
        const now = (await toldOf(cluster)).join('\n');
        if (now !== before) sinceMs = systemClock.nowMs();
        before = now;
        await sleep(systemClock, 60, { signal });
      }
    },
    pause: (ms) => sleep(systemClock, ms, { signal }),
    async without(happens) {
      await scheduler.end();
      await happens();
      await scheduler.begin();
      const probe = { nodeSelector: { nobody: 'has' } };
      await create(pods, bare(makePod('probe', { spec: probe })));
      const isJudged = async (): Promise<boolean> =>
        (await client.get(pods, { ...probeAt, signal })).status.conditions !== undefined;
      const untilMs = systemClock.nowMs() + restMsMax;
      while (!(await isJudged()) && systemClock.nowMs() < untilMs) await sleep(systemClock, 60, { signal });
      await client.delete(pods, { ...probeAt, gracePeriodSeconds: 0, signal });
    },
    told: () => toldOf(cluster),
    async tidy() {
      for (const type of left)
        for (const { metadata } of (await client.list(type, { signal })).items) {
          const { name, namespace } = metadata;
          const at = { name, signal, gracePeriodSeconds: 0, ...(namespace !== undefined && { namespace }) };
          if (namespace === undefined || namespace === 'default') await client.delete(type, at).catch(unlessGone);
        }
      await sleep(systemClock, forgetsWithinMs, { signal });
    },
  };
}

/** Pods first, nodes late: nothing is looked for in vain meanwhile. Classes of priority that the server keeps are not taken away. */
const left: readonly ResourceType[] = [
  ...[pods, persistentvolumeclaims, persistentvolumes, storageclasses, csinodes, csidrivers],
  ...[poddisruptionbudgets, priorityclasses, services, nodes, events],
];

function unlessGone(error: unknown): void {
  if (isStatusError(error)) return;
  throw error;
}

async function toldOf({ client }: Cluster): Promise<readonly string[]> {
  const all = (await client.list(pods, { signal })).items;
  const names = new Map(all.map(({ metadata }) => [metadata.uid, metadata.name]));
  const plain = (text: string): string =>
    inCommon(text).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (uid) => `<${names.get(uid) ?? 'gone'}>`);
  // Of pods of stories before more may be said.
  const heard = (await client.list(events, { signal })).items.filter(
    ({ involvedObject }) => involvedObject.kind !== 'Pod' || names.has(involvedObject.uid ?? ''),
  );
  const said = heard.map((event) =>
    [
      ...['event', event.involvedObject?.name, event.type, event.reason, event.reportingComponent],
      ...[event.related?.name ?? '-', plain(event.message ?? '')],
    ].join(' '),
  );
  return [...new Set([...all.flatMap(toldOfPod).map(plain), ...said])].sort();
}

/**
 * In words that both use: upstream leaves taints out, speaks of claims of devices, and misses something behind what keeps a pod from
 * all nodes.
 */
function inCommon(message: string): string {
  return message
    .replaceAll(/untolerated taint(\(s\)| \{[^}]*\})/g, 'untolerated taint')
    .replace('no new claims to deallocate, ', '')
    .replace(/(?<=PersistentVolumeClaims\.) (not found|preemption: .*)$/, '');
}

function toldOfPod({ metadata: { name, deletionTimestamp }, spec, status }: Pod): readonly string[] {
  const place = spec.nodeName ?? '-';
  const promised = status.nominatedNodeName === undefined ? '' : ` nominated ${status.nominatedNodeName}`;
  const going = deletionTimestamp === undefined ? '' : ' going';
  return [
    `pod ${name}: ${place}${promised}${going}`,
    ...(status.conditions ?? []).map(({ type, status: is, reason = '', message = '' }) =>
      `pod ${name} ${type}=${is} ${reason} ${message}`.trimEnd(),
    ),
  ];
}
