import type { Node, Pod, PodStatus } from '../api/generated/core-v1.ts';
import { leases as leasesType, nodes as nodesType, pods as podsType } from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import { type Key, keyOf, type New } from '../api/meta.ts';
import { ifFound, isStatusError } from '../api/status.ts';
import { nodeAgent } from '../api/system-identities.ts';
import { type Backoff, backoffMs } from '../base/backoff.ts';
import { fresh } from '../base/fresh.ts';
import { onAbort } from '../base/signal.ts';
import type { CacheEvent } from '../client/cache.ts';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import { podsByNode } from '../client/indexes.ts';
import type { Component, Platform } from '../runtime/component.ts';
import { createEventRecorder, type EventRecorder } from '../runtime/events.ts';
import { type Company, isToBeJudged, whyRefused } from './admission.ts';
import { type Agenda, createAgenda } from './agenda.ts';
import { type DriverEars, driverOf, isStopped, type NodeDriver } from './driver.ts';
import { isAllSaid } from './echo.ts';
import {
  heartbeatPeriodMs,
  isAboutNode,
  type NodeAction,
  type NodeObserved,
  nextSignMs,
  planNode,
} from './node-plan.ts';
import { leaseNamespace } from './node-status.ts';
import { tellOfNode, tellOfPod } from './telling.ts';
import { tend } from './tend.ts';
import { createTold, type Told } from './told.ts';

export interface NodeAgentOptions {
  /** Who runs the nodes; the first runs those that name none. */
  readonly drivers: readonly NodeDriver[];
  /** How long a node counts as alive after a sign of life; it gives one four times as often. */
  readonly leaseDurationSeconds?: number;
  readonly kubeletVersion?: string;
  /** Nodes that the agent registers itself, as a kubelet does: made when they are missing, with these labels and annotations. */
  readonly registers?: readonly New<Node>[];
}

/**
 * The agent of all nodes that a driver here runs, with one loop and one agenda: a node or a pod that waits costs an entry,
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
        if (metadata.name !== undefined) agent.agenda.set(nodeEntry(metadata.name), platform.clock.nowMs());
      await Promise.all([agent.events.run({ signal }), loop(agent)]).finally(() => {
        for (const stop of stops) stop();
      });
    },
  };
}

/** Who registers a node itself may get its lease, and neither list nor watch leases, as a kubelet. */
function followed({ registers = [] }: NodeAgentOptions): readonly ResourceType[] {
  return registers.length > 0 ? [nodesType, podsType] : [nodesType, podsType, leasesType];
}

/** What the agent remembers of a pod. */
interface Charge {
  readonly uid: string;
  readonly driver: NodeDriver;
  readonly stoppingMs: number | undefined;
  /** What was told of it last, where that was all. */
  readonly told?: PodStatus;
}

interface Agent {
  readonly platform: Platform;
  readonly options: Required<NodeAgentOptions>;
  readonly signal: AbortSignal;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly agenda: Agenda;
  readonly charges: Map<Key, Charge>;
  /** How often in a row the write of an agenda entry has failed. */
  readonly failures: Map<string, number>;
  /** Writes under way, by agenda entry: nobody plans on what is being changed. */
  readonly writing: Set<string>;
  /** Called when one of them has ended: somebody waits for that. */
  roomy: (() => void) | undefined;
  readonly told: Told;
  /** Nodes that said all that there is to say of their machine, so that nobody compares it again at each sign of life. */
  readonly well: Map<string, Node>;
}

/** Writes at once; what is due beyond them waits a moment. */
const writesMax = 512;
const retryMs = 100;
const reportBackoff: Backoff = { initialMs: 100, maxMs: 5 * 60_000, factor: 2, jitter: 0.5 };

function createState(platform: Platform, options: NodeAgentOptions, signal: AbortSignal): Agent {
  const { transport, clock, random } = platform;
  const client = createClient(transport, nodeAgent.user);
  return {
    platform,
    options: { leaseDurationSeconds: 40, kubeletVersion: 'v1.34.2', registers: [], ...options },
    signal,
    client,
    events: createEventRecorder({ client, clock, random: random.fork('events'), source: 'kubelet' }),
    agenda: createAgenda(clock),
    charges: new Map(),
    failures: new Map(),
    writing: new Set(),
    roomy: undefined,
    told: createTold(platform.informers),
    well: new Map(),
  };
}

const podEntry = (key: Key): string => `pod ${key}`;
const nodeEntry = (name: string): string => `node ${name}`;

function earsOf({ platform, agenda, events, well }: Agent): DriverEars {
  return {
    changed: (pod) => agenda.set(podEntry(keyOf(pod)), platform.clock.nowMs()),
    happened: (pod, event) => events.emit({ regarding: pod, ...event }),
    machineChanged(name) {
      well.delete(name);
      agenda.set(nodeEntry(name), platform.clock.nowMs());
    },
  };
}

