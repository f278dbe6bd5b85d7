import type { Lease } from '../../api/generated/coordination-v1.ts';
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { leases, nodes, pods } from '../../api/generated/kinds.ts';
import { controllerUser } from '../../api/system-identities.ts';
import { equal } from '../../base/equal.ts';
import type { CacheEvent } from '../../client/cache.ts';
import { podsByNode } from '../../client/indexes.ts';
import { zoneOf } from '../../resources/core/node.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { createKeyedWork, type KeyedWork } from '../../runtime/keyed-work.ts';
import { sooner } from '../../workloads/phase.ts';
import { isReady, nodeCondition } from './conditions.ts';
import { createDeadlines, type Deadlines } from './deadlines.ts';
import { correctedLabels } from './labels.ts';
import { type Memory, plan } from './plan.ts';
import { correctedTaints, type Driving, drivenAwayBy, isDriving, noExecuteTaints } from './taints.ts';
import { countsInZone, createZones, defaultPace, type Pace, type Zones } from './zones.ts';

export interface NodeLifecycleOptions {
  /** How long a node may be silent whose lease does not say it, or which has none. The default is 40 s. */
  readonly graceMs?: number;
  /** How long a new node may take to report for the first time. The default is 60 s. */
  readonly startupGraceMs?: number;
  /** How fast nodes in trouble lose their pods. The default is upstream's: one node per ten seconds and zone. */
  readonly pace?: Pace;
}

const name = 'node-controller';
const leaseNamespace = 'kube-node-lease';
/** Writes share one sync of the store: a thousand nodes that join at once lose their first taint in a few of them. */
const workers = 256;

/**
 * Watches over nodes: one that gives no sign of life for longer than its lease lasts becomes Unknown; taints follow from
 * conditions; pods that do not tolerate a NoExecute taint are evicted, others when their patience ends.
 *
 * A sign of life counts from the moment when it is seen, not from the time that it carries: a node whose clock is wrong is
 * not a dead node. A renewed lease only moves a deadline. Nodes that are well are never looked at.
 */
export function createNodeLifecycle(platform: Platform, options: NodeLifecycleOptions = {}): Component {
  const { informers, clock } = platform;
  const zones = createZones({ nowMs: clock.nowMs, pace: options.pace ?? defaultPace });
  const deadlines = createDeadlines({ clock, due: (node) => work.add(node) });
  const memories = new Map<string, Memory>();
  const wake = (keys: Iterable<string>): void => {
    for (const key of keys) work.add(key);
  };
  const work = createKeyedWork({
    name,
    user: controllerUser(name),
    platform,
    workers,
    async handle(key, { perform }) {
      const node = informers.of(nodes).get(key);
      if (node === undefined) return undefined;
      const turn = turnOf(node, { zones, nowMs: clock.nowMs(), wake });
      const bound = informers.of(pods).by(podsByNode, key);
      const { driving } = turn;
      const observed = { node, pods: bound, isSilent: deadlines.isPast(key), driving, memory: memories.get(key) };
      const { actions, againInMs, memory } = plan(observed, clock.nowMs());
      if (memory === undefined) memories.delete(key);
      else memories.set(key, memory);
      await perform(actions);
      return sooner(againInMs, turn.inMs);
    },
  });
  const watches = createWatches({ platform, options, zones, deadlines, memories, work, wake });
  return {
    name,
    async run({ signal }) {
      await informers.sync([nodes, pods, leases], { signal });
      const stops = [
        informers.listen(nodes, watches.node),
        informers.listen(leases, watches.lease),
        informers.listen(pods, watches.pod),
        deadlines.stop,
      ];
      await work.run({ signal }).finally(() => {
        for (const stop of stops) stop();
      });
    },
  };
}

interface Watching {
  readonly platform: Platform;
  readonly options: NodeLifecycleOptions;
  readonly zones: Zones;
  readonly deadlines: Deadlines;
  readonly memories: Map<string, Memory>;
  readonly work: KeyedWork;
  readonly wake: (nodes: Iterable<string>) => void;
}

