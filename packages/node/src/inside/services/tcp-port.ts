/** One address and TCP port of a service. Without backends nobody listens, so that the kernel refuses at once. */
import { createServer, type Server, type Socket } from 'node:net';
import type { Backend, ServicePort } from '../../protocol/network.ts';
import { breakOff, splice, spliceBufferBytes } from '../../protocol/splice.ts';
import { type ChooserTools, createChooser } from './chooser.ts';

export interface OpenPort {
  /** Resolves when who connects from now on gets what the port says. */
  update(port: ServicePort): Promise<void>;
  /** Listens no more. TCP connections stay until either side ends them. */
  close(): Promise<void>;
  /** For those who let the system choose the port. */
  bound(): number | undefined;
}

export interface PortTools extends ChooserTools {
  /** Rejects when nobody takes the connection there. */
  connect(backend: Backend): Promise<Socket>;
  /** What is for people: a port that cannot be had. */
  report(message: string): void;
}

/** A connection is not offered to more backends than that. */
const triesMax = 8;

export function openTcpPort(tools: PortTools): OpenPort {
  const chooser = createChooser(tools);
  let server: Server | undefined;
  const serve = async (client: Socket): Promise<void> => {
    const from = client.remoteAddress ?? '';
    client.on('error', () => undefined);
    for (const backend of chooser.order(from).slice(0, triesMax)) {
      const upstream = await tools.connect(backend).catch(() => undefined);
      if (upstream === undefined) continue;
      chooser.took(from, backend);
      if (client.destroyed) breakOff(upstream);
      else splice(client, upstream);
      return;
    }
    breakOff(client);
  };
  const shut = async (): Promise<void> => {
    server?.close();
    server = undefined;
  };
  return {
    async update({ address, port, backends, affinitySeconds, of }) {
      chooser.update(backends, affinitySeconds);
      if (backends.length === 0) return shut();
      if (server !== undefined) return;
      const next = createServer(
        { allowHalfOpen: true, pauseOnConnect: true, noDelay: true, highWaterMark: spliceBufferBytes },
        (client) => {
          void serve(client);
        },
      );
      server = next;
      await listening(next, { host: address, port }).catch((error: unknown) => {
        server = undefined;
        tools.report(`${of}: nobody can listen at ${address}:${port} (TCP): ${String(error)}`);
      });
    },
    close: shut,
    bound() {
      const place = server?.address();
      return place === null || typeof place !== 'object' ? undefined : place.port;
    },
  };
}

function listening(server: Server, at: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...at, backlog: 511 }, () => {
      server.off('error', reject).on('error', () => undefined);
      resolve();
    });
  });
}
