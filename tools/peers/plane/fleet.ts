import {
  type Connection,
  createClient,
  createHttpTransport,
  createInformers,
  createNodeAgent,
  createSupervisor,
  nodes as nodesType,
  type Problem,
  systemClock,
  systemRandom,
} from '@signalbox/cluster';
import { adminUser, createSimulatedDriver, newNode } from '@signalbox/cluster/testing';

export interface Fleet {
  close(): Promise<void>;
}

export interface FleetOptions {
  /** Of somebody who may write Nodes and what is on them. */
  readonly connection: Connection;
  /** `node-1` … `node-N` are made. */
  readonly count: number;
  readonly report?: (problem: Problem) => void;
}

/** Our simulated nodes in somebody else's cluster. */
export async function startFleet({ connection, count, report = () => undefined }: FleetOptions): Promise<Fleet> {
  const [clock, random] = [systemClock, systemRandom()];
  const transport = createHttpTransport({ connection, clock, random: random.fork('transport') });
  const ending = new AbortController();
  const { signal } = ending;
  const client = createClient(transport, adminUser);
  const informers = createInformers({
    ...{ client, clock, random: random.fork('informers') },
    report: (message, error) => report({ component: 'informers', message, error }),
  });
  const platform = { transport, informers, clock, random: random.fork('fleet'), report };
  for (let node = 1; node <= count; node++) await client.create(nodesType, newNode(`node-${node}`), { signal });
  const supervisor = createSupervisor(
    [(own) => createNodeAgent(own, { drivers: [createSimulatedDriver(own)] })],
    platform,
  );
  const running = supervisor.run({ signal });
  return {
    async close() {
      ending.abort(new Error('the fleet is closed'));
      informers.close();
      await running;
      await transport.close();
    },
  };
}
