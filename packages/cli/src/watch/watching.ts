import {
  type Client,
  createClient,
  type Informers,
  observedByAll,
  observedTransport,
  type RequestObserver,
  type RuntimeObserver,
  type Supervisor,
} from '@signalbox/cluster';
import type { OperatorFigures } from '@signalbox/telemetry';
import { absolute, type Io } from '../io/io.ts';
import { formatListenAddress, type ListenAddress } from '../io/listen-address.ts';
import type { Log } from '../io/log.ts';
import { commit, version } from '../io/version.ts';
import type { EndpointOptions } from './endpoint.ts';
import { formatChecks, type OperatorFacts, operatorChecks } from './health.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';
import type { MeterFacts } from './meters.ts';
import { createQueues, type Queues } from './queues.ts';
import { createReach, type Reach } from './reach.ts';

export interface WatchingOptions {
  readonly listen: ListenAddress;
  readonly tlsCertFile: string | undefined;
  readonly tlsPrivateKeyFile: string | undefined;
  readonly metricsTokenFile: string | undefined;
}

/** The operator, watched from outside. */
export interface Watching {
  readonly runtime: RuntimeObserver;
  /** The same client; what it asks is counted. */
  observed(client: Client): Client;
  /** It has what it needs, and takes part in the election. */
  waits(): void;
  /** It works with these, until what is returned is called. */
  works(work: WatchedWork): () => void;
  close(): void;
}

export interface WatchedWork {
  readonly informers: Informers;
  readonly figures: OperatorFigures;
  readonly supervisor: Supervisor;
  readonly isLeader: boolean;
}

/** Serves metrics and probes from now on. */
export async function startWatching(
  options: WatchingOptions,
  { log, io }: { readonly log: Log; readonly io: Io },
): Promise<Watching> {
  const { clock } = io;
  // Both are loaded for those who listen.
  const [{ createMeters }, { serveEndpoint }] = await Promise.all([import('./meters.ts'), import('./endpoint.ts')]);
  const meters = createMeters({ version, commit: commit ?? '', node: io.nodeVersion });
  const queues = createQueues(clock);
  const reach = createReach(clock);
  const heartbeat = startHeartbeat(clock);
  const seen: Seen = { io, queues, reach, heartbeat, phase: 'starting', work: undefined };
  const endpoint = await serveEndpoint({
    ...options.listen,
    ...filesOf(options, io),
    warn: (message, error) => log.write({ level: 'warn', message, error }),
    pages: {
      metrics: async () => ({ type: meters.contentType, text: await meters.text(await meterFacts(seen)) }),
      probe: (name, how) => formatChecks(name, operatorChecks(name, operatorFacts(seen)), how),
    },
  }).catch((error: unknown) => {
    heartbeat.stop();
    throw error;
  });
  const where = `${endpoint.isSecure ? 'https' : 'http'}://${formatListenAddress(endpoint.address)}`;
  log.write({ level: 'info', message: `serves /metrics, /healthz and /readyz on ${where}` });
  return {
    runtime: observedByAll([meters.runtime, queues]),
    observed: ({ transport, user }) =>
      createClient(observedTransport(transport, { clock, observer: both(reach, meters.requests) }), user),
    waits() {
      seen.phase = 'waiting';
    },
    works(work) {
      Object.assign(seen, { phase: 'working', work });
      return () => {
        Object.assign(seen, { phase: 'waiting', work: undefined });
      };
    },
    close() {
      heartbeat.stop();
      endpoint.close();
    },
  };
}

/** All that there is to look at. */
interface Seen {
  readonly io: Io;
  readonly queues: Queues;
  readonly reach: Reach;
  readonly heartbeat: Heartbeat;
  phase: OperatorFacts['phase'];
  work: WatchedWork | undefined;
}

function filesOf(
  { tlsCertFile, tlsPrivateKeyFile, metricsTokenFile }: WatchingOptions,
  io: Io,
): Pick<EndpointOptions, 'tls' | 'tokenFile'> {
  return {
    tls:
      tlsCertFile === undefined || tlsPrivateKeyFile === undefined
        ? undefined
        : { certFile: absolute(tlsCertFile, io), keyFile: absolute(tlsPrivateKeyFile, io) },
    tokenFile: metricsTokenFile === undefined ? undefined : absolute(metricsTokenFile, io),
  };
}

function both(first: RequestObserver, second: RequestObserver): RequestObserver {
  return {
    asked() {
      first.asked();
      second.asked();
    },
    answered(request) {
      first.answered(request);
      second.answered(request);
    },
    watchEnded(watch) {
      first.watchEnded(watch);
      second.watchEnded(watch);
    },
  };
}

function operatorFacts({ io, queues, reach, heartbeat, phase, work }: Seen): OperatorFacts {
  const followed = work?.informers.followed() ?? [];
  const figures = queues.figures();
  return {
    phase: io.signal.aborted ? 'ending' : phase,
    unsynced: followed.filter(({ isSynced }) => !isSynced).map(({ resource }) => resource),
    hasBegun: figures.length > 0,
    parts: work?.supervisor.states ?? [],
    queues: figures,
    loopLateMs: heartbeat.lateMs(),
    unreachableMs: reach.unreachableMs(),
  };
}

async function meterFacts({ io, queues, reach, heartbeat, work }: Seen): Promise<MeterFacts> {
  const vitals = await io.vitals();
  return {
    isLeader: work?.isLeader ?? false,
    parts: work?.supervisor.states ?? [],
    queues: queues.figures(),
    followed: work?.informers.followed() ?? [],
    roots: work?.figures.roots(work.informers) ?? [],
    wrong: work?.figures.wrong() ?? [],
    unreachableMs: reach.unreachableMs(),
    loopLateMs: heartbeat.lateMs(),
    vitals,
  };
}
