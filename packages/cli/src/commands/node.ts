import { readFile } from 'node:fs/promises';
import { createHttpTransport, type HttpTransport, type Problem } from '@signalbox/cluster';
import type { RunningNode } from '@signalbox/node';
import { chooseKubeconfig } from '../io/connect.ts';
import { Ending } from '../io/ending.ts';
import { CommandError, describeError } from '../io/errors.ts';
import { absolute, type Io } from '../io/io.ts';
import { type Log, type LogOptions, loggingFailure } from '../io/log.ts';
import { fileProblem } from '../io/manifests.ts';
import { checkNodePaths, missingHostPaths } from '../io/node-paths.ts';
import { type NodeTerms, nodeNameOf } from '../io/node-terms.ts';
import { defaultNodeFolder } from '../io/places.ts';
import { makePrivateFolder } from '../io/private-folder.ts';
import type { RealNodeStart } from '../io/real-nodes.ts';
import { openServiceLog } from '../io/service-log.ts';

export interface NodeCommandOptions extends LogOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Undefined: as the node itself. */
  readonly networkKubeconfig: string | undefined;
  /** Undefined: the usual one. */
  readonly data: string | undefined;
  /** Both or none. */
  readonly tlsCertFile: string | undefined;
  readonly tlsPrivateKeyFile: string | undefined;
  /** Whether what runs goes on after an orderly end. */
  readonly keeps: boolean;
  readonly terms: NodeTerms;
}

/** Runs a node until the user ends it. Resolves with the exit code. */
export async function node(options: NodeCommandOptions, io: Io): Promise<number> {
  const log = await openServiceLog('node', options, io);
  return loggingFailure(log, options, () => runNode(options, { log, io }));
}

interface Telling {
  readonly log: Log;
  readonly io: Io;
}

async function runNode(options: NodeCommandOptions, { log, io }: Telling): Promise<number> {
  const lacks = await io.realNodes.lacks();
  if (lacks.length > 0) throw new CommandError(lacks.join('; '));
  const name = nodeNameOf(options.terms, io, '--name');
  await checkNodePaths(options.terms, io);
  for (const message of await missingHostPaths(options.terms)) log.write({ level: 'warn', message });
  const images = [...options.terms.images, ...(await rulesIn(options.terms.imagesFile, io))];
  const serving = await servingOf(options, io);
  const folder = options.data ?? defaultNodeFolder;
  const transports: HttpTransport[] = [];
  try {
    const reach = await reachCluster(options, { log, io, transports });
    await makeFolder(folder, io);
    const { terms } = options;
    const start = { ...reach, name, folder: absolute(folder, io), serving, images };
    const all = { ...start, ...placesOf(terms, io), ...aliveness({ log, io }), signal: io.signal };
    const running = await io.realNodes.start(all).catch((error: unknown) => {
      if (!io.signal.aborted) throw error;
    });
    if (running === undefined) return await endedEarly(all, { keeps: options.keeps, log, io });
    log.write({ level: 'info', message: `the node ${name} runs in ${folder}` });
    io.onHurry(() => log.write({ level: 'warn', message: leftAtOnce(name, folder) }));
    return await untilEnded(running, { keeps: options.keeps, log, io });
  } finally {
    await Promise.all(transports.map((transport) => transport.close()));
  }
}

/** What a second Ctrl-C leaves: the process inside has not heard of it. */
function leftAtOnce(name: string, folder: string): string {
  return `the agent of ${name} ended at once; what still runs in its pods ends by itself within five minutes, or goes on with the next agent of ${folder}`;
}

interface Ended extends Telling {
  readonly keeps: boolean;
}

/** Before it was a node: what an agent before this one left running is its matter now. */
async function endedEarly({ folder }: Pick<RealNodeStart, 'folder'>, { keeps, log, io }: Ended): Promise<number> {
  if (!isLeft(keeps, io)) await io.realNodes.endLeftIn(folder);
  log.write({ level: 'info', message: 'stopped before the node was registered' });
  return 0;
}

