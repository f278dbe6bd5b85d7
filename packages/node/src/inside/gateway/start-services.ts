/** The gateway and the node's own ports, put together: what `main.ts` needs of them. */
import type { Clock } from '@signalbox/cluster';
import { doorPath } from '../../protocol/door.ts';
import { apiDoor, egressDoor } from '../../protocol/places.ts';
import { hostEnv } from '../run.ts';
import { createConnect } from '../services/connect.ts';
import { createServices } from '../services/services.ts';
import type { InsideSettings } from '../settings.ts';
import { type ClusterServices, createClusterServices } from './cluster-services.ts';
import { startGateway } from './gateway.ts';
import { gatewayNetwork } from './network.ts';

export interface ServicesWorld {
  /** The folder of the agent's doors. */
  readonly doors: string;
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
  /** In [0, 1). */
  chance(): number;
  report(message: string): void;
}

export async function startClusterServices(
  { network }: Pick<InsideSettings, 'network'>,
  { doors, clock, chance, report }: ServicesWorld,
): Promise<ClusterServices> {
  const connect = createConnect({
    clock,
    doors: { api: doorPath(doors, apiDoor).path, egress: doorPath(doors, egressDoor).path },
  });
  const gateway = await startGateway({
    // This program once more, in the gateway's namespace; its last argument says what it is to be.
    argv: [
      ...(['nsenter', `--net=${gatewayNetwork}`, '--', process.execPath] as const),
      ...[...process.execArgv, ...process.argv.slice(1, -1)],
    ],
    env: hostEnv,
    settings: { plan: network.gateway, doors },
    clock,
    report,
  });
  const nodeServices = createServices({ clock, chance, connect, report });
  return createClusterServices({ gateway, nodeServices, nodeAddress: network.bridge });
}
