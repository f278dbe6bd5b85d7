import { dialFailure, dialTls } from '../../passing/dial.ts';
import { passOn } from '../../passing/pass.ts';
import { requestOver } from '../../passing/request.ts';
import type { ApiDestination, PassToServer } from '../context/other-apis.ts';

export interface ProxyCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Over the network, to the address itself. Whoever is met is checked as the APIService says. */
export function createPassToServer(certificate: (() => ProxyCertificate) | undefined): PassToServer {
  return async (to, passing, adds) => {
    const address = addressOf(to);
    try {
      return await passOn(
        {
          path: passing.query === '' ? passing.path : `${passing.path}?${passing.query}`,
          adds,
          async send(call) {
            const { host, port, serverName, ca, isInsecure } = to;
            const socket = await dialTls({
              ...{ host, port, address, signal: call.signal },
              tls: {
                ...{ servername: serverName, rejectUnauthorized: !isInsecure },
                ...(ca !== undefined && { ca }),
                ...certificate?.(),
              },
            });
            return requestOver(socket, { call, host: serverName });
          },
        },
        passing,
      );
    } catch (error) {
      if (passing.signal.aborted) throw error;
      throw new Error(dialFailure(error, address), { cause: error });
    }
  };
}

/** As it stands in a URL and in messages. */
export function addressOf({ host, port }: Pick<ApiDestination, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
