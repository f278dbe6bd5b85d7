import type { Node, Pod } from '../../../api/generated/core-v1.ts';
import { leases as leasesType, nodes as nodesType, pods as podsType } from '../../../api/generated/kinds.ts';
import { type Key, keyOf } from '../../../api/meta.ts';
import { isStatusError } from '../../../api/status.ts';
import { type Backoff, backoffMs } from '../../../base/backoff.ts';
import { toMicroTimestamp } from '../../../base/clock.ts';
import type { Random } from '../../../base/random.ts';
import type { CacheEvent } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { createClient } from '../../../client/create-client.ts';
import { podsByNode } from '../../../client/indexes.ts';
import type { Component, Platform } from '../../../runtime/component.ts';
import { createEventRecorder, type EventRecorder } from '../../../runtime/events.ts';
import { isStopped } from '../../driver.ts';
import { type AddressPool, createAddressPool } from './addresses.ts';
import { type Agenda, createAgenda } from './agenda.ts';
import { healthyStatus, leaseNamespace, missingLabels, newLease } from './node-status.ts';
import { type PodRun, type PodStep, planPod } from './pod-plan.ts';

export interface FleetOptions {
  /** How long a node counts as alive after a sign of life; it gives one four times as often. */
  readonly leaseDurationSeconds?: number;
  readonly kubeletVersion?: string;
  /** How long containers take to start: between these, by chance. */
  readonly startDelayMs?: { readonly least: number; readonly most: number };
}

/**
 * All simulated nodes of the cluster, run by one loop with one agenda: a node or a pod that waits costs an entry, not a
 * timer. Every Node object is a machine of the fleet, unless it carries `signalbox.dev/stopped: "true"`: then the machine
 * is silent, as if its power were cut.
 */
export function createFleet(platform: Platform, options: FleetOptions = {}): Component {
  return {
    name: 'fleet',
    async run({ signal }) {
      await platform.informers.sync([nodesType, podsType, leasesType], { signal });
      const fleet = createState(platform, options, signal);
      const stops = [
        platform.informers.listen(podsType, (event) => seePod(event, fleet)),
        platform.informers.listen(nodesType, (event) => seeNode(event, fleet)),
      ];
      await Promise.all([fleet.events.run({ signal }), loop(fleet)]).finally(() => {
        for (const stop of stops) stop();
      });
    },
  };
}

interface Fleet {
  readonly platform: Platform;
  readonly options: Required<FleetOptions>;
  readonly signal: AbortSignal;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly random: Random;
  readonly agenda: Agenda;
  readonly runs: Map<Key, PodRun & { readonly uid: string }>;
  readonly podIps: AddressPool;
  readonly nodeIps: AddressPool;
  /** How often in a row the write of an agenda entry has failed. */
  readonly failures: Map<string, number>;
  /** Writes under way, by agenda entry: nobody plans on what is being changed. */
  readonly writing: Set<string>;
}

/** Writes at once; what is due beyond them waits a moment. */
const writesMax = 512;
const retryMs = 100;
const reportBackoff: Backoff = { initialMs: 100, maxMs: 5 * 60_000, factor: 2, jitter: 0.5 };

function createState(platform: Platform, options: FleetOptions, signal: AbortSignal): Fleet {
  const random = platform.random.fork('fleet');
  const client = createClient(platform.transport, {
    name: 'system:node',
    groups: ['system:nodes', 'system:authenticated'],
  });
  return {
    platform,
    options: {
      leaseDurationSeconds: 40,
      kubeletVersion: 'v1.34.2',
      startDelayMs: { least: 100, most: 600 },
      ...options,
    },
    signal,
    client,
    random,
    events: createEventRecorder({ client, clock: platform.clock, random: random.fork('events'), source: 'kubelet' }),
    agenda: createAgenda(platform.clock),
    runs: new Map(),
    podIps: createAddressPool('10.128.0.0', 9),
    nodeIps: createAddressPool('172.16.0.0', 12),
    failures: new Map(),
    writing: new Set(),
  };
}

const podEntry = (key: Key): string => `pod ${key}`;
const nodeEntry = (name: string): string => `node ${name}`;

