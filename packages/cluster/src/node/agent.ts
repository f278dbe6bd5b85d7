import type { Node, Pod } from '../api/generated/core-v1.ts';
import {
  configmaps,
  csidrivers,
  leases as leasesType,
  nodes as nodesType,
  persistentvolumeclaims,
  persistentvolumes,
  pods as podsType,
  secrets,
} from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import { type Key, keyOf } from '../api/meta.ts';
import { fresh } from '../base/fresh.ts';
import type { CacheEvent } from '../client/cache.ts';
import { podsByNode } from '../client/indexes.ts';
import { isPodTerminal } from '../resources/core/pod/facts.ts';
import type { Component, Platform } from '../runtime/component.ts';
import { type Company, isToBeJudged, whyNotResized, whyRefused } from './admission.ts';
import { type Agent, type Charge, createState, type NodeAgentOptions, registersItself } from './agent-state.ts';
import { lackingEnvironments, missingPullSecrets } from './configuration.ts';
import { type DriverEars, driverOf, isStopped } from './driver.ts';
import { isAllSaid } from './echo.ts';
import { registrationOf, tendNode, tendTogether } from './heartbeat.ts';
import { runLine, type Subjects } from './line.ts';
import { configurationOf } from './mount-tries.ts';
import type { PodObserved } from './pod-plan.ts';
import { asksForSize } from './sizes.ts';
import { tellOfPod } from './telling.ts';
import { tend } from './tend.ts';

/**
 * The agent of all nodes that a driver here runs, with one loop and agenda for nodes and one for pods: who waits costs an entry,
 * not a timer. A node with `signalbox.dev/stopped: "true"` is silent, as if its power were cut.
 */
export function createNodeAgent(platform: Platform, options: NodeAgentOptions): Component {
  return {
    name: 'fleet',
    async run({ signal }) {
      await platform.informers.sync(followed(options), { signal });
      const agent = createState(platform, options, signal);
      const stops = [
        platform.informers.listen(podsType, (event) => seePod(event, agent)),
        platform.informers.listen(nodesType, (event) => seeNode(event, agent)),
      ];
      for (const driver of options.drivers) driver.listen?.(earsOf(agent));
      for (const { metadata } of agent.options.registers)
        if (metadata.name !== undefined) agent.signs.set(metadata.name, platform.clock.nowMs());
      await Promise.all([
        agent.events.run({ signal }),
        runLine(pods, agent.agenda, agent),
        runLine(nodes, agent.signs, agent),
      ]).finally(() => {
        for (const stop of stops) stop();
      });
    },
  };
}

function followed(options: NodeAgentOptions): readonly ResourceType[] {
  const always = [nodesType, podsType];
  if (registersItself(options)) return always;
  return [...always, leasesType, persistentvolumeclaims, persistentvolumes, csidrivers, configmaps, secrets];
}

function earsOf({ platform, agenda, signs, events, well }: Agent): DriverEars {
  return {
    changed: (pod) => agenda.set(keyOf(pod), platform.clock.nowMs()),
    happened: (pod, event) => events.emit({ regarding: pod, ...event }),
    machineChanged(name) {
      well.delete(name);
      signs.set(name, platform.clock.nowMs());
    },
  };
}

function seePod({ type, object, previous }: CacheEvent<Pod>, agent: Agent): void {
  const { nodeName = '' } = object.spec;
  if (nodeName === '') return;
  const key = keyOf(object);
  if (type === 'deleted') {
    letGo(object, agent);
    agent.failures.delete(key);
    agent.told.pod(key);
    agent.agenda.cancel(key);
    return;
  }
  const known = agent.charges.get(key);
  // Another pod of the same name took its place.
  if (known !== undefined && known.uid !== object.metadata.uid && previous !== undefined) known.driver.forget(previous);
  const charge = takeCharge(object, agent);
  // What there is to do next stands in the agenda already.
  if (charge?.told !== undefined && previous !== undefined && isAllSaid(object, { previous, told: charge.told })) {
    if (object.status !== charge.told) agent.charges.set(key, { ...fresh, ...charge, told: object.status });
    return;
  }
  agent.agenda.set(key, agent.platform.clock.nowMs());
}

/** Undefined when nobody here runs the pod's node. */
function takeCharge(pod: Pod, { platform, charges, options }: Agent): Charge | undefined {
  const key = keyOf(pod);
  const known = charges.get(key);
  const isStopping = pod.metadata.deletionTimestamp !== undefined;
  if (known?.uid === pod.metadata.uid && (known.stoppingMs !== undefined || !isStopping)) return known;
  const node = platform.informers.of(nodesType).get(pod.spec.nodeName ?? '');
  const driver = known?.uid === pod.metadata.uid ? known.driver : node && driverOf(node, options.drivers);
  if (driver === undefined) return undefined;
  if (known?.uid !== pod.metadata.uid) driver.adopt(pod);
  const stoppingMs = isStopping ? platform.clock.nowMs() : undefined;
  const charge: Charge = { uid: pod.metadata.uid, driver, stoppingMs };
  charges.set(key, charge);
  return charge;
}

