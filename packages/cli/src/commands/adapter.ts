import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  answerApis,
  type Client,
  configmaps,
  createClient,
  createInformers,
  createSupervisor,
  formatExactJson,
  isStatusError,
  type LocalApi,
  makeAuthority,
  observedTransport,
  type PemPair,
  type Platform,
  type Problem,
  type Supervisor,
} from '@signalbox/cluster';
import { createMetricsAdapter, type MetricRule, parseRules, RuleError } from '@signalbox/telemetry';
import { connect } from '../io/connect.ts';
import { CommandError } from '../io/errors.ts';
import { absolute, type Io } from '../io/io.ts';
import { formatListenAddress, type ListenAddress } from '../io/listen-address.ts';
import { type Log, type LogOptions, loggingFailure } from '../io/log.ts';
import { fileProblem } from '../io/manifests.ts';
import { askPrometheus, type PrometheusOptions } from '../io/prometheus.ts';
import { collectAtRest } from '../io/rest.ts';
import { openServiceLog } from '../io/service-log.ts';
import { callerOf, type TrustedProxy, trustedProxyOf } from '../io/trusted-proxy.ts';
import { operatorChecks } from '../watch/health.ts';
import { createReach, type Reach } from '../watch/reach.ts';
import { keepAlive } from './kept-alive.ts';

export interface AdapterOptions extends LogOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly rules: readonly string[];
  readonly intervalMs: number;
  /** Undefined: no rule can be a query. */
  readonly prometheus: PrometheusOptions | undefined;
  readonly listen: ListenAddress;
  /** Both or none. */
  readonly tlsCertFile: string | undefined;
  readonly tlsPrivateKeyFile: string | undefined;
}

/** Serves the metrics APIs until the user ends it. Resolves with the exit code. */
export async function adapter(options: AdapterOptions, io: Io): Promise<number> {
  const log = await openServiceLog('adapter', options, io);
  const stopCollecting = collectAtRest(io.heap, io.clock);
  try {
    return await loggingFailure(log, options, () => runAdapter(options, { log, io }));
  } finally {
    stopCollecting();
  }
}

interface Telling {
  readonly log: Log;
  readonly io: Io;
}

async function runAdapter(options: AdapterOptions, { log, io }: Telling): Promise<number> {
  const { clock, random, signal } = io;
  const rules = (await Promise.all(options.rules.map((path) => rulesIn(path, io)))).flat();
  const pair = await servingPair(options, io);
  const warn = (warning: string): void => log.write({ level: 'warn', message: warning, text: `warning: ${warning}` });
  const { client: plain, server, close } = await connect({ ...options, prefersLocal: false, warn }, io);
  const reach = createReach(clock);
  const client = createClient(observedTransport(plain.transport, { clock, observer: reach }), plain.user);
  let listening: Server | undefined;
  try {
    const proxy = await trustedProxy(client, io);
    const { prometheus } = options;
    const { apis, parts } = createMetricsAdapter({
      rules,
      intervalMs: options.intervalMs,
      // They stand for simulated agents, which only the plane itself has.
      followsRoots: false,
      user: client.user,
      ...(prometheus !== undefined && { ask: await askPrometheus(prometheus, io) }),
    });
    const platform = platformOf(client, { log, io });
    const supervisor = createSupervisor(parts, platform);
    const failing = (probe: Probe): readonly string[] => failingChecks(probe, { platform, supervisor, reach, signal });
    listening = await listen(apis, { ...options.listen, pair, proxy, failing, signal });
    const { port } = listening.address() as AddressInfo;
    log.write({
      level: 'info',
      message: `serves the metrics of ${server} on ${formatListenAddress({ ...options.listen, port })}`,
    });
    try {
      await keepAlive(supervisor, { what: 'adapter', signal });
    } finally {
      platform.informers.close();
    }
    log.write({ level: 'info', message: 'stopped' });
    return 0;
  } catch (error) {
    if (signal.aborted) return 0;
    throw error;
  } finally {
    listening?.close();
    listening?.closeAllConnections();
    await close();
  }

  function platformOf(asks: Client, told: Telling): Platform {
    const report = (problem: Problem): void => told.log.write({ level: 'warn', ...problem });
    const informers = createInformers({
      client: asks,
      clock,
      random: random.fork('informers'),
      report: (message, error) => report({ component: 'informers', message, error }),
    });
    return { transport: asks.transport, informers, clock, random: random.fork('adapter'), report };
  }
}

interface Watched {
  readonly platform: Platform;
  readonly supervisor: Supervisor;
  readonly reach: Reach;
  readonly signal: AbortSignal;
}

type Probe = Parameters<typeof operatorChecks>[0];

