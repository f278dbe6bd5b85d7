/** Puts a cluster on the network: certificates, listener, kubeconfig. A composition root beside `cluster.ts`. */
import { join } from 'node:path';
import { proxyClientName, type RequestHeaderTerms, usualHeaders } from './api/front-proxy.ts';
import { administrator } from './api/system-identities.ts';
import { type Clock, systemClock } from './base/clock.ts';
import type { Cluster } from './cluster.ts';
import type { Problem } from './runtime/component.ts';
import { type Authenticate, createAuthenticate, type KnownToken } from './server/auth/authenticate.ts';
import { writeKubeconfig } from './server/auth/kubeconfig.ts';
import type { FurtherCertificate, Pki } from './server/auth/pki.ts';
import { openPki, type PkiKeeper } from './server/auth/pki-keeper.ts';
import { createFlowControl } from './server/flowcontrol/flow-control.ts';
import { announce } from './server/housekeeping/announce.ts';
import { type AuthenticationTrust, keepTrust, writeTrust } from './server/housekeeping/authentication-trust.ts';
import { backupRoute } from './server/http/backup.ts';
import { type ClockDoor, clockRoute } from './server/http/clock.ts';
import { createRequestFigures } from './server/http/figures.ts';
import { flowRoutes } from './server/http/flow-routes.ts';
import { hostInUrl, type Listening, type ListenLimits, listen, listenLimits } from './server/http/listen.ts';
import { metricsRoute, type ProcessFigures } from './server/http/metrics.ts';
import { openIdRoutes } from './server/http/openid.ts';
import { schedulerRoute } from './server/http/scheduler.ts';
import type { ServerTls } from './server/http/tls.ts';
import { kubernetesVersion } from './server/server.ts';
import { readPrivateFiles } from './store/backup/check-folder.ts';

export interface PkiPlace {
  /** Where certificates are kept between starts; undefined makes new ones and keeps them in memory. */
  readonly folder?: string | undefined;
  /** The default is 127.0.0.1: nobody else can reach it. */
  readonly host?: string;
  /** What the kubeconfig calls the server by. The default is `host`, or the loopback where that means every address. */
  readonly advertise?: Advertised;
  /** More names and addresses that the server's certificate is made out to. */
  readonly names?: readonly string[];
  /** More certificates that the cluster's authority signs: `current().further` of the loaded ones. */
  readonly further?: readonly FurtherCertificate[];
  /** A new key signs tokens of service accounts; those from before go on counting. */
  readonly changesTokenKey?: boolean;
  readonly clock?: Clock;
}

export interface Advertised {
  /** A name or an address. */
  readonly host: string;
  /** The default is the port that is listened on. */
  readonly port?: number;
}

export interface ServeOptions extends PkiPlace {
  /** Loaded already, so that the cluster could be told of its authority. */
  readonly pki?: PkiKeeper;
  /** The default is 6443; 0 takes any free one. */
  readonly port?: number;
  /** Where to write the kubeconfig (mode 0600). */
  readonly kubeconfig: string;
  /** More bearer tokens, and whom they stand for. A TokenReview knows those that the cluster was given as well. */
  readonly tokens?: readonly KnownToken[] | undefined;
  /** False refuses whoever says nothing of who they are, also at `/healthz`. The default leaves that to the roles. */
  readonly anonymous?: boolean | undefined;
  /** A proxy in front that may say in headers that somebody else asks. The default is none. */
  readonly requestHeader?: RequestHeaderTerms | undefined;
  readonly report?: (problem: Problem) => void;
  /** The cluster's clock, where it is not the computer's. What is served keeps the time of its sockets and certificates. */
  readonly driven?: ClockDoor;
  /** As the cluster's: what is on its way in and out at once is a part of it. */
  readonly memoryLimitBytes?: number;
}

export interface Serving {
  /** `https://127.0.0.1:6443`: what the kubeconfig names. */
  readonly url: string;
  /** The address that is listened on, as the system tells it. */
  readonly address: string;
  readonly port: number;
  /** Takes no more requests, ends watches, lets what is under way finish. The cluster goes on. */
  close(): Promise<void>;
}

/** The certificates that `serveCluster` uses: made at the first start, read again at later ones, renewed while it serves. */
export function loadServingPki(place: PkiPlace): Promise<PkiKeeper> {
  const { folder, host = '127.0.0.1', advertise, names = [], further = [], clock = systemClock } = place;
  const { changesTokenKey = false } = place;
  return openPki({
    folder: folder === undefined ? undefined : join(folder, 'pki'),
    hosts: [host, ...(advertise === undefined ? [] : [advertise.host]), ...names],
    further,
    clock,
    changesTokenKey,
  });
}

