/** A cluster in the test's process and a real node of it in one of its own; as root and as an ordinary user. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  type Container,
  createClient,
  createCluster,
  createHttpTransport,
  type FurtherCertificate,
  type HttpTransport,
  loadServingPki,
  nodes,
  type Pod,
  pods,
  quietProcess,
  serveCluster,
  systemClock,
  systemRandom,
} from '@signalbox/cluster';
import { connectInside, type InsideClient } from '../protocol/client.ts';
import { nodePlaces } from '../protocol/places.ts';
import { familyOf } from './family.ts';
import type { NodeProcessOptions } from './node-process.ts';
import { programPath } from './programs.ts';
import { assertAble, execOf, logOf, ordinaryUser, podPlace, type Said, type Who } from './real-inside.ts';

type PodSpec = Pod['spec'];

export interface RealNode {
  readonly client: Awaited<ReturnType<typeof createCluster>>['client'];
  readonly folder: string;
  /** Its kubeconfig and the like: nothing of it may be seen by a pod. */
  readonly clusterFolder: string;
  /** The API as those are answered who have the certificates of the node. */
  readonly as: { readonly agent: Client; readonly network: Client };
  /** Of the agent. */
  readonly pid: number;
  /** What the agent has said of what went wrong. */
  readonly said: readonly string[];
  /** What is mounted in the namespace of the process inside. */
  mountsInside(): readonly string[];
  /** A second connection to the process inside. */
  inside(): InsideClient;
  /** Ends the agent, by its word or without, and starts another one. */
  restart(signal: 'SIGHUP' | 'SIGKILL', meanwhile?: () => Promise<void>): Promise<void>;
  /** Starts one more agent in the same folder; rejects with why it ended. */
  startRival(): Promise<void>;
  /** Ends the node in order; the folder stays to be looked at. */
  endNode(): Promise<void>;
  create(name: string, spec: Partial<PodSpec>, metadata?: Partial<Pod['metadata']>): Promise<Pod>;
  get(name: string): Promise<Pod>;
  delete(name: string, graceSeconds?: number): Promise<void>;
  /** Until it holds; throws with the pod as it was last. */
  until(name: string, holds: (pod: Pod) => boolean, seconds?: number): Promise<Pod>;
  gone(name: string, seconds?: number): Promise<void>;
  exec(name: string, script: string, container?: string): Promise<Said>;
  log(pod: Pod, container?: string, attempt?: number): string;
  end(): Promise<void>;
}

