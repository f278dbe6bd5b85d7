/** Puts a cluster on the network: certificates, listener, kubeconfig. A composition root beside `cluster.ts`. */
import { join } from 'node:path';
import { type Clock, systemClock } from './base/clock.ts';
import type { Cluster } from './cluster.ts';
import type { Problem } from './runtime/component.ts';
import { createAuthenticate } from './server/auth/authenticate.ts';
import { writeKubeconfig } from './server/auth/kubeconfig.ts';
import { loadPki, type Pki } from './server/auth/pki.ts';
import { listen } from './server/http/listen.ts';

export interface PkiPlace {
  /** Where certificates are kept between starts; undefined makes new ones and keeps them in memory. */
  readonly folder?: string | undefined;
  /** The default is 127.0.0.1: nobody else can reach it. */
  readonly host?: string;
  readonly clock?: Clock;
}

export interface ServeOptions extends PkiPlace {
  /** Loaded already, so that the cluster could be told of its authority. */
  readonly pki?: Pki;
  /** The default is 6443; 0 takes any free one. */
  readonly port?: number;
  /** Where to write the kubeconfig (mode 0600). */
  readonly kubeconfig: string;
  readonly report?: (problem: Problem) => void;
}

export interface Serving {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  /** Takes no more requests, ends watches, lets what is under way finish. The cluster goes on. */
  close(): Promise<void>;
}

/** The certificates that `serveCluster` uses: made at the first start, read again at later ones. */
export function loadServingPki({ folder, host = '127.0.0.1', clock = systemClock }: PkiPlace): Promise<Pki> {
  return loadPki({ folder: folder === undefined ? undefined : join(folder, 'pki'), host, nowMs: clock.nowMs() });
}

const administrator = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** Rejects with a one-line Error that names the mend when the port or a file is not to be had. */
export async function serveCluster(cluster: Cluster, options: ServeOptions): Promise<Serving> {
  const { host = '127.0.0.1', port = 6443, kubeconfig, clock = systemClock, report } = options;
  const pki = options.pki ?? (await loadServingPki(options));
  const ending = new AbortController();
  const listening = await listen({
    api: cluster.api,
    host,
    port,
    tls: { key: pki.server.key, cert: pki.server.cert, ca: pki.ca },
    authenticate: createAuthenticate({ tokens: [{ token: pki.token, user: administrator }] }),
    clock,
    signal: ending.signal,
    ...(report !== undefined && {
      report: (problem: { readonly message: string; readonly error: unknown }) =>
        report({ component: 'http', ...problem }),
    }),
  });
  await writeKubeconfig(kubeconfig, { server: listening.url, ca: pki.ca, client: pki.admin });
  return { url: listening.url, close: listening.close };
}