/** Rejects with a one-line Error that names the mend when the port or a file is not to be had. */
export async function serveCluster(cluster: Cluster, options: ServeOptions): Promise<Serving> {
  const { host = '127.0.0.1', port = 6443, kubeconfig, clock = systemClock, report = () => undefined } = options;
  const pki = options.pki ?? (await loadServingPki(options));
  const ending = new AbortController();
  const { signal } = ending;
  let url = '';
  const figures = createRequestFigures({ clock, api: cluster.api });
  const flowControl = createFlowControl({ objects: cluster.api.flows, clock });
  const listening = await listen({
    ...{ api: cluster.api, host, port },
    tls: tlsOf(pki.current(), options),
    authenticate: authenticateFor(cluster, { ...options, administratorToken: pki.current().token }),
    clock,
    signal,
    report: (problem) => report({ component: 'http', ...problem }),
    routes: [
      backupRoute(async () => {
        const files = options.folder === undefined ? [] : await readPrivateFiles(options.folder);
        return cluster.backup({ files });
      }),
      metricsRoute({
        ...{ figures, flowControl, plane: () => cluster.platform.figures?.text() ?? '' },
        storedObjects: cluster.api.storedObjects,
        eventsGivenUp: cluster.api.eventsGivenUp,
        process: processFigures,
        version: kubernetesVersion.gitVersion,
      }),
      ...[clockRoute(options.driven ?? clock), schedulerRoute(cluster.scheduler)],
      ...flowRoutes(flowControl.dumps),
      ...openIdRoutes({ keys: cluster.api.tokens.publicKeys, url: () => url, issuer: cluster.api.tokens.issuer }),
    ],
    ...{ figures, flowControl },
    limits: limitsWithin(options.memoryLimitBytes),
  });
  url = urlFor(listening, options.advertise);
  const published = (): AuthenticationTrust => trustOf(pki);
  const publish = ({ ca, admin }: Pki): Promise<void> =>
    writeKubeconfig(kubeconfig, { server: url, ca, client: admin });
  try {
    await announce(cluster.api, { host: options.advertise?.host ?? host, port: listening.port, signal });
    await writeTrust(cluster.api, { trust: published(), signal });
    await publish(pki.current());
  } catch (error) {
    await listening.close();
    throw error;
  }
  const keeping = pki.run({
    signal,
    async use(renewed) {
      listening.setTls(tlsOf(renewed, options));
      await writeTrust(cluster.api, { trust: published(), signal });
      await publish(renewed);
    },
    report: (message, error) => report({ component: 'certificates', message, error }),
  });
  const trusting = keepTrust(cluster.api, {
    ...{ trust: published, clock, signal },
    report: (message, error) => report({ component: 'authentication', message, error }),
  });
  return {
    url,
    address: listening.address,
    port: listening.port,
    async close() {
      await listening.close();
      ending.abort(new Error('the cluster is served no more'));
      await Promise.all([keeping, trusting]);
    },
  };
}

function authenticateFor(
  { api }: Cluster,
  { administratorToken: token, tokens = [], anonymous }: ServeOptions & { readonly administratorToken: string },
): Authenticate {
  const known = [{ token, user: administrator.user }, ...tokens];
  return createAuthenticate({ tokens: known, others: api.tokens.authenticate, anonymous });
}

/** By its own proxy's certificate the server calls on others. Who stands in front of it is no business of theirs. */
function trustOf(pki: PkiKeeper): AuthenticationTrust {
  const ca = pki.pem();
  return { clientCa: ca, requestHeader: { ca, allowedNames: [proxyClientName], ...usualHeaders } };
}

function processFigures(): ProcessFigures {
  const { user, system } = process.cpuUsage();
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    startSeconds: performance.timeOrigin / 1000,
  };
}

/** What is on its way in and out, and what is kept to send it again, may take a sixteenth each; at most the usual. */
function limitsWithin(memoryLimitBytes = Infinity): Partial<ListenLimits> {
  const { bodiesBytesMax, answersBytesMax, encodingsBytesMax } = listenLimits;
  const part = memoryLimitBytes / 16;
  return {
    bodiesBytesMax: Math.min(bodiesBytesMax, part),
    answersBytesMax: Math.min(answersBytesMax, part),
    encodingsBytesMax: Math.min(encodingsBytesMax, part),
  };
}

function tlsOf({ server, ca }: Pki, { requestHeader }: Pick<ServeOptions, 'requestHeader'>): ServerTls {
  return { key: server.key, cert: server.cert, ca, requestHeader };
}

function urlFor({ url, port }: Listening, advertise: Advertised | undefined): string {
  if (advertise === undefined) return url;
  return `https://${hostInUrl(advertise.host)}:${advertise.port ?? port}`;
}
