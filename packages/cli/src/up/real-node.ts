/** The real node of `up --real`, from its start to its end. */
import { join } from 'node:path';
import { nodes } from '@signalbox/cluster';
import type { World } from '@signalbox/telemetry';
import { dataOption } from '../format/data-option.ts';
import type { Io } from '../io/io.ts';
import type { Log, LogLevel } from '../io/log.ts';
import { reasonOf } from '../io/log.ts';
import { type KeptNode, keepNode } from './keep-node.ts';
import { endNodesIn } from './left-nodes.ts';
import { agentArguments, type NodePlan, writeNodeKubeconfigs } from './node-plan.ts';
import type { Started } from './start.ts';

export interface StartRealNode {
  readonly started: Pick<Started, 'pki' | 'serving'>;
  readonly logLevel: LogLevel;
  readonly log: Log;
  readonly io: Io;
}

export async function startRealNode(plan: NodePlan, { started, logLevel, log, io }: StartRealNode): Promise<KeptNode> {
  const { pki, serving } = started;
  const server = `https://${reachable(serving.address)}:${serving.port}`;
  await writeNodeKubeconfigs(plan, { pki, server });
  const kept = keepNode({
    ...{ name: plan.name, folder: plan.folder, log, io },
    argv: agentArguments(plan, logLevel),
    logFile: join(plan.folder, 'agent.log'),
  });
  pki.onChange(() => {
    // An agent reads its certificates once, and ending it costs nothing.
    writeNodeKubeconfigs(plan, { pki, server }).then(kept.renew, (error: unknown) =>
      log.write({ level: 'warn', message: `the certificates of the node ${plan.name} cannot be renewed`, error }),
    );
  });
  return kept;
}

/** How this machine itself reaches an address that is listened on. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}

export interface EndRealNodes {
  /** The data folder, absolute. */
  readonly folder: string;
  readonly log: Log;
  readonly io: Io;
}

const endMsMax = 20_000;

/** Ends the node, and those that an earlier `up` has left there. What cannot be ended is told. */
export async function endRealNodes(kept: KeptNode | undefined, { folder, log, io }: EndRealNodes): Promise<void> {
  try {
    await kept?.end();
    // The user's signal has come by now, and this is what it asks for.
    const unhurried = { ...io, signal: new AbortController().signal };
    await endNodesIn(folder, { withinMs: endMsMax, kill: true, io: unhurried });
  } catch (error) {
    log.write({ level: 'error', message: `the real node did not end in order: ${reasonOf(error)}` });
  }
}

/** What a second Ctrl-C leaves. The agent has heard the first, and is a process of its own. */
export function leftAtOnce({ name }: Pick<NodePlan, 'name'>, place: { readonly data: string | undefined }): string {
  const down = `signalbox down${dataOption(place)}`;
  return `ended at once; the agent of the real node ${name} ends what runs in its pods by itself. What is left if it cannot, "${down}" ends, and the next "up --real" takes over`;
}

/** What of its pods' limits the node cannot hold, and the mend. */
export function limitsWarning(world: World, node: Pick<KeptNode, 'name'> | undefined): string | undefined {
  const found = world.list(nodes).find(({ metadata }) => metadata.name === node?.name);
  const condition = found?.status?.conditions?.find(({ type }) => type === 'LimitsHeld');
  if (condition === undefined || condition.status === 'True') return undefined;
  return `the node ${node?.name} cannot hold all limits of its pods: ${condition.message ?? condition.reason ?? ''}`;
}
