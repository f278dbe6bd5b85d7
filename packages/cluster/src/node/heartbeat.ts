/** What the agent tells of nodes: it registers what their machines lack, and gives their signs of life. */
import type { Node } from '../api/generated/core-v1.ts';
import { leases as leasesType, nodes as nodesType } from '../api/generated/kinds.ts';
import type { New } from '../api/meta.ts';
import { ifFound } from '../api/status.ts';
import { type Agent, retryMs } from './agent-state.ts';
import { driverOf, isStopped, type NodeDriver } from './driver.ts';
import {
  heartbeatPeriodMs,
  isAboutNode,
  type NodeAction,
  type NodeObserved,
  nextSignMs,
  planNode,
  renewedLease,
} from './node-plan.ts';
import { leaseNamespace } from './node-status.ts';
import { tellOfNode } from './telling.ts';

/** Undefined: nothing is to be written now. */
export function tendNode(name: string, agent: Agent): Promise<void> | undefined {
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

/** Nearly always there is one thing to be told, that it lives: then nothing is made but that, and nothing else waited for. */
function give(found: Found, { driver, agent }: Beat): Promise<void> {
  const { node, lease } = found;
  const { name } = node.metadata;
  if (lease === undefined || agent.well.get(name) !== node || agent.told.lifeOf(name) !== 'goes on')
    return giveAll(found, { driver, agent });
  const { platform, options } = agent;
  const { leaseDurationSeconds } = options;
  const renewed = renewedLease(lease, { life: 'goes on', leaseDurationSeconds }, platform.clock.nowMs());
  const telling = renewed === undefined ? Promise.resolve() : tellOfNode({ do: 'renew lease', lease: renewed }, agent);
  return telling.then(() => comeAgain(name, { life: 'goes on', agent }));
}

type Found = Pick<NodeObserved, 'node' | 'registration' | 'lease'>;

function giveAll(found: Found, { driver, agent }: Beat): Promise<void> {
  const { platform, options, client, told, signal, well } = agent;
  const { leaseDurationSeconds, kubeletVersion } = options;
  const { node } = found;
  const { name } = node.metadata;
  const machine = well.get(name) === node ? undefined : driver.machine(node);
  const life = told.lifeOf(name);
  const observed = { ...found, life, machine, kubeletVersion, leaseDurationSeconds };
  const actions = planNode(observed, platform.clock.nowMs());
  return tellAll(actions, { client, signal }).then(() => {
    // One that is measured says something new each time.
    if (machine !== undefined && machine.measured === undefined && !actions.some(isAboutNode)) well.set(name, node);
    comeAgain(name, { life, agent });
  });
}

async function tellAll(actions: readonly NodeAction[], telling: Parameters<typeof tellOfNode>[1]): Promise<void> {
  for (const action of actions) await tellOfNode(action, telling);
}

function comeAgain(
  name: string,
  { life, agent }: { readonly life: NodeObserved['life']; readonly agent: Agent },
): void {
  const { platform, options, signs, told } = agent;
  const { clock, random } = platform;
  if (life === 'unknown') {
    signs.set(name, clock.nowMs() + retryMs);
    return;
  }
  told.node(name);
  const periodMs = heartbeatPeriodMs(options.leaseDurationSeconds);
  const { lateMs } = signs;
  signs.set(name, nextSignMs({ life, periodMs, lateMs, nowMs: clock.nowMs(), chance: random.next() }));
}
