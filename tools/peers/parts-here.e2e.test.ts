/** Upstream's controllers and its scheduler on our API, each under its own user: nothing is refused that they ask for. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuditEvent,
  createCluster,
  loadServingPki,
  partsWithout,
  serveCluster,
  sleep,
  systemClock,
} from '@signalbox/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { certificateOf, startPart } from './plane/control-plane.ts';
import { findPrograms } from './plane/programs.ts';
import { createRequests, type Requests } from './plane/requests.ts';

const { programs, missing = '' } = findPrograms(process.env);
const { signal } = new AbortController();
const parts = ['kube-controller-manager', 'kube-scheduler'] as const;

let folder: string;
const ends: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-parts-'));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  rmSync(folder, { recursive: true, force: true });
});

interface Here {
  readonly requests: Requests;
  readonly events: readonly AuditEvent[];
}

async function start(): Promise<Here> {
  const pki = await loadServingPki({ folder, further: parts.map(certificateOf) });
  const events: AuditEvent[] = [];
  const cluster = await createCluster({
    nodes: 2,
    parts: partsWithout(['scheduler', 'controllers']),
    certificateAuthority: pki,
    audit: {
      policy: { rules: [{ level: 'Metadata' }], omitStages: ['RequestReceived', 'ResponseStarted'] },
      sink: (event) => events.push(event),
    },
  });
  ends.push(() => cluster.close());
  const serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(folder, 'kubeconfig') });
  ends.push(() => serving.close());
  const { ca, admin } = pki.current();
  const requests = createRequests({ server: serving.url, ca, client: admin });
  ends.push(() => requests.close());
  if (programs === undefined) throw new Error(missing);
  // Roles that hold at once are seen a moment later; those of single namespaces count only then.
  await until(async () => (await get(requests, '/apis/rbac.authorization.k8s.io/v1/rolebindings')).items?.length, 7);
  for (const part of parts) {
    const running = await startPart(part, { programs, folder, server: serving.url, pki: pki.current() });
    ends.push(() => running.end());
  }
  return { requests, events };
}

interface Answer {
  readonly items?: readonly object[];
  readonly metadata?: { readonly name: string };
  readonly status?: Readonly<Record<string, unknown>>;
}

async function get({ ask }: Requests, path: string): Promise<Answer> {
  return JSON.parse((await ask({ method: 'GET', path })).text) as Answer;
}

async function until(look: () => Promise<unknown>, expected: unknown): Promise<void> {
  const endMs = systemClock.nowMs() + 60_000;
  let found = await look();
  while (found !== expected && systemClock.nowMs() < endMs) {
    await sleep(systemClock, 100, { signal });
    found = await look();
  }
  expect(found).toBe(expected);
}

async function post({ ask }: Requests, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { code, text } = await ask({ method: 'POST', path, headers, body: JSON.stringify(body) });
  expect(`${code} ${code < 300 ? '' : text}`).toBe('201 ');
}

const template = (app: string, more: object = {}): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '10m' } } }], ...more },
});
const workload = (app: string, spec: object): object => ({
  metadata: { name: app },
  spec: { selector: { matchLabels: { app } }, template: template(app), ...spec },
});
const within = (group: string, kind: string): string => `/${group}/namespaces/shop/${kind}`;
const [apps, batch] = ['apis/apps/v1', 'apis/batch/v1'];

async function bring(requests: Requests): Promise<void> {
  await post(requests, '/api/v1/namespaces', { metadata: { name: 'shop' } });
  await until(async () => (await get(requests, within('api/v1', 'serviceaccounts/default'))).metadata?.name, 'default');
  const ports = [{ port: 80 }];
  const done = { 'simulation.signalbox.dev/exit-after': '1s' };
  const job = template('once', { restartPolicy: 'Never' });
  const objects: readonly (readonly [string, object])[] = [
    [within('api/v1', 'services'), { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports } }],
    [within('api/v1', 'resourcequotas'), { metadata: { name: 'all' }, spec: { hard: { pods: '50' } } }],
    [within(apps, 'deployments'), workload('web', { replicas: 2 })],
    [within(apps, 'daemonsets'), workload('each', {})],
    [within(apps, 'statefulsets'), workload('kept', { serviceName: 'kept', replicas: 1 })],
    [
      within('api/v1', 'replicationcontrollers'),
      { metadata: { name: 'old' }, spec: { replicas: 1, selector: { app: 'old' }, template: template('old') } },
    ],
    [
      within(batch, 'jobs'),
      { metadata: { name: 'once', annotations: done }, spec: { template: job, ttlSecondsAfterFinished: 1 } },
    ],
    [
      within(batch, 'cronjobs'),
      { metadata: { name: 'often' }, spec: { schedule: '* * * * *', jobTemplate: { spec: { template: job } } } },
    ],
    [
      within('apis/policy/v1', 'poddisruptionbudgets'),
      { metadata: { name: 'web' }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } } },
    ],
    [
      within('apis/autoscaling/v2', 'horizontalpodautoscalers'),
      {
        metadata: { name: 'web' },
        spec: {
          minReplicas: 3,
          maxReplicas: 4,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        },
      },
    ],
  ];
  for (const [path, body] of objects) await post(requests, path, body);
}

describe.skipIf(programs === undefined)(`upstream's parts${missing === '' ? '' : ` (${missing})`}`, () => {
  test('keep workloads here, under their own users, and are refused nothing', async () => {
    const { requests, events } = await start();
    await bring(requests);
    const ready = async (path: string, field: string): Promise<unknown> => (await get(requests, path)).status?.[field];
    await until(() => ready(within(apps, 'deployments/web'), 'availableReplicas'), 3);
    await until(() => ready(within(apps, 'daemonsets/each'), 'numberAvailable'), 2);
    await until(() => ready(within(apps, 'statefulsets/kept'), 'availableReplicas'), 1);
    await until(() => ready(within('api/v1', 'replicationcontrollers/old'), 'readyReplicas'), 1);
    await until(() => ready(within('apis/policy/v1', 'poddisruptionbudgets/web'), 'currentHealthy'), 3);
    await requests.ask({ method: 'DELETE', path: within(apps, 'deployments/web') });
    await until(async () => (await get(requests, within('api/v1', 'pods?labelSelector=app%3Dweb'))).items?.length, 0);
    await requests.ask({ method: 'DELETE', path: '/api/v1/namespaces/shop' });
    await until(async () => (await requests.ask({ method: 'GET', path: '/api/v1/namespaces/shop' })).code, 404);
    // A namespace that ends refuses what is new in it to everybody; that is no matter of roles.
    const refused = events.filter(({ annotations }) => annotations?.['authorization.k8s.io/decision'] === 'forbid');
    const told = refused.map(({ user, verb, requestURI }) => `${user.username} ${verb} ${requestURI}`);
    expect([...new Set(told)]).toEqual([]);
    const acted = new Set(events.map(({ user }) => user.username));
    for (const name of ['deployment-controller', 'job-controller', 'namespace-controller', 'resourcequota-controller'])
      expect([...acted]).toContain(`system:serviceaccount:kube-system:${name}`);
    expect([...acted]).toEqual(expect.arrayContaining(['system:kube-scheduler', 'system:kube-controller-manager']));
  }, 180_000);
});
