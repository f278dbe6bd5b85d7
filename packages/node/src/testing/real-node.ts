/** A cluster in the test's process and a real node of it in one of its own; as root and as an ordinary user. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Container,
  createCluster,
  type FurtherCertificate,
  loadServingPki,
  nodes,
  type Pod,
  pods,
  serveCluster,
  systemClock,
} from '@signalbox/cluster';
import { connectInside, type InsideClient } from '../protocol/client.ts';
import { nodePlaces } from '../protocol/places.ts';
import { fromSources } from './inside-command.ts';
import type { NodeProcessOptions } from './node-process.ts';
import { assertAble, execOf, logOf, ordinaryUser, podPlace, type Said, type Who } from './real-inside.ts';

type PodSpec = Pod['spec'];

export interface RealNode {
  readonly client: Awaited<ReturnType<typeof createCluster>>['client'];
  readonly folder: string;
  /** Its kubeconfig and the like: nothing of it may be seen by a pod. */
  readonly clusterFolder: string;
  /** Of the agent. */
  readonly pid: number;
  /** What the agent has said of what went wrong. */
  readonly said: readonly string[];
  /** A second connection to the process inside. */
  inside(): InsideClient;
  /** Ends the agent, by its word or without, and starts another one. */
  restart(signal: 'SIGHUP' | 'SIGKILL', meanwhile?: () => Promise<void>): Promise<void>;
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
}

export async function realNode(who: Who, { simulated = 0, ...options }: RealNodeOptions = {}): Promise<RealNode> {
  await assertAble(who);
  const clusterFolder = mkdtempSync(join(tmpdir(), 'signalbox-cluster-'));
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-node-'));
  const user = process.getuid?.() === 0 && who !== 'root' ? ordinaryUser : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o711);
  const { cluster, server, credentials, close } = await startCluster(clusterFolder, simulated);
  const given: NodeProcessOptions = {
    ...{ name: nodeName, folder, server, podsMax: 110, ...credentials },
    ...{ images: [], hostPaths: [], staticPods: undefined },
    ...options,
  };
  const said: string[] = [];
  let process_ = await startProcess(given, { user, said }).catch(async (error: unknown) => {
    await Promise.all([close(), endInside(folder)]);
    for (const each of [folder, clusterFolder]) rmSync(each, { recursive: true, force: true });
    throw error;
  });
  const { client } = cluster;
  const get = (name: string): Promise<Pod> => client.get(pods, { namespace: 'default', name });
  let inside: InsideClient | undefined;
  const self: RealNode = {
    ...{ client, folder, clusterFolder, said, get },
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
    endNode: () => ended(process_, 'SIGTERM'),
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
      await close();
      for (const each of [folder, clusterFolder]) rmSync(each, { recursive: true, force: true });
    },
  };
  await client.get(nodes, { name: nodeName });
  return self;
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
  const path = fileURLToPath(new URL('./node-process.ts', import.meta.url));
  const [program, ...args] = fromSources;
  const child = spawn(program, [...args, path], { stdio: ['pipe', 'pipe', 'pipe'], cwd: '/', ...user });
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
