import { access, constants } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type Backend,
  type Cluster,
  type Component,
  createClient,
  createCluster,
  loadServingPki,
  openLmdbBackend,
  type Platform,
  type Problem,
  runWithLease,
  type Serving,
  serveCluster,
} from '@signalbox/cluster';
import { createTelemetryOperator, type RootComponent } from '@signalbox/telemetry';
import { CommandError } from '../errors.ts';
import { absolute, type Io } from '../io.ts';
import { operatorLease } from '../lease.ts';
import { fileProblem } from '../manifests.ts';
import { makePrivateFolder } from '../private-folder.ts';

export const defaultFolder = '.signalbox';

export interface StartOptions {
  /** Undefined: in memory. */
  readonly folder: string | undefined;
  /** Undefined: 3 in a new cluster; in one that was there before, those that it has. */
  readonly nodes: number | undefined;
  readonly host: string;
  readonly port: number;
  /** Where the kubeconfig is written. */
  readonly kubeconfig: string;
  readonly components: readonly RootComponent[];
  readonly report: (problem: Problem) => void;
  readonly io: Io;
}

export interface Started {
  readonly cluster: Cluster;
  readonly serving: Serving;
  /** The operator begins when this is called: its resources have to be served first. */
  startOperator(): void;
  close(): Promise<void>;
}

const nodesDefault = 3;

/** Opens the folder, starts the cluster, puts it on the network. What fails takes down what was started before it. */
export async function start(options: StartOptions): Promise<Started> {
  const { folder, host, port, kubeconfig, components, report, io } = options;
  const { clock, random } = io;
  await makeFolders(folder, kubeconfig, io);
  const path = folder === undefined ? undefined : absolute(folder, io);
  const backend = path === undefined ? undefined : await openLmdbBackend({ path });
  let url = `https://${host}:${port}`;
  let startOperator: () => void = () => undefined;
  const isWanted = new Promise<void>((resolve) => {
    startOperator = resolve;
  });
  const pki = await loadServingPki({ folder: path, host, clock }).catch(closing(backend));
  const cluster = await createCluster({
    clock,
    random,
    report,
    nodes: options.nodes ?? (await nodesFor(backend)),
    ...(backend !== undefined && { backend }),
    components: [(platform) => delayed(operator(platform, { components, io }), isWanted)],
    serverAddress: () => url.replace(/^https:\/\//, ''),
    certificateAuthority: pki,
  }).catch(closing(backend));
  try {
    const serving = await serveCluster(cluster, {
      pki,
      host,
      port,
      kubeconfig: absolute(kubeconfig, io),
      clock,
      report,
    });
    url = serving.url;
    const close = async (): Promise<void> => {
      await serving.close();
      await cluster.close();
    };
    return { cluster, serving, startOperator, close };
  } catch (error) {
    await cluster.close();
    throw error;
  }
}

/** Gives the folder back before the error goes on. */
function closing(backend: Backend | undefined): (error: unknown) => Promise<never> {
  return async (error) => {
    await backend?.close().catch(() => undefined);
    throw error;
  };
}

/** One identity for all runs of this cluster: after a crash the next run goes on at once with the lease of the last. */
const identity = 'signalbox-up';

/** Takes part in the election, so that an operator that is pointed at this cluster from outside waits. */
function operator(
  platform: Platform,
  { components, io }: { readonly components: readonly RootComponent[]; readonly io: Io },
): Component {
  const part = createTelemetryOperator(platform, { components });
  const { transport, report } = platform;
  const { clock, random } = io;
  const lease = {
    ...operatorLease,
    client: createClient(transport, { name: 'system:serviceaccount:kube-system:signalbox-operator', groups: [] }),
    clock,
    random,
    identity,
    report: (message: string, error?: unknown) => {
      if (error !== undefined || !message.startsWith(identity)) report({ component: part.name, message, error });
    },
  };
  return { name: part.name, run: ({ signal }) => runWithLease(lease, (holding) => part.run(holding), { signal }) };
}

/** Begins once `isWanted` settles; an end that comes before it ends it, too. */
function delayed(component: Component, isWanted: Promise<void>): Component {
  return {
    name: component.name,
    async run({ signal }) {
      const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      await Promise.race([isWanted, ended]);
      if (!signal.aborted) await component.run({ signal });
    },
  };
}

async function nodesFor(backend: Backend | undefined): Promise<number> {
  return usualNodes(backend === undefined ? [] : (await backend.load()).records);
}

/**
 * How many nodes a start adds unasked. Those that someone deleted stay deleted, so only a cluster that never was, or whose
 * first start was cut short, gets the usual ones. Definitions are applied after the nodes are there, so they tell. Pure.
 */
export async function usualNodes(records: Records): Promise<number> {
  for await (const { key } of records) if (key.startsWith(definitionsPrefix)) return 0;
  return nodesDefault;
}

type Records = Iterable<{ readonly key: string }> | AsyncIterable<{ readonly key: string }>;
const definitionsPrefix = '/apiextensions.k8s.io/customresourcedefinitions/';

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

/** A cluster in memory has a file of its own: one that runs in the same folder keeps its users. */
export function defaultKubeconfig(folder: string | undefined): string {
  return folder === undefined ? join(defaultFolder, 'memory.kubeconfig') : join(folder, 'kubeconfig');
}
