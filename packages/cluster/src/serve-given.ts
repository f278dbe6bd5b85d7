/** Puts a cluster on the network with certificates that somebody else made, as an upstream API server is started. A composition root beside `serve.ts`. */
import { type Clock, systemClock } from './base/clock.ts';
import type { Cluster } from './cluster.ts';
import type { Problem } from './runtime/component.ts';
import { createAuthenticate, type KnownToken } from './server/auth/authenticate.ts';
import { createFlowControl } from './server/flowcontrol/flow-control.ts';
import { createInFlightLimits, type Gate, type InFlightLimits } from './server/flowcontrol/in-flight.ts';
import { announce } from './server/housekeeping/announce.ts';
import { type AuthenticationTrust, keepTrust, writeTrust } from './server/housekeeping/authentication-trust.ts';
import { flowRoutes } from './server/http/flow-routes.ts';
import { type Listening, listen } from './server/http/listen.ts';
import { openIdRoutes } from './server/http/openid.ts';
import type { Route } from './server/http/route.ts';
import type { ServerTls } from './server/http/tls.ts';

export interface GivenOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** What the server shows, who signs the certificates of its clients, and who may say that somebody else asks; all PEM. */
  readonly tls: ServerTls;
  /** False refuses whoever says nothing of who they are, also at `/healthz`. The default leaves that to the roles. */
  readonly anonymous?: boolean | undefined;
  /** Where the Service `kubernetes` leads. The default is the host. */
  readonly advertise?: string;
  /** How many requests run at once: seats that are shared out fairly among those that are not exempt, or plain numbers. The default is the usual seats. */
  readonly atOnce?: { readonly seats: number } | InFlightLimits | undefined;
  /** Bearer tokens and whom they stand for. */
  readonly tokens?: readonly KnownToken[];
  readonly clock?: Clock;
  readonly report?: (problem: Problem) => void;
}

/** Rejects with a one-line Error when the port is not to be had, or a certificate cannot be read. */
export async function serveGiven(
  cluster: Cluster,
  options: GivenOptions,
): Promise<Pick<Listening, 'url' | 'port' | 'close'>> {
  const { host, port, tls, advertise = host, tokens = [], clock = systemClock, report = () => undefined } = options;
  const ending = new AbortController();
  const { signal } = ending;
  let url = '';
  const { flowControl, dumps } = gateOf(cluster, { atOnce: options.atOnce, clock });
  const listening = await listen({
    ...{ api: cluster.api, host, port, tls, clock, signal },
    authenticate: createAuthenticate({ tokens, others: cluster.api.tokens.authenticate, anonymous: options.anonymous }),
    report: (problem) => report({ component: 'http', ...problem }),
    routes: [
      ...dumps,
      ...openIdRoutes({ keys: cluster.api.tokens.publicKeys, url: () => url, issuer: cluster.api.tokens.issuer }),
    ],
    flowControl,
  });
  ({ url } = listening);
  const trust = (): AuthenticationTrust => ({ clientCa: tls.ca, requestHeader: tls.requestHeader });
  try {
    await announce(cluster.api, { host: advertise, port: listening.port, signal });
    await writeTrust(cluster.api, { trust: trust(), signal });
  } catch (error) {
    await listening.close();
    throw error;
  }
  const trusting = keepTrust(cluster.api, {
    ...{ trust, clock, signal },
    report: (message, error) => report({ component: 'authentication', message, error }),
  });
  return {
    url,
    port: listening.port,
    async close() {
      await listening.close();
      ending.abort(new Error('the cluster is served no more'));
      await trusting;
    },
  };
}

/** Who lets requests in, and what shows how they wait. */
function gateOf(
  { api }: Cluster,
  { atOnce, clock }: Pick<GivenOptions, 'atOnce'> & { readonly clock: Clock },
): { readonly flowControl: Gate; readonly dumps: readonly Route[] } {
  if (atOnce !== undefined && 'reads' in atOnce) return { flowControl: createInFlightLimits(atOnce), dumps: [] };
  const flowControl = createFlowControl({
    ...{ objects: api.flows, clock },
    ...(atOnce !== undefined && { limits: atOnce }),
  });
  return { flowControl, dumps: flowRoutes(flowControl.dumps) };
}