function seePod({ type, object, previous }: CacheEvent<Pod>, fleet: Fleet): void {
  const key = keyOf(object);
  const { nodeName = '' } = object.spec;
  if (nodeName === '') return;
  const nowMs = fleet.platform.clock.nowMs();
  if (type === 'deleted') {
    fleet.runs.delete(key);
    fleet.failures.delete(podEntry(key));
    fleet.agenda.cancel(podEntry(key));
    if (object.status.podIP !== undefined && object.spec.hostNetwork !== true) fleet.podIps.give(object.status.podIP);
    return;
  }
  if (previous === undefined && object.status.podIP !== undefined) fleet.podIps.reserve(object.status.podIP);
  const known = fleet.runs.get(key);
  const run = known?.uid === object.metadata.uid ? known : newRun(object, fleet);
  const isStopping = object.metadata.deletionTimestamp !== undefined;
  fleet.runs.set(key, isStopping && run.stoppingMs === undefined ? { ...run, stoppingMs: nowMs } : run);
  fleet.agenda.set(podEntry(key), nowMs);
}

function newRun({ metadata }: Pod, { platform, random, options }: Fleet): PodRun & { readonly uid: string } {
  const { least, most } = options.startDelayMs;
  const startDelayMs = least + random.below(Math.max(1, most - least));
  return {
    uid: metadata.uid,
    seenMs: platform.clock.nowMs(),
    startDelayMs,
    startedMs: undefined,
    stoppingMs: undefined,
  };
}

function seeNode({ type, object, previous }: CacheEvent<Node>, fleet: Fleet): void {
  const { name } = object.metadata;
  const address = object.status.addresses?.find((each) => each.type === 'InternalIP')?.address;
  if (type === 'deleted') {
    fleet.agenda.cancel(nodeEntry(name));
    if (address !== undefined) fleet.nodeIps.give(address);
    return;
  }
  if (type === 'added' && address !== undefined) fleet.nodeIps.reserve(address);
  const isNews = type === 'added' || isStopped(previous) !== isStopped(object) || previous.status !== object.status;
  if (!isNews) return;
  fleet.agenda.set(nodeEntry(name), fleet.platform.clock.nowMs());
  // Pods may have been bound before their machine appeared, or while it was silent.
  if (type === 'added' || isStopped(previous) !== isStopped(object))
    for (const pod of fleet.platform.informers.of(podsType).by(podsByNode, name))
      fleet.agenda.set(podEntry(keyOf(pod)), fleet.platform.clock.nowMs());
}

async function loop(fleet: Fleet): Promise<void> {
  const { agenda, signal, platform } = fleet;
  while (!signal.aborted) {
    for (const entry of await agenda.due({ signal })) {
      if (fleet.writing.size >= writesMax || fleet.writing.has(entry)) {
        agenda.set(entry, platform.clock.nowMs() + retryMs);
        continue;
      }
      const work = entry.startsWith('pod ') ? tendPod(entry.slice(4), fleet) : tendNode(entry.slice(5), fleet);
      if (work === undefined) continue;
      fleet.writing.add(entry);
      void work
        .then(
          () => fleet.failures.delete(entry),
          (error: unknown) => failed(entry, error, fleet),
        )
        .finally(() => fleet.writing.delete(entry));
    }
  }
}

/**
 * A conflict means that news is on its way and will bring the entry back. Anything else is tried again, ever more rarely,
 * and told once: what is refused for good, as a status that is too large to be stored, would be refused for ever.
 */
function failed(entry: string, error: unknown, fleet: Fleet): void {
  const { signal, agenda, platform, failures, random } = fleet;
  if (signal.aborted) return;
  if (isStatusError(error, 'NotFound')) {
    failures.delete(entry);
    return;
  }
  if (isStatusError(error, 'Conflict')) {
    agenda.set(entry, platform.clock.nowMs() + retryMs);
    return;
  }
  const attempt = (failures.get(entry) ?? 0) + 1;
  failures.set(entry, attempt);
  if (attempt === 1) {
    platform.report({ component: 'fleet', message: `cannot report on ${entry}`, error });
    announceFailure(entry, error, fleet);
  }
  agenda.set(entry, platform.clock.nowMs() + backoffMs(reportBackoff, { attempt, random }));
}

function announceFailure(entry: string, error: unknown, { platform, events }: Fleet): void {
  const pod = entry.startsWith('pod ') ? platform.informers.of(podsType).get(entry.slice(4)) : undefined;
  if (pod === undefined) return;
  const why = error instanceof Error ? error.message : String(error);
  const note = `The status of the pod cannot be written, so it stays as it is: ${why}`;
  events.emit({ regarding: pod, type: 'Warning', reason: 'FailedSync', note });
}

