import { createHash, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Pool } from 'undici';
import type { CallServer, ServerAnswer, ServerCall } from '../context/call-server.ts';
import type { ApiDestination } from '../context/other-apis.ts';
import { netFailure } from './net-failure.ts';

const poolsMax = 200;
const connectionsMax = 64;

type Place = Omit<ApiDestination, 'isInsecure'>;

/** Over HTTPS, on connections that are kept for the next call. Redirects are not followed, and no proxy is asked. */
export function createHttpsServers(): CallServer {
  /** The one that was used last is the last. */
  const pools = new Map<string, Promise<Pool>>();
  const poolTo = (to: Place): Promise<Pool> => {
    const key = createHash('sha256').update(JSON.stringify(to)).digest('base64');
    const pool = pools.get(key) ?? createPool(to);
    pools.delete(key);
    pools.set(key, pool);
    pool.catch(() => pools.delete(key));
    const [oldest] = pools;
    if (pools.size > poolsMax && oldest !== undefined) {
      pools.delete(oldest[0]);
      // Calls under way are ended first.
      void oldest[1].then((unused) => unused.close());
    }
    return pool;
  };
  return {
    async call(call) {
      const { to, signal } = call;
      try {
        return await post(await poolTo(to), call);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw new Error(netFailure(error, to), { cause: error });
      }
    },
    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map(async (pool) => (await pool).destroy()));
    },
  };
}

async function createPool({ host, port, serverName, ca }: Place): Promise<Pool> {
  if (ca !== undefined) checkBundle(ca);
  // Loaded when it is needed: most servers never call a webhook.
  const { Pool: PoolClass } = await import('undici');
  const origin = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  // An address is no name that TLS could ask for; it stands in the certificate all the same.
  return new PoolClass(origin, {
    connections: connectionsMax,
    allowH2: false,
    // Whoever calls says how long it may take.
    ...{ headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 },
    connect: {
      timeout: 30_000,
      ...(isIP(serverName) === 0 && { servername: serverName }),
      // A server's own certificate may stand for who signed it, as for Go: envtest gives that.
      ...(ca !== undefined && { ca, allowPartialTrustChain: true }),
    },
  });
}

/** Node takes what is no certificate for none at all, and would then trust nobody without saying why. */
function checkBundle(ca: string): void {
  try {
    new X509Certificate(ca);
  } catch {
    throw new Error('unable to load root certificates: unable to parse bytes as PEM block');
  }
}

async function post(pool: Pool, { to, path, body, answerBytesMax, signal }: ServerCall): Promise<ServerAnswer> {
  const { statusCode, body: answer } = await pool.request({
    method: 'POST',
    path,
    headers: {
      host: to.port === 443 ? to.serverName : `${to.serverName}:${to.port}`,
      'content-type': 'application/json',
      accept: 'application/json, */*',
      'user-agent': 'kube-apiserver-admission',
    },
    body,
    signal,
  });
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer) {
    bytes += (part as Buffer).length;
    if (bytes > answerBytesMax) throw new Error(`the answer is larger than ${answerBytesMax} bytes`);
    parts.push(part as Buffer);
  }
  return { code: statusCode, text: Buffer.concat(parts).toString('utf8') };
}