function isLeft(keeps: boolean, { signal: { reason } }: Io): boolean {
  return keeps || (reason instanceof Ending && reason.by === 'SIGHUP');
}

/** Whoever waits for it in front may go. */
async function untilEnded(running: RunningNode, { keeps, log, io }: Ended): Promise<number> {
  io.background?.settle(0);
  const error = await Promise.race([running.failed, aborted(io.signal)]);
  if (error !== undefined) {
    // An agent that starts after this one finds what runs.
    await running.leave();
    throw new CommandError(`the node ends because ${describeError(error).join('; ')}; what runs in its pods goes on`, {
      cause: error,
    });
  }
  const leaves = isLeft(keeps, io);
  if (leaves) await running.leave();
  else await running.end();
  log.write({ level: 'info', message: leaves ? 'stopped; what runs in its pods goes on' : 'stopped' });
  return 0;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function aliveness({ log, io }: Telling): Pick<RealNodeStart, 'clock' | 'random' | 'report'> {
  const { clock, random } = io;
  return { clock, random, report: (problem: Problem) => log.write({ level: 'warn', ...problem }) };
}

type Places = Pick<
  RealNodeStart,
  'labels' | 'taints' | 'podsMax' | 'imagesFolder' | 'egress' | 'hostPaths' | 'staticPods'
>;

function placesOf({ labels, taints, podsMax, egress, hostPaths, ...folders }: NodeTerms, io: Io): Places {
  const { imagesFolder, staticPods } = folders;
  return {
    ...{ labels, taints, podsMax, egress, hostPaths },
    imagesFolder: imagesFolder === undefined ? undefined : absolute(imagesFolder, io),
    staticPods: staticPods === undefined ? undefined : absolute(staticPods, io),
  };
}

interface Reaching extends Telling {
  /** To be closed at the end. */
  readonly transports: HttpTransport[];
}

type Reach = Pick<RealNodeStart, 'transport' | 'networkTransport' | 'api' | 'authority'>;

async function reachCluster(options: NodeCommandOptions, { log, io, transports }: Reaching): Promise<Reach> {
  const open = async (kubeconfig: string | undefined, context: string | undefined) => {
    const warn = (message: string): void => log.write({ level: 'warn', message });
    const { connection } = await chooseKubeconfig({ kubeconfig, context, prefersLocal: true, warn }, io);
    const transport = createHttpTransport({ connection, clock: io.clock, random: io.random });
    transports.push(transport);
    return { connection, transport };
  };
  const { connection, transport } = await open(options.kubeconfig, options.context);
  const { networkKubeconfig: other } = options;
  const network = other === undefined ? transport : (await open(other, undefined)).transport;
  const { hostname, port } = new URL(connection.server);
  return {
    transport,
    networkTransport: network,
    api: { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 443 : Number(port) },
    authority: connection.tls.ca ?? '',
  };
}

async function makeFolder(folder: string, io: Io): Promise<void> {
  try {
    await makePrivateFolder(absolute(folder, io));
  } catch (cause) {
    throw new CommandError(`cannot use the node’s folder ${folder}: ${fileProblem(cause)} (--data)`, { cause });
  }
}

/** Lines that say something; what is wrong with one is found by who reads them. */
async function rulesIn(file: string | undefined, io: Io): Promise<readonly string[]> {
  if (file === undefined) return [];
  const lines = (await read(file, io, '--images-file')).split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

async function servingOf(options: NodeCommandOptions, io: Io): Promise<RealNodeStart['serving']> {
  const { tlsCertFile, tlsPrivateKeyFile } = options;
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined) return undefined;
  const certificate = await read(tlsCertFile, io, '--tls-cert-file');
  return { certificate, key: await read(tlsPrivateKeyFile, io, '--tls-private-key-file') };
}

async function read(file: string, io: Io, option: string): Promise<string> {
  try {
    return await readFile(absolute(file, io), 'utf8');
  } catch (cause) {
    throw new CommandError(`cannot read ${file}: ${fileProblem(cause)} (${option})`, { cause });
  }
}
