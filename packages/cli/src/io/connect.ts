import { stat } from 'node:fs/promises';
import {
  type Client,
  createClient,
  createHttpTransport,
  download,
  kubeconfigContext,
  type LoadedKubeconfig,
  loadKubeconfig,
} from '@signalbox/cluster';
import { CommandError } from './errors.ts';
import { absolute, type Io, writeLine } from './io.ts';
import { defaultFolder, defaultKubeconfig } from './places.ts';

export interface ConnectOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Where to look first when nothing is named: the kubeconfig that `up` wrote. */
  readonly prefersLocal: boolean;
  /** Told of what in the kubeconfig is left out; without it standard error is. */
  readonly warn?: (warning: string) => void;
}

export interface Connected {
  readonly client: Client;
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  /** The namespace of the context. */
  readonly namespace: string | undefined;
  /** The text behind a path of the server. Refusals are thrown as `StatusError`. */
  read(path: string, options: { readonly signal: AbortSignal }): Promise<string>;
  close(): Promise<void>;
}

/** How to reach the cluster that the user means: the named kubeconfig (option or variable), the one that `up` wrote, or kubectl's. */
export async function chooseKubeconfig(options: ConnectOptions, io: Io): Promise<LoadedKubeconfig> {
  const { kubeconfig, context, prefersLocal } = options;
  const { warn = (warning: string) => writeLine(io.stderr, `warning: ${warning}`) } = options;
  const { clock, env } = io;
  const path = kubeconfig ?? (prefersLocal ? await localKubeconfig(context, io) : undefined);
  const loaded = await loadKubeconfig({
    env,
    clock,
    ...(path !== undefined && { path: absolute(path, io) }),
    ...(context !== undefined && { context }),
  }).catch((cause: unknown) => {
    throw new CommandError(cause instanceof Error ? cause.message : String(cause), { cause });
  });
  for (const warning of loaded.warnings) warn(warning);
  return loaded;
}

/** A client for the cluster that the user means: the named kubeconfig, the one that `up` wrote, or kubectl's. */
export async function connect(options: ConnectOptions, io: Io): Promise<Connected> {
  const { clock, random } = io;
  const loaded = await chooseKubeconfig(options, io);
  const transport = createHttpTransport({ connection: loaded.connection, clock, random });
  // Over HTTP the credentials say who asks.
  const client = createClient(transport, { name: '', groups: [] });
  return {
    client,
    server: loaded.connection.server,
    namespace: loaded.namespace,
    read: (path, { signal }) => textAt(path, loaded, signal),
    close: () => transport.close(),
  };
}

const textBytesMax = 64 * 1_024 * 1_024;

async function textAt(target: string, { connection }: LoadedKubeconfig, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of download({ connection, target }, { signal })) {
    bytes += chunk.length;
    if (bytes > textBytesMax) throw new CommandError(`${target}: the answer is larger than 64 MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The kubeconfig that `up` wrote here, unless the user says otherwise: by KUBECONFIG, or by a context that is none of ours.
 */
async function localKubeconfig(context: string | undefined, io: Io): Promise<string | undefined> {
  if ((io.env['KUBECONFIG'] ?? '') !== '' || (context ?? kubeconfigContext) !== kubeconfigContext) return undefined;
  const paths = [defaultKubeconfig(defaultFolder), defaultKubeconfig(undefined)];
  const written = await Promise.all(paths.map(async (path) => ({ path, ms: await writtenMs(absolute(path, io)) })));
  // Of a cluster that is kept here and of one in memory, the one that was started last.
  const [last] = written.filter(({ ms }) => ms !== undefined).sort((a, b) => (b.ms ?? 0) - (a.ms ?? 0));
  return last?.path;
}

async function writtenMs(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}
