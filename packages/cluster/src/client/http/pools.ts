import type { Pool } from 'undici';
import type { ClientCredentials, Connection } from './connection.ts';

/** Connections to one server, for as long as the client certificate stays the same. */
export interface Pools {
  /** The path in front of the API, without a slash at its end. */
  readonly prefix: string;
  /** Watches hold their connection for minutes, so they have their own and never keep requests waiting. */
  get(kind: 'requests' | 'watches', certificate: ClientCredentials['certificate']): Promise<Pool>;
  close(): Promise<void>;
}

const requestConnectionsMax = 32;

/** Servers allow more than a minute. A connection that died unused is only found by the next request on it, which waits in vain. */
const idleMsMax = 10_000;

interface PoolPair {
  readonly certificate: ClientCredentials['certificate'];
  readonly requests: Pool;
  readonly watches: Pool;
}

export function createPools({ server, tls }: Pick<Connection, 'server' | 'tls'>): Pools {
  const { origin, pathname } = new URL(server);
  let pair: PoolPair | undefined;
  const make = async (certificate: ClientCredentials['certificate']): Promise<PoolPair> => {
    // Loaded when it is needed: an embedded cluster alone never is a client.
    const [{ Pool: PoolClass }, { createSecureContext }] = await Promise.all([import('undici'), import('node:tls')]);
    const connect = {
      // Made once: each watch has a connection, and reading authorities and keys for each takes time and memory.
      secureContext: createSecureContext({
        ...(tls.ca !== undefined && { ca: tls.ca }),
        ...(certificate !== undefined && { cert: certificate.cert, key: certificate.key }),
      }),
      ...(tls.serverName !== undefined && { servername: tls.serverName }),
      ...(tls.insecureSkipVerify === true && { rejectUnauthorized: false }),
      timeout: 10_000,
    };
    const common = { connect, allowH2: false, keepAliveMaxTimeout: idleMsMax };
    return {
      certificate,
      requests: new PoolClass(origin, { ...common, connections: requestConnectionsMax }),
      watches: new PoolClass(origin, { ...common, connections: null }),
    };
  };
  return {
    prefix: pathname.replace(/\/+$/, ''),
    async get(kind, certificate) {
      const known = pair;
      if (known !== undefined && known.certificate?.cert === certificate?.cert) return known[kind];
      const made = await make(certificate);
      // Somebody else may have made one meanwhile.
      if (pair !== known && pair?.certificate?.cert === certificate?.cert && pair !== undefined) {
        await closePair(made, 'at once');
        return pair[kind];
      }
      pair = made;
      if (known !== undefined) void closePair(known, 'when done');
      return made[kind];
    },
    async close() {
      const known = pair;
      pair = undefined;
      if (known !== undefined) await closePair(known, 'at once');
    },
  };
}

async function closePair({ requests, watches }: PoolPair, when: 'at once' | 'when done'): Promise<void> {
  await (when === 'at once'
    ? Promise.all([requests.destroy(), watches.destroy()])
    : Promise.all([requests.close(), watches.close()]));
}
