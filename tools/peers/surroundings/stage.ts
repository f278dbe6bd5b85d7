/** Upstream's controllers on upstream's server, and ours on ours, with no nodes but those that a story makes and speaks for. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createCluster, loadServingPki, partsWithout, serveCluster, sleep, systemClock } from '@signalbox/cluster';
import { startControlPlane } from '../plane/control-plane.ts';
import type { Programs } from '../plane/programs.ts';
import { createRequests, type Requests } from '../plane/requests.ts';
import { toMicroTime, toTimestamp } from './moments.ts';
import { apart } from './nodes.ts';

export interface Side {
  readonly called: 'upstream' | 'here';
  readonly requests: Requests;
  close(): Promise<void>;
}

/** A node counts as silent after this time, upstream by a flag and here by its lease: stories wait for it. */
export const silentAfterSeconds = 8;

export async function startUpstream(programs: Programs, folder: string): Promise<Side> {
  const managerFlags = [
    `--node-monitor-grace-period=${silentAfterSeconds}s`,
    '--node-monitor-period=1s',
    // Ranges as ours.
    ...['--allocate-node-cidrs=true', '--cluster-cidr=10.64.0.0/16', '--node-cidr-mask-size=22'],
  ];
  const plane = await startControlPlane({ programs, folder, managerFlags, parts: ['kube-controller-manager'] });
  return { called: 'upstream', requests: plane.requests, close: plane.close };
}

export async function startHere(folder: string): Promise<Side> {
  mkdirSync(folder, { recursive: true });
  const pki = await loadServingPki({ folder });
  const parts = partsWithout(['scheduler', 'nodes']);
  const cluster = await createCluster({ nodes: 0, parts, certificateAuthority: pki });
  const serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(folder, 'kubeconfig') });
  const { ca, admin } = pki.current();
  const requests = createRequests({ server: serving.url, ca, client: admin });
  return {
    called: 'here',
    requests,
    async close() {
      requests.close();
      await serving.close();
      await cluster.close();
    },
  };
}

/** A node that is well in a zone of its own: else the whole cluster were in the dark. */
export async function anchor({ ask }: Requests, signal: AbortSignal): Promise<void> {
  const send = async (method: string, path: string, body: object, type = 'application/json'): Promise<void> => {
    const { code, text } = await ask({ method, path, headers: { 'content-type': type }, body: JSON.stringify(body) });
    if (code >= 300) throw new Error(`${method} ${path}: ${code} ${text}`);
  };
  const name = 'anchor';
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  const renewTime = (): string => toMicroTime(systemClock.nowMs());
  const spec = { holderIdentity: name, leaseDurationSeconds: silentAfterSeconds };
  for (let tries = 0; ; tries++) {
    const { code } = await ask({ method: 'GET', path: '/api/v1/namespaces/kube-node-lease' });
    if (code === 200) break;
    if (tries > 600) throw new Error('there is no namespace for leases');
    await sleep(systemClock, 100, { signal });
  }
  const labels = { 'topology.kubernetes.io/zone': name, ...apart };
  await send('POST', '/api/v1/nodes', { metadata: { name, labels, annotations: { 'signalbox.dev/driver': 'hand' } } });
  await send('POST', leases, { metadata: { name }, spec: { ...spec, renewTime: renewTime() } });
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: toTimestamp(systemClock.nowMs()) }];
  await send(
    'PATCH',
    '/api/v1/nodes/anchor/status',
    { status: { conditions } },
    'application/strategic-merge-patch+json',
  );
  void (async () => {
    while (!signal.aborted) {
      await sleep(systemClock, 2_000, { signal });
      await send('PATCH', `${leases}/${name}`, { spec: { renewTime: renewTime() } }, 'application/merge-patch+json');
    }
  })().catch(() => undefined);
}
