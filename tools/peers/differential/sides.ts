import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  apiParts,
  createCluster,
  formatExactJson,
  loadServingPki,
  serveCluster,
  sleep,
  systemClock,
} from '@signalbox/cluster';
import { startControlPlane } from '../plane/control-plane.ts';
import type { Programs } from '../plane/programs.ts';
import { createRequests, type Requests } from '../plane/requests.ts';
import { custom, definition } from './kinds/custom.ts';
import { pathOf } from './steps.ts';

export interface Sides {
  readonly there: Requests;
  readonly here: Requests;
  close(): Promise<void>;
}

export interface SidesOptions {
  readonly programs: Programs;
  readonly folder: string;
  /** With a quota, limits and a level of security in the namespace. */
  readonly limited?: boolean;
}

/** Both API servers with nobody else on them, and with what the played objects need. */
export async function startSides({ programs, folder, limited = false }: SidesOptions): Promise<Sides> {
  const [theirs, ours] = [join(folder, 'there'), join(folder, 'here')];
  mkdirSync(ours);
  const plane = await startControlPlane({
    ...{ programs, folder: theirs, parts: ['kube-controller-manager'] },
    // Without it no address is given to a Service.
    controllers: ['service-cidr-controller'],
    alsoOn: {
      features: ['MutatingAdmissionPolicy'],
      versions: [
        ...['admissionregistration.k8s.io/v1beta1', 'admissionregistration.k8s.io/v1alpha1'],
        'coordination.k8s.io/v1beta1',
      ],
    },
    // What nobody takes away again would keep objects for ever; ours puts it there where somebody does.
    withoutAdmission: ['StorageObjectInUseProtection'],
  });
  const own = await startOwnSide(ours);
  const here = own.requests;
  for (const side of [plane.requests, here]) {
    await prepare(side);
    if (limited) await limit(side);
  }
  // The range of services is ready from here on; of those that are played nobody says anything.
  await untilAddressed(plane.requests);
  await plane.end('kube-controller-manager');
  return {
    there: plane.requests,
    here,
    async close() {
      await own.close();
      await plane.close();
    },
  };
}

export interface OwnSide {
  readonly requests: Requests;
  close(): Promise<void>;
}

/** Ours alone, in a folder that is there. */
export async function startOwnSide(folder: string): Promise<OwnSide> {
  const pki = await loadServingPki({ folder });
  const cluster = await createCluster({ nodes: 0, parts: apiParts, certificateAuthority: pki });
  const serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(folder, 'kubeconfig') });
  const { ca, admin } = pki.current();
  const requests = createRequests({ server: serving.url, ca, client: admin });
  return {
    requests,
    async close() {
      requests.close();
      await serving.close();
      await cluster.close();
    },
  };
}

async function prepare(side: Requests): Promise<void> {
  const create = (path: string, object: unknown): Promise<void> => send(side, { path, object });
  await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'played' } });
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await create('/api/v1/namespaces/played/serviceaccounts', account);
  for (const { resource, apiVersion } of custom) {
    const name = `${resource}.${apiVersion.split('/')[0] ?? ''}`;
    await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition(name));
  }
  await untilServed(side);
}

/** A server may serve what a definition says only some time after it took it. */
async function untilServed(side: Requests): Promise<void> {
  const { signal } = new AbortController();
  for (const played of custom) {
    for (let look = 0; ; look++) {
      const { code } = await side.ask({ method: 'GET', path: pathOf(played) });
      if (code === 200) break;
      if (look > 200) throw new Error(`${played.resource} are not served: ${code}`);
      await sleep(systemClock, 100, { signal });
    }
  }
}

async function untilAddressed(side: Requests): Promise<void> {
  const { signal } = new AbortController();
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'first' }, spec: { ports: [{ port: 80 }] } };
  const asked = {
    ...{ method: 'POST', path: '/api/v1/namespaces/played/services?dryRun=All' },
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(service),
  };
  for (let look = 0; ; look++) {
    const { code, text } = await side.ask(asked);
    if (code === 201) return;
    if (look > 200) throw new Error(`a Service gets no address: ${code} ${text}`);
    await sleep(systemClock, 100, { signal });
  }
}

interface Sending {
  readonly path: string;
  readonly object: unknown;
  readonly method?: string;
}

async function send(side: Requests, { path, object, method = 'POST' }: Sending): Promise<void> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = { 'content-type': type };
  const { code, text } = await side.ask({ method, path, headers, body: formatExactJson(object) });
  if (code >= 300 && code !== 409) throw new Error(`${method} ${path}: ${code} ${text}`);
}

/** More of everything than chance asks for in a run, and less of each than one object may ask for. */
const hard = {
  ...{ pods: '900', 'requests.cpu': '40', 'limits.memory': '20Gi', 'count/configmaps': '60', secrets: '60' },
  ...{ 'requests.storage': '40Gi', persistentvolumeclaims: '40', services: '50', 'services.nodeports': '15' },
};
const unused = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));

/** Nobody counts anew what is used: both servers only add what they let in. */
async function limit(side: Requests): Promise<void> {
  const levels = { enforce: 'baseline', warn: 'restricted' };
  const labels = Object.fromEntries(
    Object.entries(levels).map(([mode, level]) => [`pod-security.kubernetes.io/${mode}`, level]),
  );
  await send(side, { method: 'PATCH', path: '/api/v1/namespaces/played', object: { metadata: { labels } } });
  const place = '/api/v1/namespaces/played';
  const container = { type: 'Container', default: { cpu: '300m' }, max: { cpu: '1' }, min: { memory: '32Mi' } };
  const limits = [
    { ...container, maxLimitRequestRatio: { cpu: '3' } },
    { type: 'Pod', max: { memory: '128Mi' } },
    { type: 'PersistentVolumeClaim', max: { storage: '2Gi' }, min: { storage: '1Gi' } },
  ];
  const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'all' }, spec: { limits } };
  await send(side, { path: `${place}/limitranges`, object: range });
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'all' }, spec: { hard } };
  await send(side, { path: `${place}/resourcequotas`, object: quota });
  const status = { status: { hard, used: unused } };
  await send(side, { method: 'PATCH', path: `${place}/resourcequotas/all/status`, object: status });
}
