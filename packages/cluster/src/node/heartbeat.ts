/** What the agent tells of nodes: it registers what their machines lack, and gives their signs of life. */
import type { Lease } from '../api/generated/coordination-v1.ts';
import type { Node } from '../api/generated/core-v1.ts';
import { leases as leasesType, nodes as nodesType } from '../api/generated/kinds.ts';
import type { New } from '../api/meta.ts';
import { ifFound, isStatusError } from '../api/status.ts';
import { type Agent, retryMs, type Well } from './agent-state.ts';
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
import { renew, type Telling, tellOfNode } from './telling.ts';

/** Undefined: nothing is to be written now. */
export function tendNode(name: string, agent: Agent): Promise<void> | undefined {
  const well = agent.well.get(name);
  if (well?.lease !== undefined) return goOn(well as Well & { readonly lease: Lease }, agent);
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
  const { leaseDurationSeconds, kubeletVersion } = options;
  const { node } = found;
  const { name } = node.metadata;
  const machine = well.get(name)?.node === node ? undefined : driver.machine(node);
  const life = told.lifeOf(name);
  const observed = { ...found, life, machine, kubeletVersion, leaseDurationSeconds };
  const actions = planNode(observed, platform.clock.nowMs());
  return tellAll(actions, { client, signal }).then((lease) => {
    // One that is measured says something new each time.
    const isWell = machine === undefined || (machine.measured === undefined && !actions.some(isAboutNode));
    // It may have changed while it was told of.
    if (isWell && platform.informers.of(nodesType).get(name) === node)
      well.set(name, { node, lease: life === 'goes on' && found.registration === undefined ? lease : undefined });
    comeAgain(name, { life, agent });
  });
}

type Found = Pick<NodeObserved, 'node' | 'registration' | 'lease'>;

/** Nearly always all that a node has to say is that it lives: then nothing is looked for, and nothing made but that. */
function goOn({ node, lease }: Well & { readonly lease: Lease }, agent: Agent): Promise<void> {
  const { platform, options, well } = agent;
  const { name } = node.metadata;
  const { leaseDurationSeconds } = options;
  const renewed = renewedLease(lease, { life: 'goes on', leaseDurationSeconds }, platform.clock.nowMs());
  if (renewed === undefined) {
    comeAgain(name, { life: 'goes on', agent });
    return Promise.resolve();
  }
  return renew(renewed, agent).then(
    (written) => {
      if (well.get(name)?.node === node) well.set(name, { node, lease: written });
      comeAgain(name, { life: 'goes on', agent });
    },
    (error: unknown) => {
      // Somebody else has changed it or taken it away: it is looked at before the next try.
      well.delete(name);
      if (!isStatusError(error, 'NotFound')) throw error;
      agent.signs.set(name, platform.clock.nowMs() + retryMs);
    },
  );
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