function seePod({ type, object, previous }: CacheEvent<Pod>, agent: Agent): void {
  const { nodeName = '' } = object.spec;
  if (nodeName === '') return;
  const key = keyOf(object);
  if (type === 'deleted') {
    letGo(object, agent);
    agent.failures.delete(podEntry(key));
    agent.told.pod(key);
    agent.agenda.cancel(podEntry(key));
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
  agent.agenda.set(podEntry(key), agent.platform.clock.nowMs());
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
  const { agenda, platform, options } = agent;
  const { name } = object.metadata;
  const driver = driverOf(object, options.drivers);
  if (type === 'deleted') {
    agenda.cancel(nodeEntry(name));
    agent.well.delete(name);
    driver?.leave(object);
    if (registrationOf(name, agent) !== undefined) agenda.set(nodeEntry(name), platform.clock.nowMs());
    return;
  }
  const driverBefore = type === 'added' ? undefined : driverOf(previous, options.drivers);
  const isOthers = driver !== driverBefore;
  if (isOthers) {
    agent.well.delete(name);
    if (type === 'updated') driverBefore?.leave(previous);
    driver?.join(object);
  }
  const isBack = type === 'added' || isOthers || isStopped(previous) !== isStopped(object);
  if (!isBack && previous.status === object.status) return;
  agenda.set(nodeEntry(name), platform.clock.nowMs());
  if (!isBack && addressOf(previous) === addressOf(object)) return;
  // Pods may have been bound before their machine appeared, or while it was silent. They show its address, which a Node that was made again gets later.
  for (const pod of platform.informers.of(podsType).by(podsByNode, name)) {
    // What the same driver runs goes on: a Node that was deleted and made again is the same machine.
    if (agent.charges.get(keyOf(pod))?.driver !== driver) letGo(pod, agent);
    agenda.set(podEntry(keyOf(pod)), platform.clock.nowMs());
  }
}

function addressOf({ status }: Node): string | undefined {
  return status.addresses?.find(({ type }) => type === 'InternalIP')?.address;
}

function letGo(pod: Pod, { charges }: Agent): void {
  charges.get(keyOf(pod))?.driver.forget(pod);
  charges.delete(keyOf(pod));
}

async function loop(agent: Agent): Promise<void> {
  const { agenda, signal, platform } = agent;
  while (!signal.aborted) {
    for (const entry of await agenda.due({ signal })) {
      const full = room(agent);
      if (full !== undefined) await full;
      if (signal.aborted) return;
      if (agent.writing.has(entry)) {
        agenda.set(entry, platform.clock.nowMs() + retryMs);
        continue;
      }
      const work = entry.startsWith('pod ') ? tendPod(entry.slice(4), agent) : tendNode(entry.slice(5), agent);
      if (work === undefined) {
        settled(entry, agent);
        continue;
      }
      agent.writing.add(entry);
      void work.then(
        () => {
          leave(entry, agent);
          agent.failures.delete(entry);
          settled(entry, agent);
        },
        (error: unknown) => {
          leave(entry, agent);
          failed(entry, error, agent);
        },
      );
    }
  }
}

/** Undefined: there is room for one more write. What is due waits here, in its order, and is not looked at again and again. */
function room(agent: Agent): Promise<void> | undefined {
  if (agent.writing.size < writesMax) return undefined;
  return new Promise((resolve) => {
    const stop = onAbort(agent.signal, resolve);
    agent.roomy = () => {
      stop();
      resolve();
    };
  });
}

function leave(entry: string, agent: Agent): void {
  agent.writing.delete(entry);
  agent.roomy?.();
  agent.roomy = undefined;
}

/** There is nothing to be told of it at the moment. */
function settled(entry: string, { told }: Agent): void {
  if (entry.startsWith('pod ')) told.pod(entry.slice(4));
}

/**
 * A conflict means that news is on its way and will bring the entry back. Anything else is tried again, ever more rarely,
 * and told once: what is refused for good, as a status that is too large to be stored, would be refused for ever.
 */
function failed(entry: string, error: unknown, agent: Agent): void {
  const { signal, agenda, platform, failures } = agent;
  if (signal.aborted) return;
  if (isStatusError(error, 'NotFound')) {
    failures.delete(entry);
    settled(entry, agent);
    return;
  }
  if (isStatusError(error, 'Conflict')) {
    agenda.set(entry, platform.clock.nowMs() + retryMs);
    return;
  }
  // Its node does not wait for what may be refused for ever.
  settled(entry, agent);
  const attempt = (failures.get(entry) ?? 0) + 1;
  failures.set(entry, attempt);
  if (attempt === 1) {
    platform.report({ component: 'fleet', message: `cannot report on ${entry}`, error });
    announceFailure(entry, error, agent);
  }
  agenda.set(entry, platform.clock.nowMs() + backoffMs(reportBackoff, { attempt, random: platform.random }));
}

function announceFailure(entry: string, error: unknown, { platform, events }: Agent): void {
  const pod = entry.startsWith('pod ') ? platform.informers.of(podsType).get(entry.slice(4)) : undefined;
  if (pod === undefined) return;
  const why = error instanceof Error ? error.message : String(error);
  const note = `The status of the pod cannot be written, so it stays as it is: ${why}`;
  events.emit({ regarding: pod, type: 'Warning', reason: 'FailedSync', note });
}

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
  const { action, againMs, isLast } = tend(pod, { hostIp, nowMs: platform.clock.nowMs(), refusal, ...charge });
  if (againMs !== undefined) agenda.set(podEntry(key), againMs);
  if (action?.do === 'report' && isLast === true) agent.charges.set(key, { ...fresh, ...charge, told: action.status });
  return action && tellOfPod(action, { pod, client, signal, events });
}