interface Watches {
  node(event: CacheEvent<Node>): void;
  lease(event: CacheEvent<Lease>): void;
  pod(event: CacheEvent<Pod>): void;
}

/** What changes do to deadlines, zones and the queue. Nearly all of them end after a few comparisons. */
function createWatches({ platform, options, zones, deadlines, memories, work, wake }: Watching): Watches {
  const { informers, clock } = platform;
  const { graceMs = 40_000, startupGraceMs = 60_000 } = options;
  const alive = (node: string, lease: Lease | undefined): void => {
    const seconds = lease?.spec?.leaseDurationSeconds;
    deadlines.set(node, clock.nowMs() + (seconds === undefined ? graceMs : seconds * 1_000));
  };
  return {
    node({ type, object, previous }) {
      const { name: node, labels } = object.metadata;
      if (type === 'deleted') {
        deadlines.clear(node);
        memories.delete(node);
        wake(zones.remove(node));
        return;
      }
      if (nodeCondition(object, 'Ready') === undefined) {
        if (previous === undefined) deadlines.set(node, clock.nowMs() + startupGraceMs);
      } else if (previous === undefined || hasReported(object, previous))
        alive(node, informers.of(leases).get(`${leaseNamespace}/${node}`));
      wake(zones.set(node, { zone: zoneOf(object), isReady: isReady(object), counts: countsInZone(labels) }));
      if (memories.has(node) || !isWell(object)) work.add(node);
    },
    lease({ type, object, previous }) {
      const { namespace, name: node } = object.metadata;
      if (type === 'deleted' || namespace !== leaseNamespace) return;
      if (previous?.spec?.renewTime === object.spec?.renewTime && previous !== undefined) return;
      if (informers.of(nodes).get(node) !== undefined) alive(node, object);
    },
    pod({ type, object, previous }) {
      const { nodeName = '', tolerations } = object.spec;
      if (type === 'deleted' || nodeName === '') return;
      if (previous?.spec.nodeName === nodeName && equal(previous.spec.tolerations, tolerations)) return;
      const node = informers.of(nodes).get(nodeName);
      if (node !== undefined && (noExecuteTaints(node).length > 0 || drivenAwayBy(node) !== undefined))
        work.add(nodeName);
    },
  };
}

/** Whether the change comes from the node itself: only others say that it is unknown. */
function hasReported(node: Node, previous: Node): boolean {
  const before = nodeCondition(previous, 'Ready');
  const after = nodeCondition(node, 'Ready');
  if (after === undefined || after.status === 'Unknown') return false;
  return after.status !== before?.status || after.lastHeartbeatTime !== before.lastHeartbeatTime;
}

/** Whether there is nothing to write about the node. */
function isWell(node: Node): boolean {
  if (drivenAwayBy(node) !== undefined || noExecuteTaints(node).length > 0) return false;
  return correctedTaints(node, { driving: 'keep', nowMs: 0 }) === undefined && correctedLabels(node) === undefined;
}

interface Turn {
  readonly driving: Driving;
  readonly inMs?: number;
}

interface TurnFacts {
  readonly zones: Zones;
  readonly nowMs: number;
  /** Who has to be looked at because of what became of this one. */
  readonly wake: (nodes: Iterable<string>) => void;
}

/** Whether the node's pods may be driven away now, and when to ask again. */
function turnOf(node: Node, { zones, nowMs, wake }: TurnFacts): Turn {
  const { name: key } = node.metadata;
  if (drivenAwayBy(node) === undefined || isDriving(node)) {
    wake(zones.leave(key));
    return { driving: zones.isAllDown ? 'never' : 'keep' };
  }
  if (zones.isAllDown) return { driving: 'never' };
  const turn = zones.ask(key);
  if (turn.is === 'later') return { driving: 'keep', inMs: turn.atMs - nowMs };
  if (turn.is === 'unknown') return { driving: 'keep' };
  wake(turn.next === undefined ? [] : [turn.next]);
  return { driving: 'yes' };
}
