/** The services of the cluster, in user space: a listener for each address and port, moved on from table to table. */
import type { ServicePort, ServiceTable } from '../../protocol/network.ts';
import { type OpenPort, openTcpPort, type PortTools } from './tcp-port.ts';
import { openUdpPort, type UdpTools } from './udp-port.ts';

export interface Services {
  /**
   * Connections of ports that stay are left alone, also those to backends that are no more: they end when one side ends them.
   * What is sent by UDP goes to another backend with the next packet.
   */
  set(table: ServiceTable): Promise<void>;
  /** Where a service listens that let the system choose its port. */
  portOf(of: string): number | undefined;
  close(): Promise<void>;
}

export type ServicesTools = PortTools & UdpTools;

export function createServices(tools: ServicesTools): Services {
  const open = new Map<string, { readonly port: OpenPort; readonly of: string }>();
  let last: Promise<void> = Promise.resolve();
  const move = async ({ ports }: ServiceTable): Promise<void> => {
    // Two may claim one: the first has it.
    const wanted = new Map<string, ServicePort>();
    for (const port of ports) if (!wanted.has(keyOf(port))) wanted.set(keyOf(port), port);
    const gone = [...open].filter(([key]) => !wanted.has(key));
    for (const [key] of gone) open.delete(key);
    await Promise.all(gone.map(([, { port }]) => port.close()));
    await Promise.all(
      [...wanted].map(([key, wish]) => {
        const port = open.get(key)?.port ?? (wish.protocol === 'TCP' ? openTcpPort(tools) : openUdpPort(tools));
        open.set(key, { port, of: wish.of });
        return port.update(wish);
      }),
    );
  };
  return {
    set(table) {
      const moved = last.then(() => move(table));
      // What went wrong once is not in the way of what comes after.
      last = moved.catch(() => undefined);
      return moved;
    },
    portOf: (of) => [...open.values()].find((each) => each.of === of)?.port.bound(),
    async close() {
      await last;
      await move({ ports: [] });
    },
  };
}

function keyOf({ protocol, address, port, of }: ServicePort): string {
  return `${protocol} ${address}:${port === 0 ? of : port}`;
}
