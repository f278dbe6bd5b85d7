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

/** Both API servers with nobody else on them, and with what the played objects need. */
export async function startSides({
  programs,
  folder,
}: {
  readonly programs: Programs;
  readonly folder: string;
}): Promise<Sides> {
  const [theirs, ours] = [join(folder, 'there'), join(folder, 'here')];
  mkdirSync(ours);
  const plane = await startControlPlane({
    ...{ programs, folder: theirs, parts: ['kube-controller-manager'] },
    // Without it no address is given to a Service.
    controllers: ['service-cidr-controller'],
    // What nobody takes away again would keep objects for ever; ours puts it there where somebody does.
    withoutAdmission: ['StorageObjectInUseProtection'],
  });
  const pki = await loadServingPki({ folder: ours });
  const cluster = await createCluster({ nodes: 0, parts: apiParts, certificateAuthority: pki });
  const serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(ours, 'kubeconfig') });
  const { ca, admin } = pki.current();
  const here = createRequests({ server: serving.url, ca, client: admin });
  for (const side of [plane.requests, here]) await prepare(side);
  return {
    there: plane.requests,
    here,
    async close() {
      here.close();
      await serving.close();
      await cluster.close();
      await plane.close();
    },
  };
}

async function prepare(side: Requests): Promise<void> {
  const create = async (path: string, object: unknown): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const { code, text } = await side.ask({ method: 'POST', path, headers, body: formatExactJson(object) });
    if (code >= 300 && code !== 409) throw new Error(`POST ${path}: ${code} ${text}`);
  };
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
