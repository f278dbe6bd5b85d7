import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type Advertised,
  type Backend,
  type Cluster,
  type ClusterAuthority,
  type ClusterOptions,
  createCluster,
  type DrivenClock,
  type FurtherCertificate,
  type KubeObject,
  type LeftPart,
  loadServingPki,
  type New,
  nodes as nodesType,
  openLmdbBackend,
  type PkiKeeper,
  type Problem,
  partsWithout,
  type Serving,
  serveCluster,
} from '@signalbox/cluster';
import { adapterIdentity, createMetricsAdapter, operatorIdentity, type RootComponent } from '@signalbox/telemetry';
import type { AccessTerms } from '../io/access-terms.ts';
import { CommandError } from '../io/errors.ts';
import { absolute, type Io } from '../io/io.ts';
import { fileProblem } from '../io/manifests.ts';
import { makePrivateFolder } from '../io/private-folder.ts';
import { type OpenedAccountKeys, openAccess } from './access.ts';
import { embeddedOperator } from './embedded-operator.ts';
import { refuseEmptied } from './emptied.ts';
import { exposures } from './exposure.ts';
import { certificateNames } from './reach.ts';
import { readSchedulerConfiguration } from './scheduler-config.ts';
import { openVirtual, refuseAhead, type VirtualTerms } from './virtual.ts';

export interface StartOptions {
  /** Undefined: in memory. */
  readonly folder: string | undefined;
  /** Undefined: 3 in a new cluster; in one that was there before, those that it has. */
  readonly nodes: number | undefined;
  /** What this process may hold of the machine's memory. */
  readonly memoryLimitBytes: number;
  readonly host: string;
  readonly port: number;
  /** What the kubeconfig calls the server by; undefined: the host. */
  readonly advertise: Advertised | undefined;
  /** More names for the server's certificate. */
  readonly names: readonly string[];
  /** More certificates of the cluster's authority. */
  readonly certificates: readonly FurtherCertificate[];
  /** Where the kubeconfig is written. */
  readonly kubeconfig: string;
  /** What is served before anybody can reach the cluster. */
  readonly definitions: readonly New<KubeObject>[];
  /** The kinds of roots that the operator looks after; undefined: there is no operator. */
  readonly components: readonly RootComponent[] | undefined;
  /** Who gets in besides the administrator, and what is written down. */
  readonly access: AccessTerms;
  /** A file that says by which rules pods get their nodes. */
  readonly schedulerConfig?: string | undefined;
  /** What others do in the place of this process. */
  readonly without: readonly LeftPart[];
  /** Undefined: time is the computer's. */
  readonly virtual: VirtualTerms | undefined;
  readonly report: (problem: Problem) => void;
  readonly io: Io;
}

export interface Started {
  readonly cluster: Cluster;
  readonly serving: Serving;
  readonly pki: PkiKeeper;
  /** Undefined: time is the computer's. */
  readonly clock: DrivenClock | undefined;
  close(): Promise<void>;
}

const nodesDefault = 3;

/** What a plane does at its start unasked: roles are written, nodes register. Else it would wait for the first who moves its clock. */
const firstMs = 1_000;

/** So many nodes are more than a hundredth of a core, doing nothing. */
const largeFleet = 1_000;

/**
 * Opens the folder, starts the cluster with everything in it, then puts it on the network: nobody, not even who still has
 * the kubeconfig of the last run, meets a server that does not serve its resources yet. What fails takes down what was
 * started before it.
 */
