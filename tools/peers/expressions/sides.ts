import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { apiParts, createCluster, loadServingPki, serveCluster, sleep, systemClock } from '@signalbox/cluster';
import { startControlPlane } from '../plane/control-plane.ts';
import type { AlsoOn } from '../plane/flags.ts';
import type { Programs } from '../plane/programs.ts';
import { createRequests, type Requests } from '../plane/requests.ts';

/** What an API server said. */
export interface Said {
  readonly code: number;
  readonly object: unknown;
  readonly warnings: readonly string[];
}

export interface Side {
  ask(method: string, path: string, body?: unknown): Promise<Said>;
  /** Upstream hears of definitions and policies some time after they were written; ours does at once. */
  hears(ms: number): Promise<void>;
  close(): Promise<void>;
}

const jsonPatch = 'application/json-patch+json';

function side(requests: Requests, { isSlow, close }: { readonly isSlow: boolean; close(): Promise<void> }): Side {
  return {
    async ask(method, path, body) {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const type = method === 'PATCH' ? jsonPatch : 'application/json';
      const answer = await requests.ask({
        ...{ method, path, headers: { 'content-type': type } },
        ...(text !== undefined && { body: text }),
      });
      const { warning = [] } = answer.headers;
      const lines = typeof warning === 'string' ? [...warning.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)] : warning;
      return {
        code: answer.code,
        object: JSON.parse(answer.text) as unknown,
        warnings: lines.map((line) => (typeof line === 'string' ? line : (JSON.parse(line[1] ?? '""') as string))),
      };
    },
    hears: (ms) => (isSlow ? sleep(systemClock, ms, { signal: new AbortController().signal }) : Promise.resolve()),
    close,
  };
}

export interface BothOptions {
  readonly programs: Programs;
  readonly folder: string;
  /** What upstream's serves besides. */
  readonly alsoOn?: AlsoOn;
}

/** Both API servers, with the controllers that look at policies and with nobody else. */
export async function startBoth({
  programs,
  folder,
  alsoOn,
}: BothOptions): Promise<{ readonly there: Side; readonly here: Side }> {
  const [theirs, ours] = [join(folder, 'there'), join(folder, 'here')];
  mkdirSync(ours);
  const plane = await startControlPlane({
    ...{ programs, folder: theirs, parts: ['kube-controller-manager'] },
    controllers: ['validatingadmissionpolicy-status-controller'],
    ...(alsoOn !== undefined && { alsoOn }),
  });
  const pki = await loadServingPki({ folder: ours });
  const cluster = await createCluster({
    ...{ nodes: 0, certificateAuthority: pki },
    parts: [...apiParts, 'validatingadmissionpolicy-status'],
  });
  const serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(ours, 'kubeconfig') });
  const { ca, admin } = pki.current();
  const requests = createRequests({ server: serving.url, ca, client: admin });
  const both = {
    there: side(plane.requests, { isSlow: true, close: () => plane.close() }),
    here: side(requests, {
      isSlow: false,
      async close() {
        requests.close();
        await serving.close();
        await cluster.close();
      },
    }),
  };
  for (const each of [both.there, both.here])
    await each.ask('POST', '/api/v1/namespaces', { metadata: { name: 'played' } });
  return both;
}
