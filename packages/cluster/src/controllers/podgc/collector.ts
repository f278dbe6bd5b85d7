import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { nodes, pods } from '../../api/generated/kinds.ts';
import { type Key, keyOf } from '../../api/meta.ts';
import { ifFound } from '../../api/status.ts';
import { controllerUser } from '../../api/system-identities.ts';
import type { CacheEvent } from '../../client/cache.ts';
import { podsByNode } from '../../client/indexes.ts';
import { isPodTerminal } from '../../resources/core/pod/facts.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { createKeyedWork, type RunContext } from '../../runtime/keyed-work.ts';
import {
  isOutOfService,
  isStranded,
  removeOrphans,
  removeOutOfService,
  removeStranded,
  removeSurplus,
} from './plan.ts';

export interface PodCollectorOptions {
  /** How long a node has to be gone before its pods go: it may be created again under the same name. The default is 5 s. */
  readonly quarantineMs?: number;
  /** How many ended pods are kept. The default is 12,500. */
  readonly terminatedPodsMax?: number;
}

const name = 'pod-garbage-collector';
/** Ended pods beyond the threshold are counted at once and removed together. */
const surplusEveryMs = 20_000;

/**
 * Removes pods that nobody will: of nodes that are gone or out of service, deleted before they were given to a node, and
 * ended ones beyond a threshold. Woken by what happens to nodes and pods; a pod's change costs a few comparisons.
 */
export function createPodCollector(platform: Platform, options: PodCollectorOptions = {}): Component {
  const { quarantineMs = 5_000, terminatedPodsMax = 12_500 } = options;
  const { informers } = platform;
  const state: State = { platform, quarantineMs, terminatedPodsMax, missingSinceMs: new Map(), ended: new Map() };
  const work = createKeyedWork({
    name,
    user: controllerUser(name),
    platform,
    workers: 4,
    handle(key, context) {
      if (key === surplusKey) return collectSurplus(state, context);
      const [kind, rest] = split(key);
      return kind === 'pod'
        ? collectStranded(state, { key: rest, context })
        : collectNode(state, { node: rest, context });
    },
  });

  const watchPod = ({ type, object }: CacheEvent<Pod>): void => {
    const key = keyOf(object);
    if (type === 'deleted' || !isPodTerminal(object)) state.ended.delete(key);
    else {
      state.ended.set(key, object);
      if (state.ended.size > terminatedPodsMax) work.addAfter(surplusKey, surplusEveryMs);
    }
    if (type === 'deleted') return;
    if (isStranded(object)) work.add(`pod:${key}`);
    const { nodeName = '' } = object.spec;
    if (nodeName === '') return;
    const node = informers.of(nodes).get(nodeName);
    if (node === undefined) markMissing(state, nodeName);
    if (node === undefined || (object.metadata.deletionTimestamp !== undefined && isOutOfService(node)))
      work.add(`node:${nodeName}`);
  };
  const watchNode = ({ type, object }: CacheEvent<Node>): void => {
    const { name: node } = object.metadata;
    if (type === 'deleted') markMissing(state, node);
    else state.missingSinceMs.delete(node);
    if (type === 'deleted' || isOutOfService(object)) work.add(`node:${node}`);
  };

  return {
    name,
    async run({ signal }) {
      await informers.sync([nodes, pods], { signal });
      const stops = [informers.listen(nodes, watchNode), informers.listen(pods, watchPod)];
      await work.run({ signal }).finally(() => {
        for (const stop of stops) stop();
      });
    },
  };
}

function markMissing({ missingSinceMs, platform }: State, node: string): void {
  if (!missingSinceMs.has(node)) missingSinceMs.set(node, platform.clock.nowMs());
}

const surplusKey = 'surplus';

interface State {
  readonly platform: Platform;
  readonly quarantineMs: number;
  readonly terminatedPodsMax: number;
  /** Nodes that pods name and the cache does not hold. */
  readonly missingSinceMs: Map<string, number>;
  readonly ended: Map<Key, Pod>;
}

/** Keys of two kinds share one queue; a node's name has no colon, a pod's key neither. */
function split(key: Key): readonly [string, string] {
  const colon = key.indexOf(':');
  return [key.slice(0, colon), key.slice(colon + 1)];
}

async function collectSurplus({ ended, terminatedPodsMax }: State, { perform }: RunContext): Promise<undefined> {
  await perform(removeSurplus([...ended.values()], { terminatedPodsMax }));
}

async function collectStranded(
  { platform }: State,
  { key, context }: { readonly key: Key; readonly context: RunContext },
): Promise<undefined> {
  const pod = platform.informers.of(pods).get(key);
  if (pod !== undefined && isStranded(pod)) await context.perform(removeStranded(pod));
}

async function collectNode(
  { platform, quarantineMs, missingSinceMs }: State,
  { node, context }: { readonly node: string; readonly context: RunContext },
): Promise<number | undefined> {
  const { informers, clock } = platform;
  const bound = informers.of(pods).by(podsByNode, node);
  const cached = informers.of(nodes).get(node);
  const nowMs = clock.nowMs();
  if (bound.length === 0 || cached !== undefined) {
    missingSinceMs.delete(node);
    if (cached !== undefined) await context.perform(removeOutOfService({ node: cached, pods: bound }));
    return undefined;
  }
  const sinceMs = missingSinceMs.get(node) ?? nowMs;
  missingSinceMs.set(node, sinceMs);
  if (sinceMs + quarantineMs > nowMs) return sinceMs + quarantineMs - nowMs;
  if (await exists(node, context)) return quarantineMs;
  await context.perform(removeOrphans(bound, { nowMs }));
  return undefined;
}

/** Asks the API itself: a cache that lags must not cost anybody a pod. */
async function exists(node: string, { client, signal }: RunContext): Promise<boolean> {
  return (await ifFound(client.get(nodes, { name: node, signal }))) !== undefined;
}