export async function start(options: StartOptions): Promise<Started> {
  const { folder, host, port, advertise, components, memoryLimitBytes, report, io } = options;
  const { clock } = io;
  io.engine.starts();
  await makeFolders(folder, options.kubeconfig, io);
  const path = folder === undefined ? undefined : absolute(folder, io);
  const kubeconfig = absolute(options.kubeconfig, io);
  await judgeFolder(path, options);
  const access = await openAccess(options.access, { io, report });
  const { audit, tokens, anonymous, requestHeader, close: closeAccess } = access;
  const scheduler = options.schedulerConfig && (await readSchedulerConfiguration(options.schedulerConfig, io));
  const disk = path === undefined ? undefined : await openLmdbBackend({ path });
  const virtual = options.virtual && (await openVirtual(options.virtual, { folder: path, io }));
  const backend = disk && (virtual?.watched(disk) ?? disk);
  let url = `https://${host}:${port}`;
  const names = certificateNames(options, io);
  const further = options.certificates;
  const changesTokenKey = options.access.accountKeys.changes;
  const place = {
    folder: path,
    host,
    clock,
    names,
    further,
    changesTokenKey,
    ...(advertise !== undefined && { advertise }),
  };
  const pki = await loadServingPki(place).catch(closing(backend));
  const nodes = options.nodes ?? (await nodesFor(backend));
  const cluster = await createCluster({
    clock: virtual?.clock ?? clock,
    outsideClock: clock,
    random: virtual?.random ?? io.random,
    report,
    memoryLimitBytes,
    nodes,
    manifests: options.definitions,
    soundDefinitions: options.definitions,
    parts: partsWithout(options.without),
    ...(backend !== undefined && { backend }),
    ...(components !== undefined && withTelemetry(components)),
    serverAddress: () => url.replace(/^https:\/\//, ''),
    certificateAuthority: { ...pki, ...tokenKeys(access.accountKeys, pki) },
    ...access.admission,
    ...(scheduler !== undefined && { scheduler: { configuration: scheduler } }),
    tokens,
    ...(audit !== undefined && { audit }),
  }).catch(closing(backend));
  try {
    await virtual?.clock.moveTo(virtual.clock.nowMs() + firstMs);
    const door = virtual && { driven: virtual.door };
    const serving = await serveCluster(cluster, {
      ...{ ...place, ...door, pki, port, kubeconfig, memoryLimitBytes, report, tokens, anonymous, requestHeader },
    });
    url = serving.url;
    io.engine.serves();
    const fleetEnds = virtual === undefined ? await fleetLives(cluster, io) : undefined;
    const close = async (): Promise<void> => {
      fleetEnds?.();
      await serving.close();
      await cluster.close();
      await closeAccess();
    };
    return { cluster, serving, pki, clock: virtual?.clock, close };
  } catch (error) {
    await cluster.close();
    throw error;
  }
}

/** Tells who else could read it; throws where it lost what it had, or was written in what is still to come. */
async function judgeFolder(path: string | undefined, { virtual, report, io }: StartOptions): Promise<void> {
  for (const message of await exposures({ folder: path, userId: io.userId }))
    report({ component: 'data folder', message });
  if (path === undefined) return;
  await refuseEmptied(path);
  if (virtual === undefined) await refuseAhead(path, { nowMs: io.clock.nowMs() });
}

/**
 * Counts those that were in the folder before, too. On a virtual clock nobody gives signs of life while nobody moves it.
 * Returns what to do when they end.
 */
export async function fleetLives(
  { client }: Pick<Cluster, 'client'>,
  { engine, signal }: Pick<Io, 'engine' | 'signal'>,
): Promise<(() => void) | undefined> {
  const { metadata, items } = await client.list(nodesType, { limit: 1, signal });
  const count = items.length + Number(metadata.remainingItemCount ?? 0);
  return count >= largeFleet ? engine.neverRests() : undefined;
}

/** Whichever key signs, tokens of the folder's keys go on counting. */
function tokenKeys(
  { signing, checking, issuers }: OpenedAccountKeys,
  pki: PkiKeeper,
): Pick<ClusterAuthority, 'tokenKey' | 'tokens'> {
  const [issuer, ...formerIssuers] = issuers;
  const own = signing === undefined ? [] : [pki.tokenKey()];
  const former = pki.formerTokenKeys();
  return {
    ...(signing !== undefined && { tokenKey: () => signing }),
    tokens: {
      checking: [...checking, ...own, ...(former === '' ? [] : [former])],
      ...(issuer !== undefined && { issuer, formerIssuers }),
    },
  };
}

/** The operator, and what autoscalers ask about the agents that it places. */
function withTelemetry(
  components: readonly RootComponent[],
): Pick<ClusterOptions, 'components' | 'identities' | 'apis'> {
  const acts = operatorIdentity(components);
  const { apis, parts } = createMetricsAdapter();
  return {
    apis,
    components: [(platform) => embeddedOperator(platform, { components, acts }), ...parts],
    identities: [acts, adapterIdentity],
  };
}

/** Gives the folder back before the error goes on. */
function closing(backend: Backend | undefined): (error: unknown) => Promise<never> {
  return async (error) => {
    await backend?.close().catch(() => undefined);
    throw error;
  };
}

async function nodesFor(backend: Backend | undefined): Promise<number> {
  return usualNodes(backend === undefined ? [] : (await backend.load()).records);
}

/**
 * How many nodes a start adds unasked. Those that someone deleted stay deleted, so only a cluster that never was, or whose
 * first start was cut short, gets the usual ones. Service accounts are made after the nodes are there, so they tell. Pure.
 */
export async function usualNodes(records: Records): Promise<number> {
  for await (const { key } of records) if (key.startsWith(accountsPrefix)) return 0;
  return nodesDefault;
}

type Records = Iterable<{ readonly key: string }> | AsyncIterable<{ readonly key: string }>;
const accountsPrefix = '/core/serviceaccounts/';

async function makeFolders(folder: string | undefined, kubeconfig: string, io: Io): Promise<void> {
  const places = [
    ...(folder === undefined ? [] : [{ path: folder, what: `data folder ${folder}`, option: '--data' }]),
    { path: dirname(kubeconfig), what: `folder of the kubeconfig ${kubeconfig}`, option: '--kubeconfig' },
  ];
  for (const { path, what, option } of places) {
    try {
      await makePrivateFolder(absolute(path, io));
      await access(absolute(path, io), constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (cause) {
      throw new CommandError(`cannot use the ${what}: ${fileProblem(cause)} (${option})`, { cause });
    }
  }
}
