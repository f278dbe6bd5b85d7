/** The process in the gateway's namespace: names, services, ways out, simulated pods. It ends with the process inside. */
import { writeFileSync } from 'node:fs';
import type { Clock } from '@signalbox/cluster';
import { doorPath } from '../../protocol/door.ts';
import { apiDoor, egressDoor } from '../../protocol/places.ts';
import { createNames, type Names } from '../names/server.ts';
import { createConnect } from '../services/connect.ts';
import { createServices, type Services } from '../services/services.ts';
import { createSimulatedAnswers, type SimulatedAnswers } from '../simulated/answers.ts';
import type { FromGateway, GatewaySettings, ToGateway } from './channel.ts';

export interface GatewayWorld {
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
  /** In [0, 1). */
  chance(): number;
}

export async function serveGateway({ plan, doors }: GatewaySettings, { clock, chance }: GatewayWorld): Promise<void> {
  process.on('disconnect', () => process.exit(0));
  const say = (message: FromGateway): void => void process.send?.(message, () => undefined);
  // A gateway that forwards says that a place is unreachable; one that does not says nothing, and who asks waits.
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
  const report = (message: string): void => say({ is: 'report', message });
  const connect = createConnect({
    clock,
    doors: { api: doorPath(doors, apiDoor).path, egress: doorPath(doors, egressDoor).path },
  });
  const parts = {
    names: await createNames({ address: plan.nameServer, port: 53, chance }),
    services: createServices({ clock, chance, connect, report }),
    simulated: createSimulatedAnswers({ clock, report }),
  };
  process.on('message', (message: ToGateway) => {
    const { number } = message;
    take(message, parts).then(
      () => say({ is: 'done', number }),
      (error: unknown) => say({ is: 'done', number, error: String(error) }),
    );
  });
  say({ is: 'ready' });
}

interface Parts {
  readonly names: Names;
  readonly services: Services;
  readonly simulated: SimulatedAnswers;
}

async function take(message: ToGateway, { names, services, simulated }: Parts): Promise<void> {
  switch (message.subject) {
    case 'services':
      return services.set(message.value);
    case 'zone':
      return names.set(message.value);
    case 'simulated':
      return simulated.set(message.value);
    default:
      return message satisfies never;
  }
}