function seeNode({ type, object, previous }: CacheEvent<Node>, agent: Agent): void {
  const { agenda, signs, failures, platform, options } = agent;
  const { name } = object.metadata;
  const driver = driverOf(object, options.drivers);
  agent.well.delete(name);
  if (type === 'deleted') {
    signs.cancel(name);
    failures.delete(name);
    driver?.leave(object);
    if (registrationOf(name, agent) !== undefined) signs.set(name, platform.clock.nowMs());
    return;
  }
  const driverBefore = type === 'added' ? undefined : driverOf(previous, options.drivers);
  const isOthers = driver !== driverBefore;
  if (isOthers) {
    if (type === 'updated') driverBefore?.leave(previous);
    driver?.join(object);
  }
  if (type === 'updated' && driver !== undefined && isCordoned(previous) !== isCordoned(object))
    tellCordon(object, agent);
  const isBack = type === 'added' || isOthers || isStopped(previous) !== isStopped(object);
  if (!isBack && previous.status === object.status) return;
  signs.set(name, platform.clock.nowMs());
  for (const key of agent.mounts?.waiting(name) ?? []) agenda.set(key, platform.clock.nowMs());
  if (!isBack && addressOf(previous) === addressOf(object)) return;
  // Pods may have been bound before their machine appeared, or while it was silent. They show its address, which a Node that was made again gets later.
  for (const pod of platform.informers.of(podsType).by(podsByNode, name)) {
    // What the same driver runs goes on: a Node that was deleted and made again is the same machine.
    if (agent.charges.get(keyOf(pod))?.driver !== driver) letGo(pod, agent);
    agenda.set(keyOf(pod), platform.clock.nowMs());
  }
}

function isCordoned({ spec }: Node): boolean {
  return spec?.unschedulable === true;
}

/** A machine without power says nothing. */
function tellCordon(node: Node, { events }: Agent): void {
  if (isStopped(node)) return;
  const reason = isCordoned(node) ? 'NodeNotSchedulable' : 'NodeSchedulable';
  const note = `Node ${node.metadata.name} status is now: ${reason}`;
  events.emit({ regarding: node, type: 'Normal', reason, note });
}

function addressOf({ status }: Node): string | undefined {
  return status.addresses?.find(({ type }) => type === 'InternalIP')?.address;
}

function letGo(pod: Pod, { charges, mounts, mountTries }: Agent): void {
  mounts?.forget(pod);
  mountTries?.forget(pod);
  const key = keyOf(pod);
  charges.get(key)?.driver.forget(pod);
  charges.delete(key);
}

const pods: Subjects = {
  what: 'pod',
  writesMax: 512,
  tend: tendPod,
  settled: (key, { told }) => told.pod(key),
  goesOn: () => false,
};
const nodes: Subjects = {
  what: 'node',
  writesMax: 256,
  tend: tendNode,
  together: tendTogether,
  settled: () => undefined,
  // Its lease may be gone, or the namespace of all leases: the node lives all the same.
  goesOn: (name, { platform }) => platform.informers.of(nodesType).get(name) !== undefined,
};
/** Undefined: nothing is to be written now. */
function tendPod(key: Key, agent: Agent): Promise<void> | undefined {
  const { platform, agenda, client, signal, events } = agent;
  const pod = platform.informers.of(podsType).get(key);
  const node = pod && platform.informers.of(nodesType).get(pod.spec.nodeName ?? '');
  if (pod === undefined || node === undefined || isStopped(node)) return undefined;
  const charge = takeCharge(pod, agent);
  if (charge === undefined) return undefined;
  const hostIp = addressOf(node);
  const refusal = isToBeJudged(pod) ? whyRefused(pod, { node, ...companyOf(pod, agent) }) : undefined;
  const sizeRefusal = asksForSize(pod) ? whyNotResized(pod, { node, ...companyOf(pod, agent) }) : undefined;
  const nowMs = platform.clock.nowMs();
  const volumes = unmountedOf(pod, { node, charge, agent });
  const found = agent.mountTries && configurationOf(platform.informers, pod);
  const environments = found && lackingEnvironments(pod, found);
  const secrets = found && missingPullSecrets(pod, found);
  const { driver, stoppingMs } = charge;
  const world = {
    hostIp,
    nowMs,
    refusal,
    sizeRefusal,
    volumes,
    lackingEnvironments: environments,
    missingPullSecrets: secrets,
    driver,
    stoppingMs,
  };
  const { action, againMs, isLast } = tend(pod, world);
  if (againMs !== undefined) agenda.set(key, againMs);
  if (action?.do === 'report' && isLast === true) agent.charges.set(key, { ...fresh, ...charge, told: action.status });
  return action && tellOfPod(action, { pod, client, signal, events });
}

interface On {
  readonly node: Node;
  readonly charge: Charge;
  readonly agent: Agent;
}

/** What the pod mounts and is not there, as long as nothing of it has begun; news of it are events. */
function unmountedOf(pod: Pod, { node, charge, agent }: On): PodObserved['volumes'] {
  const { mounts, mountTries, platform, events } = agent;
  const claims = mounts?.lacking(pod, node);
  const others = mountTries?.lacking(pod, platform.clock.nowMs());
  if (claims === undefined && others === undefined) return undefined;
  const news = [...(claims?.event === undefined ? [] : [claims.event]), ...(others?.events ?? [])];
  if (news.length > 0 && !isEnding(pod) && charge.driver.status(pod).containers.size === 0)
    for (const event of news) events.emit({ regarding: pod, ...event });
  const moments = [claims?.againInMs, others?.againInMs].filter((inMs) => inMs !== undefined);
  return {
    againInMs: moments.length === 0 ? undefined : Math.min(...moments),
    isQuiet: claims === undefined && others?.isQuiet === true,
  };
}

/** Nobody mounts anything for it any more. */
function isEnding(pod: Pod): boolean {
  return isPodTerminal(pod) || pod.metadata.deletionTimestamp !== undefined;
}

function companyOf({ spec: { nodeName = '' } }: Pod, { platform, charges }: Agent): Company {
  return {
    here: platform.informers.of(podsType).by(podsByNode, nodeName),
    hasBegun: (pod) => (charges.get(keyOf(pod))?.driver.status(pod).containers.size ?? 0) > 0,
  };
}
