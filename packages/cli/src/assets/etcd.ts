import { createServer, type RequestListener } from 'node:http';
import type { FlagValues } from './given-flags.ts';

/** What an etcd of a test is told: only where it is to answer. */
export interface EtcdTerms {
  readonly clientUrls: readonly URL[];
}

/** Throws an Error with one sentence. Pure. */
export function etcdTerms(values: FlagValues): EtcdTerms {
  const text = values.get('listen-client-urls')?.at(-1) ?? 'http://localhost:2379';
  const clientUrls = text.split(',').map((each) => {
    const url = URL.canParse(each.trim()) ? new URL(each.trim()) : undefined;
    if (url?.protocol !== 'http:')
      throw new Error(
        `--listen-client-urls: ${each.trim()} is no address such as http://127.0.0.1:2379; there is no TLS here`,
      );
    return url;
  });
  return { clientUrls };
}

/** The API server keeps its objects itself, so this one only says that it is well: what envtest waits for. */
export const answerAsEtcd: RequestListener = (request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://etcd');
  const known = answers[pathname];
  response.writeHead(known === undefined ? 501 : 200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify(known ?? { error: "this is no store: Signalbox' kube-apiserver keeps its objects in memory" }),
  );
};

const answers: Readonly<Record<string, object>> = {
  '/health': { health: 'true', reason: '' },
  '/livez': {},
  '/readyz': {},
  '/version': { etcdserver: '3.6.4', etcdcluster: '3.6.0', storage: '3.6.0' },
};

/** Resolves once it answers on all of them; rejects when one is not to be had. */
export async function startEtcd({ clientUrls }: EtcdTerms): Promise<void> {
  await Promise.all(clientUrls.map(listenOn));
}

function listenOn({ hostname, port }: URL): Promise<void> {
  const server = createServer(answerAsEtcd);
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`listen tcp ${hostname}:${port}: ${error.message}`)));
    server.listen(Number(port === '' ? 80 : port), hostname.replace(/^\[|\]$/g, ''), resolve);
  });
}
