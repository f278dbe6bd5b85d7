/** Upstream's scheduler on an API server of ours, and nobody else: nodes are what they are said to be, pods stay where they are put. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Cluster,
  clusterrolebindings,
  createCluster,
  type KubeObject,
  loadServingPki,
  type New,
  type Node,
  nodes,
  type PlanePart,
  type Pod,
  pods,
  type ResourceType,
  serveCluster,
  sleep,
  systemClock,
} from '@signalbox/cluster';
import { makeNode, type NodeParts } from '../../../packages/cluster/src/testing/makers.ts';
import { certificateOf, startPart } from './control-plane.ts';
import type { Running } from './processes.ts';
import type { Programs } from './programs.ts';

export interface TheirScheduler {
  readonly cluster: Cluster;
  create<T extends KubeObject>(type: ResourceType<T>, object: New<KubeObject>): Promise<T>;
  createNode(name: string, parts: NodeParts): Promise<Node>;
  /** Waits until it has decided about the pod: a node, or why none. */
  decided(pod: Pod): Promise<Pod>;
  /** Ends the scheduler, until it begins again. */
  end(): Promise<void>;
  begin(): Promise<void>;
  /** Everything that it wrote until now. */
  log(): string;
  close(): Promise<void>;
}

export interface TheirOptions {
  readonly verbosity?: number;
  /** Of a `KubeSchedulerConfiguration`, without its head and its connection. */
  readonly configuration?: object;
  /** Parts of ours that run beside it. */
  readonly parts?: readonly PlanePart[];
}

const { signal } = new AbortController();

export async function startTheirScheduler(
  programs: Programs,
  { verbosity, configuration, parts = [] }: TheirOptions = {},
): Promise<TheirScheduler> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-scheduler-'));
  const pki = await loadServingPki({ folder, further: [certificateOf('kube-scheduler')] });
  const cluster = await createCluster({
    nodes: 0,
    parts,
    certificateAuthority: pki,
    withoutAdmission: ['ServiceAccount', 'TaintNodesByCondition'],
  });
  const { client } = cluster;
  const serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(folder, 'kubeconfig') });
  const create = <T extends KubeObject>(type: ResourceType<T>, object: New<KubeObject>): Promise<T> =>
    client.create(type, object as New<T>, { signal });
  // A role of our own part would be too small for a program that looks at much more.
  await create(clusterrolebindings, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'scheduler' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'system:kube-scheduler' }],
  } as New<KubeObject>);
  const scheduling = {
    verbosity,
    ...(configuration !== undefined && { configuration: writeConfiguration(folder, configuration) }),
  };
  const begun = (): Promise<Running> =>
    startPart('kube-scheduler', {
      ...{ programs, folder, scheduling },
      ...{ server: serving.url, pki: pki.current() },
    });
  let scheduler = await begun();
  return {
    cluster,
    create,
    async createNode(name, parts) {
      return create(nodes, bare(makeNode(name, parts)));
    },
    async decided({ metadata: { namespace, name } }) {
      for (let tries = 0; tries < 400; tries++) {
        const pod = await client.get(pods, { namespace, name, signal });
        // What its caches have not heard of yet is an error to it, and it tries again.
        const isSaid = pod.status.conditions?.some(
          ({ type, reason }) => type === 'PodScheduled' && reason !== 'SchedulerError',
        );
        if ((pod.spec.nodeName ?? '') !== '' || isSaid === true) return pod;
        await sleep(systemClock, 50, { signal });
      }
      throw new Error(`upstream’s scheduler decides nothing about ${name}: ${scheduler.tail()}`);
    },
    end: () => scheduler.end(),
    async begin() {
      scheduler = await begun();
    },
    log: () => readFileSync(join(folder, 'kube-scheduler.log'), 'utf8'),
    async close() {
      await scheduler.end();
      await serving.close();
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** JSON is YAML. It has to name the kubeconfig that `startPart` writes, and may ask as fast as it likes. */
function writeConfiguration(folder: string, configuration: object): string {
  const path = join(folder, 'scheduler-configuration.yaml');
  const clientConnection = { kubeconfig: join(folder, 'kube-scheduler.kubeconfig'), qps: 500, burst: 1000 };
  const head = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };
  writeFileSync(path, JSON.stringify({ ...head, clientConnection, ...configuration }));
  return path;
}

/** Without what a test's maker gives an object and a server does not take. */
export function bare({ apiVersion, kind, metadata, spec, status }: Pod | Node): New<KubeObject> {
  const { name, namespace, labels } = metadata;
  const object: unknown = {
    ...{ apiVersion, kind, spec },
    metadata: { name, labels, ...(namespace !== undefined && { namespace }) },
    ...(kind === 'Node' && { status }),
  };
  return object as New<KubeObject>;
}