/** Undefined: nothing is to be written now. */
function tendPod(key: Key, fleet: Fleet): Promise<void> | undefined {
  const { platform, runs, agenda } = fleet;
  const pod = platform.informers.of(podsType).get(key);
  const run = runs.get(key);
  const node = pod && platform.informers.of(nodesType).get(pod.spec.nodeName ?? '');
  if (pod === undefined || run === undefined || node === undefined || isStopped(node)) return undefined;
  const hostIp = node.status.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '';
  const step = planPod({ pod, run, hostIp }, platform.clock.nowMs());
  if (step.do !== 'remove' && step.againMs !== undefined) agenda.set(podEntry(key), step.againMs);
  if (step.do === 'nothing') return undefined;
  return perform(step, { pod, hostIp, fleet });
}

async function perform(
  step: PodStep,
  { pod, hostIp, fleet }: { readonly pod: Pod; readonly hostIp: string; readonly fleet: Fleet },
): Promise<void> {
  const { client, signal, platform, events } = fleet;
  const key = keyOf(pod);
  switch (step.do) {
    case 'nothing':
      return;
    case 'remove': {
      const { namespace, name, uid } = pod.metadata;
      await client.delete(podsType, { signal, namespace, name, gracePeriodSeconds: 0, preconditions: { uid } });
      return;
    }
    case 'report':
      await client.update(podsType, { ...pod, status: step.status }, { signal, subresource: 'status' });
      if (step.event !== undefined) events.emit({ regarding: pod, ...step.event });
      return;
    case 'start': {
      const run = fleet.runs.get(key);
      if (run !== undefined) fleet.runs.set(key, { ...run, startedMs: platform.clock.nowMs() });
      const isHost = pod.spec.hostNetwork === true;
      const podIp = isHost ? hostIp : (pod.status.podIP ?? fleet.podIps.take());
      try {
        await client.update(
          podsType,
          { ...pod, status: step.status({ podIp, hostIp }) },
          { signal, subresource: 'status' },
        );
      } catch (error) {
        if (!isHost && pod.status.podIP === undefined) fleet.podIps.give(podIp);
        throw error;
      }
      announceStart(pod, events);
      return;
    }
    default:
      step satisfies never;
  }
}

function announceStart(pod: Pod, events: EventRecorder): void {
  for (const { name, image = '' } of pod.spec.containers) {
    const say = (reason: string, note: string): void => events.emit({ regarding: pod, type: 'Normal', reason, note });
    say('Pulled', `Container image "${image}" already present on machine`);
    say('Created', `Created container: ${name}`);
    say('Started', `Started container ${name}`);
  }
}

function tendNode(name: string, fleet: Fleet): Promise<void> | undefined {
  const node = fleet.platform.informers.of(nodesType).get(name);
  if (node === undefined || isStopped(node)) return undefined;
  return heartbeat(node, fleet);
}

/** Registers what the machine lacks, and gives its sign of life. */
async function heartbeat(node: Node, fleet: Fleet): Promise<void> {
  const { client, signal, platform, options, agenda, nodeIps, random } = fleet;
  const { clock, informers } = platform;
  const { name } = node.metadata;
  const periodMs = 250 * options.leaseDurationSeconds;
  const labels = missingLabels(node);
  if (labels !== undefined)
    await client.patch(nodesType, { signal, name, patchType: 'merge', body: { metadata: { labels } } });
  const status = healthyStatus(node, {
    nowMs: clock.nowMs(),
    address: () => nodeIps.take(),
    kubeletVersion: options.kubeletVersion,
  });
  if (status !== undefined) {
    const body = { metadata: { uid: node.metadata.uid }, status };
    await client.patch(nodesType, { signal, name, patchType: 'merge', subresource: 'status', body });
  }
  const lease = informers.of(leasesType).get(`${leaseNamespace}/${name}`);
  const terms = { nowMs: clock.nowMs(), durationSeconds: options.leaseDurationSeconds };
  if (lease === undefined) await client.create(leasesType, newLease(node, terms), { signal }).catch(unlessExists);
  else if (
    clock.nowMs() - Date.parse(lease.spec?.renewTime ?? '') >= periodMs / 2 ||
    Number.isNaN(Date.parse(lease.spec?.renewTime ?? ''))
  )
    await client.update(
      leasesType,
      { ...lease, spec: { ...lease.spec, renewTime: toMicroTimestamp(clock.nowMs()) } },
      { signal },
    );
  // A tenth of chance keeps a large fleet from speaking all at once.
  agenda.set(nodeEntry(name), clock.nowMs() + Math.round(periodMs * (0.95 + 0.1 * random.next())));
}

function unlessExists(error: unknown): void {
  if (!isStatusError(error, 'AlreadyExists')) throw error;
}
