import {
  type Client,
  type CreateComponent,
  createClient,
  createInformers,
  createSupervisor,
  fencedTransport,
  type Holding,
  type LeaseOptions,
  leaseIdentity,
  observedByAll,
  type Platform,
  type Problem,
  runWithLease,
} from '@signalbox/cluster';
import {
  createKubeletServiceSync,
  createOperatorFigures,
  createTelemetryOperator,
  defaultComponents,
  type KubeletServiceName,
  operatorScope,
  operatorTrim,
  type RootComponent,
} from '@signalbox/telemetry';
import { type ComponentFlags, componentOptions } from '../io/component-options.ts';
import { connect } from '../io/connect.ts';
import { CommandError } from '../io/errors.ts';
import type { Io } from '../io/io.ts';
import { operatorLease } from '../io/lease.ts';
import { type Log, type LogOptions, loggingFailure } from '../io/log.ts';
import { isRefusal } from '../io/outages.ts';
import { collectAtRest } from '../io/rest.ts';
import { openServiceLog } from '../io/service-log.ts';
import { createActionLog } from '../watch/action-log.ts';
import { createNamespaceNotice } from '../watch/listed-namespaces.ts';
import { startWatching, type Watching, type WatchingOptions } from '../watch/watching.ts';
import { prepareDefinitions } from './definitions.ts';
import { keepAlive } from './kept-alive.ts';
import { type RehearsalLife, rehearsed } from './rehearsed.ts';

export interface OperatorOptions extends LogOptions, ComponentFlags {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly installCrds: boolean;
  readonly leaseNamespace: string;
  /** What it would do is told; nothing is written, and no lease taken. */
  readonly dryRun: boolean;
  /** A dry run ends when there is nothing left to look at. */
  readonly once: boolean;
  /** Undefined: none. */
  readonly kubeletService: KubeletServiceName | undefined;
  /** Undefined: nobody can ask how it is. */
  readonly watching: WatchingOptions | undefined;
}

export type { WatchingOptions };

/** Runs the operator against a cluster until the user ends it. Resolves with the exit code. */
export async function operator(options: OperatorOptions, io: Io): Promise<number> {
  const log = await openServiceLog('operator', options, io);
  return loggingFailure(log, options, () => operatorLogging(log, options, io));
}

async function operatorLogging(log: Log, options: OperatorOptions, io: Io): Promise<number> {
  checkKubeletNamespace(options);
  // Before the cluster is looked for, so that a wrong address or file is told at once.
  const watching = options.watching && (await startWatching(options.watching, { log, io }));
  const stopCollecting = collectAtRest(io.heap, io.clock);
  try {
    return await operatorWatched(options, { watching, log, io });
  } finally {
    stopCollecting();
    watching?.close();
  }
}

interface Around {
  /** Undefined: nobody can ask how it is. */
  readonly watching: Watching | undefined;
  readonly log: Log;
  readonly io: Io;
}

async function operatorWatched(options: OperatorOptions, { watching, log, io }: Around): Promise<number> {
  const { signal } = io;
  const tell = (message: string): void => log.write({ level: 'info', message });
  const components = defaultComponents(componentOptions(options));
  const warn = (warning: string): void => log.write({ level: 'warn', message: warning, text: `warning: ${warning}` });
  const { client: plain, server, close } = await connect({ ...options, prefersLocal: false, warn }, io);
  const client = watching?.observed(plain) ?? plain;
  try {
    await prepareDefinitions(client, { ...options, components, log, io });
    tell(`${options.dryRun ? 'tells what it would do for' : 'works for'} ${server}, ${scopeOf(options)}`);
    const work = (holding: Holding): Promise<void> =>
      workWith(client, { options, components, watching, log, io, ...holding });
    watching?.waits();
    if (options.dryRun)
      return await rehearsed((life) => workWith(client, { options, components, watching, log, io, ...life }), {
        ...{ components, log, io, once: options.once },
      });
    await runWithLease(leaseOf(client, { options, log, io }), work, { signal });
    tell('stopped');
    return 0;
  } catch (error) {
    if (signal.aborted) return 0;
    throw error;
  } finally {
    await close();
  }
}

function leaseOf(client: Client, { options, log, io }: Running): LeaseOptions {
  const { clock, random, host } = io;
  return {
    client,
    clock,
    random,
    identity: leaseIdentity(host, random.fork('identity')),
    report: (message, error) => log.write({ level: error === undefined ? 'info' : 'warn', message, error }),
    namespace: options.leaseNamespace,
    name: operatorLease.name,
  };
}

interface Working extends Running, Holding, Partial<Omit<RehearsalLife, keyof Holding>> {
  readonly components: readonly RootComponent[];
  readonly watching: Watching | undefined;
}

/** What the operator does while it may: until the signal aborts. */
async function workWith(
  { transport, user }: Client,
  { components, watching, signal, isHeld, onPlatform, onRefused, ...running }: Working,
): Promise<void> {
  const { options } = running;
  const { dryRun, kubeletService, namespaces } = options;
  const figures = createOperatorFigures();
  const client = createClient(fencedTransport(transport, isHeld), user);
  const seen = platformOf(client, { ...running, watching, ...(onRefused && { onRefused }) });
  const platform = onPlatform?.(seen) ?? seen;
  const telemetry = { components, isPartial: namespaces.length > 0, ...(watching && { observer: figures }) };
  const parts: CreateComponent[] = [(life) => createTelemetryOperator(life, telemetry)];
  if (kubeletService !== undefined) parts.push((life) => createKubeletServiceSync(life, kubeletService));
  if (namespaces.length > 0) parts.push((life) => createNamespaceNotice(life, { namespaces, log: running.log }));
  const supervisor = createSupervisor(parts, platform);
  const { informers } = seen;
  const stop = watching?.works({ informers, figures, supervisor, isLeader: !dryRun });
  try {
    await keepAlive(supervisor, { what: 'operator', signal });
  } finally {
    stop?.();
    informers.close();
  }
}

/** It sees nothing of other namespaces, and would take what stands there for missing. */
function checkKubeletNamespace({ namespaces, kubeletService }: OperatorOptions): void {
  if (kubeletService === undefined || namespaces.length === 0 || namespaces.includes(kubeletService.namespace)) return;
  const { namespace } = kubeletService;
  throw new CommandError(`--kubelet-service is in a namespace that is not looked after: add --namespace ${namespace}`);
}

function scopeOf({ namespaces }: OperatorOptions): string {
  return namespaces.length === 0 ? 'all namespaces' : `namespaces ${namespaces.join(', ')}`;
}

interface Running {
  readonly options: OperatorOptions;
  readonly log: Log;
  readonly io: Io;
}

function platformOf(
  client: Client,
  { options, watching, onRefused, log, io }: Running & Pick<Working, 'onRefused' | 'watching'>,
): Platform {
  const { clock, random } = io;
  const { namespaces, dryRun } = options;
  const report = (problem: Problem): void => log.write({ level: 'warn', ...problem });
  const informers = createInformers({
    client,
    clock,
    random: random.fork('informers'),
    report(message, error) {
      if (isRefusal(error)) onRefused?.();
      report({ component: 'informers', message, error });
    },
    ...(namespaces.length > 0 && { namespaces }),
    trim: operatorTrim,
    only: operatorScope,
  });
  const observers = [...(dryRun ? [] : [createActionLog(log, informers)]), ...(watching ? [watching.runtime] : [])];
  return {
    transport: client.transport,
    informers,
    clock,
    random: random.fork('operator'),
    report,
    ...(observers.length > 0 && { observer: observedByAll(observers) }),
  };
}
