/** The roles and bindings that every cluster has from the start: upstream's are all here, rule by rule; what is more is named. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster, loadServingPki, serveCluster, sleep, systemClock } from '@signalbox/cluster';
import { describe, expect, test } from 'vitest';
import { startControlPlane } from './plane/control-plane.ts';
import { findPrograms } from './plane/programs.ts';
import { createRequests, type Requests } from './plane/requests.ts';

const { programs, missing = '' } = findPrograms(process.env);
const { signal } = new AbortController();
const kinds = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'];
/** Docs/differences.md names them. */
const ours = /^(clusterrolebindings|clusterroles) (signalbox:|system:aggregated-metrics-reader$)/;

interface RoleLike {
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly labels?: object;
    readonly annotations?: object;
  };
  readonly rules?: readonly object[] | null;
  readonly aggregationRule?: object;
}

/** By kind, namespace and name: all but what differs from one cluster to the next. */
async function rolesOf({ ask }: Requests): Promise<ReadonlyMap<string, object>> {
  const found = new Map<string, object>();
  for (const kind of kinds) {
    const { text } = await ask({ method: 'GET', path: `/apis/rbac.authorization.k8s.io/v1/${kind}` });
    for (const item of (JSON.parse(text) as { readonly items: readonly RoleLike[] }).items) {
      const { metadata, rules, ...rest } = item;
      const { namespace = '', name, labels, annotations } = metadata;
      // Roles of roles are filled by a controller, which does not run there.
      const own = rest.aggregationRule === undefined ? { rules } : {};
      found.set(`${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`, { ...rest, ...own, labels, annotations });
    }
  }
  return found;
}

/** Both write them a moment after they answer. */
async function settled(requests: Requests): Promise<ReadonlyMap<string, object>> {
  const untilMs = systemClock.nowMs() + 30_000;
  let found = await rolesOf(requests);
  for (let same = 0; same < 3 && systemClock.nowMs() < untilMs; ) {
    await sleep(systemClock, 500, { signal });
    const next = await rolesOf(requests);
    same = next.size === found.size && next.size > 0 ? same + 1 : 0;
    found = next;
  }
  return found;
}

describe.skipIf(programs === undefined)(`upstream's roles${missing === '' ? '' : ` (${missing})`}`, () => {
  test('are here, in the same order; what is here besides is ours by its name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-roles-'));
    if (programs === undefined) throw new Error(missing);
    const there = await startControlPlane({ programs, folder: join(folder, 'there'), parts: [] });
    const pki = await loadServingPki({});
    const cluster = await createCluster({ nodes: 0, certificateAuthority: pki });
    const serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(folder, 'kubeconfig') });
    const { ca, admin } = pki.current();
    const requests = createRequests({ server: serving.url, ca, client: admin });
    try {
      const [theirs, own] = await Promise.all([settled(there.requests), settled(requests)]);
      expect(theirs.size).toBeGreaterThan(100);
      const more = [...own.keys()].filter((name) => !theirs.has(name));
      expect(more.filter((name) => !ours.test(name))).toEqual([]);
      expect(Object.fromEntries([...own].filter(([name]) => theirs.has(name)))).toEqual(Object.fromEntries(theirs));
    } finally {
      requests.close();
      await serving.close();
      await cluster.close();
      await there.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }, 120_000);
});