const nodeName = 'box';
const certificates: readonly FurtherCertificate[] = [
  {
    file: 'agent',
    subject: { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'] },
    ...{ usage: 'client', names: [] },
  },
  { file: 'network', subject: { commonName: 'system:kube-proxy', organizations: [] }, usage: 'client', names: [] },
];

export interface RealNodeOptions extends Partial<Pick<NodeProcessOptions, 'images' | 'hostPaths' | 'staticPods'>> {
  /** How many simulated nodes stand beside it. */
  readonly simulated?: number;
  /** Its folder is a disk of its own, of this size: only root can make one. */
  readonly diskBytes?: number;
}

export async function realNode(
  who: Who,
  { simulated = 0, diskBytes, ...options }: RealNodeOptions = {},
): Promise<RealNode> {
  await assertAble(who);
  const { folder, clusterFolder, user, remove } = makePlaces(who, diskBytes);
  const { cluster, server, credentials, close } = await startCluster(clusterFolder, simulated);
  const given: NodeProcessOptions = {
    ...{ name: nodeName, folder, server, podsMax: 110, ...credentials },
    ...{ images: [], hostPaths: [], staticPods: undefined },
    ...options,
  };
  const said: string[] = [];
  let process_ = await startProcess(given, { user, said }).catch(async (error: unknown) => {
    await Promise.all([close(), endInside(folder)]);
    remove();
    throw error;
  });
  const { as, close: closeClients } = clientsOf(server, credentials);
  const { client } = cluster;
  const get = (name: string): Promise<Pod> => client.get(pods, { namespace: 'default', name });
  let inside: InsideClient | undefined;
  const self: RealNode = {
    ...{ client, folder, clusterFolder, said, get, as },
    get pid() {
      return process_.pid ?? 0;
    },
    inside() {
      inside ??= connectInside(nodePlaces(folder).doors);
      return inside;
    },
    async restart(signal, meanwhile) {
      await ended(process_, signal);
      await meanwhile?.();
      process_ = await startProcess(given, { user, said });
    },
    async startRival() {
      const rival = await startProcess(given, { user, said: [] });
      await ended(rival, 'SIGKILL');
    },
    mountsInside: () => mountsInside(folder),
    endNode: () => ended(process_, 'SIGTERM'),
    ...writesOf(client),
    until: (name, holds, seconds = 30) => until(self, name, { holds, seconds }),
    gone: (name, seconds = 30) => gone(self, name, seconds),
    async exec(name, script, container = 'app') {
      const { metadata } = await get(name);
      return execOf(self.inside(), { pod: metadata.uid, name: container }, script);
    },
    log({ metadata: { name, uid } }, container = 'app', attempt = 0) {
      return logOf(folder, podPlace(0, { name, uid }), { container, attempt });
    },
    async end() {
      inside?.close();
      if (process_.exitCode === null && process_.signalCode === null) await ended(process_, 'SIGTERM');
      await closeClients();
      await close();
      remove();
    },
  };
  await client.get(nodes, { name: nodeName });
  return self;
}

function writesOf(client: RealNode['client']): Pick<RealNode, 'create' | 'delete'> {
  return {
    create: (name, spec, metadata) =>
      client.create(pods, {
        ...{ apiVersion: 'v1', kind: 'Pod' },
        metadata: { name, namespace: 'default', ...metadata },
        spec: { terminationGracePeriodSeconds: 1, ...spec },
      } as never),
    delete: (name, gracePeriodSeconds) =>
      client.delete(pods, {
        ...{ namespace: 'default', name },
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      }),
  };
}

function mountsInside(folder: string): readonly string[] {
  const [, pid = 0] = familyOf(folder);
  const lines = readFileSync(`/proc/${pid}/mounts`, 'utf8').split('\n');
  return lines.map((line) => line.split(' ')[1] ?? '');
}

interface Places {
  readonly folder: string;
  readonly clusterFolder: string;
  /** As whom the node runs, when not as the test. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  remove(): void;
}

function makePlaces(who: Who, diskBytes: number | undefined): Places {
  const clusterFolder = mkdtempSync(join(tmpdir(), 'signalbox-cluster-'));
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-node-'));
  const user = process.getuid?.() === 0 && who !== 'root' ? ordinaryUser : undefined;
  if (diskBytes !== undefined) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', folder]);
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o711);
  return {
    ...{ folder, clusterFolder, user },
    remove() {
      // What was inside may not have left it yet.
      if (diskBytes !== undefined) execFileSync('umount', ['--lazy', folder]);
      for (const each of [folder, clusterFolder]) rmSync(each, { recursive: true, force: true });
    },
  };
}

interface Clients {
  readonly as: RealNode['as'];
  close(): Promise<void>;
}

function clientsOf(server: string, { authority, agent, network }: StartedCluster['credentials']): Clients {
  const [one, other] = [agent, network].map((certificate) =>
    createHttpTransport({
      connection: { server, tls: { ca: authority }, credentials: { get: () => Promise.resolve({ certificate }) } },
      ...{ clock: systemClock, random: systemRandom() },
    }),
  ) as [HttpTransport, HttpTransport];
  const clientOf = (transport: HttpTransport): Client => createClient(transport, { name: '', groups: [] });
  return {
    as: { agent: clientOf(one), network: clientOf(other) },
    async close() {
      await Promise.all([one.close(), other.close()]);
    },
  };
}

/** What a node that could not start may have left. */
async function endInside(folder: string): Promise<void> {
  const inside = connectInside(nodePlaces(folder).doors);
  await inside.end().catch(() => undefined);
  inside.close();
}

interface StartedCluster {
  readonly cluster: Awaited<ReturnType<typeof createCluster>>;
  readonly server: string;
  readonly credentials: Pick<NodeProcessOptions, 'authority' | 'agent' | 'network'>;
  close(): Promise<void>;
}

async function startCluster(folder: string, simulated: number): Promise<StartedCluster> {
  const pki = await loadServingPki({ further: certificates, names: ['10.64.0.1'] });
  const cluster = await createCluster({ nodes: simulated, certificateAuthority: pki });
  const serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(folder, 'kubeconfig') });
  const { ca, further } = pki.current();
  const { agent, network } = further;
  if (agent === undefined || network === undefined) throw new Error('no certificates');
  return {
    ...{ cluster, server: serving.url, credentials: { authority: ca, agent, network } },
    async close() {
      await serving.close();
      await cluster.close();
    },
  };
}

interface Until {
  readonly holds: (pod: Pod) => boolean;
  readonly seconds: number;
}

async function until({ get, said }: RealNode, name: string, { holds, seconds }: Until): Promise<Pod> {
  for (let tries = 0; ; tries++) {
    const pod = await get(name);
    if (holds(pod)) return pod;
    if (tries > 20 * seconds)
      throw new Error(`${name} is ${JSON.stringify(pod.status, undefined, 1)}\n${said.join('')}`);
    await pause(50);
  }
}

async function gone({ get, said }: RealNode, name: string, seconds: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const pod = await get(name).catch(() => undefined);
    if (pod === undefined) return;
    if (tries > 20 * seconds) throw new Error(`${name} is still there: ${JSON.stringify(pod)}\n${said.join('')}`);
    await pause(50);
  }
}

interface Starting {
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  readonly said: string[];
}

async function startProcess(options: NodeProcessOptions, { user, said }: Starting): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...quietProcess, programPath('node-process')], {
    ...{ stdio: ['pipe', 'pipe', 'pipe'], cwd: '/' },
    ...user,
  });
  child.stderr.on('data', (chunk: Buffer) => void said.push(String(chunk)));
  child.stdin.end(JSON.stringify(options));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the node cannot start (${code}): ${said.join('')}`)));
  });
  return child;
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}

export function shellContainer(script: string, container: Partial<Container> = {}): Container {
  return { name: 'app', image: 'busybox', command: ['sh', '-c', script], ...container };
}

export const isRunning = ({ status }: Pod): boolean => status.phase === 'Running';
export const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
export const isOver = ({ status }: Pod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';
export const restartsOf = ({ status }: Pod): number => status.containerStatuses?.[0]?.restartCount ?? 0;

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.after(ms, resolve));
}