/** Which checks fail; why is for the log. */
function failingChecks(probe: Probe, { platform, supervisor, reach, signal }: Watched): readonly string[] {
  const followed = platform.informers.followed();
  const checks = operatorChecks(probe, {
    phase: signal.aborted ? 'ending' : 'working',
    hasBegun: followed.length > 0,
    unsynced: followed.filter(({ isSynced }) => !isSynced).map(({ resource }) => resource),
    parts: supervisor.states,
    queues: [],
    loopLateMs: 0,
    unreachableMs: reach.unreachableMs(),
  });
  return checks.flatMap(({ name, failure }) => (failure === undefined ? [] : [name]));
}

async function rulesIn(path: string, io: Io): Promise<readonly MetricRule[]> {
  try {
    return parseRules(await readFile(absolute(path, io), 'utf8'), path);
  } catch (error) {
    if (error instanceof RuleError) throw new CommandError(error.message);
    throw new CommandError(`${path}: ${fileProblem(error)}`, { cause: error });
  }
}

/** A certificate signed by nobody unless one is given: whoever registers the API then skips its verification. */
async function servingPair(
  { tlsCertFile, tlsPrivateKeyFile, listen: { host } }: AdapterOptions,
  io: Io,
): Promise<PemPair> {
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined) {
    const read = (path: string): Promise<string> =>
      readFile(absolute(path, io), 'utf8').catch((error: unknown) => {
        throw new CommandError(`${path}: ${fileProblem(error)}`, { cause: error });
      });
    return { cert: await read(tlsCertFile), key: await read(tlsPrivateKeyFile) };
  }
  const nowMs = io.clock.nowMs();
  const dayMs = 86_400_000;
  return makeAuthority({ commonName: host, notBeforeMs: nowMs - dayMs, notAfterMs: nowMs + 3_650 * dayMs });
}

/** Without it nobody could say who asks, and everybody's metrics would be everybody's. */
async function trustedProxy(client: Client, { signal }: Io): Promise<TrustedProxy> {
  const place = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };
  const mend =
    'let this user read the ConfigMap kube-system/extension-apiserver-authentication (role extension-apiserver-authentication-reader)';
  let found: TrustedProxy | undefined;
  try {
    found = trustedProxyOf(await client.get(configmaps, { ...place, signal }));
  } catch (error) {
    if (!isStatusError(error)) throw error;
    throw new CommandError(`it is not known whose requests to answer: ${error.message}; ${mend}`, { cause: error });
  }
  if (found === undefined)
    throw new CommandError(
      'this API server passes no requests on: it runs without an aggregation layer (--requestheader-client-ca-file)',
    );
  return found;
}

interface Serving extends ListenAddress {
  readonly pair: PemPair;
  readonly proxy: TrustedProxy;
  /** The checks of a probe that fail. */
  readonly failing: (probe: Probe) => readonly string[];
  readonly signal: AbortSignal;
}

async function listen(
  apis: readonly LocalApi[],
  { host, port, pair, proxy, failing, signal }: Serving,
): Promise<Server> {
  const server = createServer(
    { ...pair, ca: proxy.clientCa, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      const say = (code: number, object: object): void => {
        response
          .writeHead(code, { 'content-type': 'application/json', 'cache-control': 'no-store' })
          .end(formatExactJson(object));
      };
      const probe = probeAt(request.url);
      if (probe !== undefined) {
        const names = failing(probe);
        response
          .writeHead(names.length === 0 ? 200 : 503, { 'content-type': 'text/plain' })
          .end(names.length === 0 ? 'ok' : `${names.join(', ')}: see the log`);
        return;
      }
      const certificateName = socket.authorized ? String(socket.getPeerCertificate().subject.CN) : undefined;
      const user = callerOf({ certificateName, headers: request.headers }, proxy);
      if (user === undefined) {
        say(401, unauthorized);
        return;
      }
      const gone = new AbortController();
      response.once('close', () => gone.abort(new Error('the client has gone away')));
      request.resume();
      const asked = {
        method: request.method ?? 'GET',
        target: request.url ?? '/',
        user,
        signal: AbortSignal.any([gone.signal, signal]),
      };
      answerApis(apis, asked).then(
        ({ code, object }) => say(code, object),
        () => response.destroy(),
      );
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new CommandError(`cannot listen on ${formatListenAddress({ host, port })}: ${error.message}`)),
    );
    server.listen({ port, ...(host !== '' && { host }) }, resolve);
  });
  return server;
}

/** Kubelets ask without a certificate, and learn little. */
function probeAt(url: string | undefined): Probe | undefined {
  if (url === '/readyz') return 'readyz';
  return url === '/healthz' || url === '/livez' ? 'healthz' : undefined;
}

const unauthorized = {
  ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Unauthorized', code: 401 },
  message: 'Unauthorized: only an API server that passes requests on is answered; register this one with an APIService',
};
