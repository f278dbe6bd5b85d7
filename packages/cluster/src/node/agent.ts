import type { Node, Pod } from '../api/generated/core-v1.ts';
import { leases as leasesType, nodes as nodesType, pods as podsType } from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import { type Key, keyOf } from '../api/meta.ts';
import { isStatusError } from '../api/status.ts';
import { type Backoff, backoffMs } from '../base/backoff.ts';
import { fresh } from '../base/fresh.ts';
import { onAbort } from '../base/signal.ts';
import type { CacheEvent } from '../client/cache.ts';
import { podsByNode } from '../client/indexes.ts';
import type { Component, Platform } from '../runtime/component.ts';
import { type Company, isToBeJudged, whyNotResized, whyRefused } from './admission.ts';
import type { Agenda } from './agenda.ts';
import { type Agent, type Charge, createState, type NodeAgentOptions, retryMs } from './agent-state.ts';
import { type DriverEars, driverOf, isStopped } from './driver.ts';
import { isAllSaid } from './echo.ts';
import { registrationOf, tendNode } from './heartbeat.ts';
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
        loop(lineOf(pods, agent.agenda), agent),
        loop(lineOf(nodes, agent.signs), agent),
      ]).finally(() => {
        for (const stop of stops) stop();
      });
    },
  };
}

/** Who registers a node itself may get its lease, and neither list nor watch leases, as a kubelet. */
function followed({ registers = [] }: NodeAgentOptions): readonly ResourceType[] {
  return registers.length > 0 ? [nodesType, podsType] : [nodesType, podsType, leasesType];
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
  const isBack = type === 'added' || isOthers || isStopped(previous) !== isStopped(object);
  if (!isBack && previous.status === object.status) return;
  signs.set(name, platform.clock.nowMs());
  if (!isBack && addressOf(previous) === addressOf(object)) return;
  // Pods may have been bound before their machine appeared, or while it was silent. They show its address, which a Node that was made again gets later.
  for (const pod of platform.informers.of(podsType).by(podsByNode, name)) {
    // What the same driver runs goes on: a Node that was deleted and made again is the same machine.
    if (agent.charges.get(keyOf(pod))?.driver !== driver) letGo(pod, agent);
    agenda.set(keyOf(pod), platform.clock.nowMs());
  }
}

function addressOf({ status }: Node): string | undefined {
  return status.addresses?.find(({ type }) => type === 'InternalIP')?.address;
}

function letGo(pod: Pod, { charges }: Agent): void {
  charges.get(keyOf(pod))?.driver.forget(pod);
  charges.delete(keyOf(pod));
}

/** What the entries of an agenda are. */
interface Subjects {
  readonly what: 'pod' | 'node';
  /** Writes at once; what is due beyond them waits in line. */
  readonly writesMax: number;
  /** Undefined: nothing is to be written now. */
  tend(entry: string, agent: Agent): Promise<void> | undefined;
  /** There is nothing to be told of it at the moment. */
  settled(entry: string, agent: Agent): void;
  /** Whether something else may be missing, of which no news will come. */
  goesOn(entry: string, agent: Agent): boolean;
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
  settled: () => undefined,
  // Its lease may be gone, or the namespace of all leases: the node lives all the same.
  goesOn: (name, { platform }) => platform.informers.of(nodesType).get(name) !== undefined,
};
const reportBackoff: Backoff = { initialMs: 100, maxMs: 5 * 60_000, factor: 2, jitter: 0.5 };
const missingBackoff: Backoff = { ...reportBackoff, maxMs: 10_000 };

/** What is due, and is written one after the other as there is room. */
interface Line {
  readonly of: Subjects;
  readonly agenda: Agenda;
  /** Writes under way, by agenda entry: nobody plans on what is being changed. */
  readonly writing: Set<string>;
  /** Called when one of them has ended: somebody waits for that. */
  roomy: (() => void) | undefined;
}