function companyOf({ spec: { nodeName = '' } }: Pod, { platform, charges }: Agent): Company {
  return {
    here: platform.informers.of(podsType).by(podsByNode, nodeName),
    hasBegun: (pod) => (charges.get(keyOf(pod))?.driver.status(pod).containers.size ?? 0) > 0,
  };
}

function tendNode(name: string, agent: Agent): Promise<void> | undefined {
  const node = agent.platform.informers.of(nodesType).get(name);
  if (node === undefined) return register(name, agent);
  const driver = driverOf(node, agent.options.drivers);
  return driver === undefined || isStopped(node) ? undefined : heartbeat(node, { driver, agent });
}

/** Undefined: it is somebody else's matter to make it. */
function register(name: string, agent: Agent): Promise<void> | undefined {
  const node = registrationOf(name, agent);
  return node && tellOfNode({ do: 'register', node }, agent).then(() => undefined);
}

function registrationOf(name: string, { options }: Agent): New<Node> | undefined {
  return options.registers.find(({ metadata }) => metadata.name === name);
}

interface Beat {
  readonly driver: NodeDriver;
  readonly agent: Agent;
}

/** Registers what the machine lacks, and gives its sign of life. */
function heartbeat(node: Node, beat: Beat): Promise<void> {
  const { platform, client, signal } = beat.agent;
  const { name } = node.metadata;
  const registration = registrationOf(name, beat.agent);
  if (registration === undefined) {
    const lease = platform.informers.of(leasesType).get(`${leaseNamespace}/${name}`);
    return give({ node, registration, lease }, beat);
  }
  return ifFound(client.get(leasesType, { namespace: leaseNamespace, name, signal })).then((lease) =>
    give({ node, registration, lease }, beat),
  );
}

/** Nearly always there is one thing to be told, that it lives: then nothing but that is waited for. */
function give(found: Pick<NodeObserved, 'node' | 'registration' | 'lease'>, { driver, agent }: Beat): Promise<void> {
  const { platform, options, client, told, signal, well } = agent;
  const { leaseDurationSeconds, kubeletVersion } = options;
  const { node } = found;
  const { name } = node.metadata;
  const machine = well.get(name) === node ? undefined : driver.machine(node);
  const life = told.lifeOf(name);
  const observed = { ...found, life, machine, kubeletVersion, leaseDurationSeconds };
  const actions = planNode(observed, platform.clock.nowMs());
  const [only, ...others] = actions;
  const given = (): void => {
    // One that is measured says something new each time.
    if (machine !== undefined && machine.measured === undefined && !actions.some(isAboutNode)) well.set(name, node);
    comeAgain(name, { life, agent });
  };
  if (only === undefined || others.length > 0) return tellAll(actions, { client, signal }).then(given);
  return tellOfNode(only, { client, signal }).then(given);
}

async function tellAll(actions: readonly NodeAction[], telling: Parameters<typeof tellOfNode>[1]): Promise<void> {
  for (const action of actions) await tellOfNode(action, telling);
}

function comeAgain(
  name: string,
  { life, agent }: { readonly life: NodeObserved['life']; readonly agent: Agent },
): void {
  const { platform, options, agenda, told } = agent;
  const { clock, random } = platform;
  if (life === 'unknown') {
    agenda.set(nodeEntry(name), clock.nowMs() + retryMs);
    return;
  }
  told.node(name);
  const periodMs = heartbeatPeriodMs(options.leaseDurationSeconds);
  agenda.set(nodeEntry(name), nextSignMs({ life, periodMs, nowMs: clock.nowMs(), chance: random.next() }));
}
