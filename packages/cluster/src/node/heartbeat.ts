/** What the agent tells of nodes: it registers what their machines lack, and gives their signs of life. */
import type { Lease } from '../api/generated/coordination-v1.ts';
import type { Node } from '../api/generated/core-v1.ts';
import { leases as leasesType, nodes as nodesType } from '../api/generated/kinds.ts';
import type { New } from '../api/meta.ts';
import { ifFound, isStatusError } from '../api/status.ts';
import { type Agent, retryMs, type Well } from './agent-state.ts';
import { driverOf, isStopped, type NodeDriver } from './driver.ts';
import type { Together } from './line.ts';
import {
  heartbeatPeriodMs,
  isAboutNode,
  type NodeAction,
  type NodeObserved,
  nextSignMs,
  planNode,
  readinessNews,
  renewedLease,
} from './node-plan.ts';
import { leaseNamespace } from './node-status.ts';
import { renew, renewEach, type Telling, tellOfNode } from './telling.ts';

/** Undefined: nothing is to be written now. */
export function tendNode(name: string, agent: Agent): Promise<void> | undefined {
  const lease = agent.well.get(name)?.lease;
  if (lease !== undefined) {
    // All that it has to say is told together with what others have to say, or was said just now.
    if (livingNode(name, agent) === undefined) comeAgain(name, { life: 'goes on', lease, agent });
    else agent.signs.set(name, agent.platform.clock.nowMs());
    return undefined;
  }
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

export function registrationOf(name: string, { options }: Agent): New<Node> | undefined {
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

function give(found: Found, { driver, agent }: Beat): Promise<void> {
  const { platform, options, client, told, signal, well } = agent;
  const { kubeletVersion } = options;
  const leaseDurationSeconds = agent.leaseDurationSeconds();
  const { node } = found;
  const { name } = node.metadata;
  const machine = well.get(name)?.node === node ? undefined : driver.machine(node);
  const life = told.lifeOf(name);
  const volumesInUse = machine && agent.mounts?.inUse(name);
  const observed = { life, machine, kubeletVersion, leaseDurationSeconds, volumesInUse, ...found };
  const actions = planNode(observed, platform.clock.nowMs());
  return tellAll(actions, { client, signal }).then((lease) => {
    const reason = readinessNews(actions);
    if (reason !== undefined)
      agent.events.emit({ regarding: node, type: 'Normal', reason, note: `Node ${name} status is now: ${reason}` });
    // One that is measured says something new each time.
    const isWell = machine === undefined || (machine.measured === undefined && !actions.some(isAboutNode));
    // It may have changed while it was told of.
    if (isWell && platform.informers.of(nodesType).get(name) === node)
      well.set(name, { node, lease: life === 'goes on' && found.registration === undefined ? lease : undefined });
    comeAgain(name, { life, lease: lease ?? found.lease, agent });
  });
}

type Found = Pick<NodeObserved, 'node' | 'registration' | 'lease'>;

/** Nearly always all that a node has to say is that it lives: then nothing is looked for, and the signs of all are one write. */
export function tendTogether(names: readonly string[], agent: Agent): Together | undefined {
  const living = names.flatMap((name) => livingNode(name, agent) ?? []);
  if (living.length === 0) return undefined;
  const leases = living.map(({ lease }) => lease);
  const work = renewEach(leases, agent).then((written) =>
    living.map(({ name, node }, index) => {
      const lease = written[index];
      if (lease === undefined || lease instanceof Error) return mayBeGone(name, lease, agent);
      lives(name, { node, lease }, agent);
      return undefined;
    }),
  );
  return { told: living.map(({ name }) => name), work };
}

interface LivingNode {
  readonly name: string;
  readonly node: Node;
  /** As it says that the node lives. */
  readonly lease: Lease;
}

/** Undefined: more is to be found out of it, or its last sign is fresh enough. */
function livingNode(name: string, { platform, well, leaseDurationSeconds }: Agent): LivingNode | undefined {
  const { node, lease } = well.get(name) ?? {};
  if (node === undefined || lease === undefined) return undefined;
  const terms = { life: 'goes on', leaseDurationSeconds: leaseDurationSeconds() } as const;
  const renewed = renewedLease(lease, terms, platform.clock.nowMs());
  return renewed && { name, node, lease: renewed };
}

function lives(name: string, { node, lease }: Well, agent: Agent): void {
  if (agent.well.get(name)?.node === node) agent.well.set(name, { node, lease });
  comeAgain(name, { life: 'goes on', lease, agent });
}

/** Somebody else has changed it or taken it away: it is looked at before the next try. */
function mayBeGone(name: string, error: Error | undefined, { well, signs, platform }: Agent): Error | undefined {
  well.delete(name);
  if (!isStatusError(error, 'NotFound')) return error;
  signs.set(name, platform.clock.nowMs() + retryMs);
  return undefined;
}

/** Returns the lease as it was renewed, if it was. */
async function tellAll(actions: readonly NodeAction[], telling: Telling): Promise<Lease | undefined> {
  let renewed: Lease | undefined;
  for (const action of actions) {
    if (action.do === 'renew lease') renewed = await renew(action.lease, telling);
    else await tellOfNode(action, telling);
  }
  return renewed;
}

function comeAgain(
  name: string,
  {
    life,
    lease,
    agent,
  }: { readonly life: NodeObserved['life']; readonly lease: Lease | undefined; readonly agent: Agent },
): void {
  const { platform, signs, told } = agent;
  const { clock, random } = platform;
  if (life === 'unknown') {
    signs.set(name, clock.nowMs() + retryMs);
    return;
  }
  told.node(name);
  const periodMs = heartbeatPeriodMs(lease, agent.leaseDurationSeconds());
  const { lateMs } = signs;
  signs.set(name, nextSignMs({ life, periodMs, lateMs, nowMs: clock.nowMs(), chance: random.next() }));
}