function lineOf(of: Subjects, agenda: Agenda): Line {
  return { of, agenda, writing: new Set(), roomy: undefined };
}

async function loop(line: Line, agent: Agent): Promise<void> {
  const { signal, platform } = agent;
  const { of, agenda, writing } = line;
  while (!signal.aborted) {
    for (const entry of await agenda.due({ signal })) {
      const full = room(line, signal);
      if (full !== undefined) await full;
      if (signal.aborted) return;
      if (writing.has(entry)) {
        agenda.set(entry, platform.clock.nowMs() + retryMs);
        continue;
      }
      const work = of.tend(entry, agent);
      if (work === undefined) {
        of.settled(entry, agent);
        continue;
      }
      writing.add(entry);
      void work.then(
        () => {
          leave(entry, line);
          agent.failures.delete(entry);
          of.settled(entry, agent);
        },
        (error: unknown) => {
          leave(entry, line);
          failed(entry, error, { line, agent });
        },
      );
    }
  }
}

/** Undefined: there is room for one more write. What is due waits here, in its order, and is not looked at again and again. */
function room(line: Line, signal: AbortSignal): Promise<void> | undefined {
  if (line.writing.size < line.of.writesMax) return undefined;
  return new Promise((resolve) => {
    const stop = onAbort(signal, resolve);
    line.roomy = () => {
      stop();
      resolve();
    };
  });
}

function leave(entry: string, line: Line): void {
  line.writing.delete(entry);
  line.roomy?.();
  line.roomy = undefined;
}

/** Tried again ever more rarely, and told once: what is refused for good would be refused for ever. */
function failed(entry: string, error: unknown, { line, agent }: { readonly line: Line; readonly agent: Agent }): void {
  const { of, agenda } = line;
  const { signal, platform, failures } = agent;
  if (signal.aborted) return;
  const isMissing = isStatusError(error, 'NotFound');
  if (isMissing && !of.goesOn(entry, agent)) {
    failures.delete(entry);
    of.settled(entry, agent);
    return;
  }
  if (isStatusError(error, 'Conflict')) {
    agenda.set(entry, platform.clock.nowMs() + retryMs);
    return;
  }
  const backoff = isMissing ? missingBackoff : reportBackoff;
  // Its node does not wait for what may be refused for ever.
  of.settled(entry, agent);
  const attempt = (failures.get(entry) ?? 0) + 1;
  failures.set(entry, attempt);
  // What was taken away between look and write is made at the second try, and nothing to be told.
  if (attempt === (isMissing ? 2 : 1)) {
    platform.report({ component: 'fleet', message: `cannot report on ${of.what} ${entry}`, error });
    if (of.what === 'pod') announceFailure(entry, error, agent);
  }
  agenda.set(entry, platform.clock.nowMs() + backoffMs(backoff, { attempt, random: platform.random }));
}

function announceFailure(key: Key, error: unknown, { platform, events }: Agent): void {
  const pod = platform.informers.of(podsType).get(key);
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
  const sizeRefusal = asksForSize(pod) ? whyNotResized(pod, { node, ...companyOf(pod, agent) }) : undefined;
  const nowMs = platform.clock.nowMs();
  const { action, againMs, isLast } = tend(pod, { hostIp, nowMs, refusal, sizeRefusal, ...charge });
  if (againMs !== undefined) agenda.set(key, againMs);
  if (action?.do === 'report' && isLast === true) agent.charges.set(key, { ...fresh, ...charge, told: action.status });
  return action && tellOfPod(action, { pod, client, signal, events });
}

function companyOf({ spec: { nodeName = '' } }: Pod, { platform, charges }: Agent): Company {
  return {
    here: platform.informers.of(podsType).by(podsByNode, nodeName),
    hasBegun: (pod) => (charges.get(keyOf(pod))?.driver.status(pod).containers.size ?? 0) > 0,
  };
}
