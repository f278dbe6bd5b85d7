/** Prometheus' own service discovery, in every role, against the served cluster: what it finds, and that it follows. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployments, pods } from '../api/generated/kinds.ts';
import type { KubeObject, New } from '../api/meta.ts';
import { systemClock } from '../base/clock.ts';
import { loadKubeconfig } from '../client/http/kubeconfig.ts';
import { type ServedCluster, startServedCluster, until } from './served-cluster.ts';

/** Another program than the one on the path. */
const program = process.env['PROMETHEUS'] ?? 'prometheus';

const roles = ['node', 'service', 'pod', 'endpoints', 'endpointslice', 'ingress'] as const;
type Role = (typeof roles)[number];

describe.skipIf(withoutPrometheus())('Prometheus discovers', { timeout: 60_000 }, () => {
  let served: ServedCluster;
  let metrics: Server;
  let prometheus: Prometheus;
  const { signal } = new AbortController();

  beforeAll(async () => {
    served = await startServedCluster();
    metrics = createServer((_request, response) => {
      response.setHeader('content-type', 'text/plain; version=0.0.4');
      response.end('# HELP shop_orders_total Orders taken.\n# TYPE shop_orders_total counter\nshop_orders_total 7\n');
    }).listen(0, '127.0.0.1');
    await once(metrics, 'listening');
    await served.cluster.apply(shop);
    prometheus = await startPrometheus(await configuration(served, (metrics.address() as AddressInfo).port));
  });

  afterAll(async () => {
    await prometheus?.stop();
    metrics?.close();
    await served?.close();
  });

  const labelsOf = (role: Role): Promise<readonly Labels[]> => prometheus.discovered(role);
  const podNames = async (): Promise<ReadonlySet<string>> => {
    const { items } = await served.cluster.client.list(pods, { signal, labelSelector: 'app=web' });
    return new Set(items.map(({ metadata }) => metadata.name));
  };

  test('nodes, by their kubelet port', async () => {
    const found = await until(
      () => labelsOf('node'),
      (labels) => labels.length === 3,
    );
    expect(found.find((labels) => labels['__meta_kubernetes_node_name'] === 'node-2')).toMatchObject({
      __address__: expect.stringMatching(/^[\d.]+:10250$/),
      instance: 'node-2',
      __meta_kubernetes_node_label_kubernetes_io_hostname: 'node-2',
      __meta_kubernetes_node_labelpresent_kubernetes_io_os: 'true',
      __meta_kubernetes_node_address_InternalIP: expect.stringMatching(/^[\d.]+$/),
    });
  });

  test('services, with their ports', async () => {
    const found = await until(
      () => labelsOf('service'),
      (labels) => labels.length >= 2,
    );
    expect(found.find((labels) => labels['__meta_kubernetes_service_name'] === 'web')).toMatchObject({
      __address__: 'web.default.svc:80',
      __meta_kubernetes_namespace: 'default',
      __meta_kubernetes_service_label_team: 'shop',
      __meta_kubernetes_service_type: 'ClusterIP',
      __meta_kubernetes_service_cluster_ip: expect.stringMatching(/^10\.96\./),
      __meta_kubernetes_service_port_name: 'http',
      __meta_kubernetes_service_port_number: '80',
    });
  });

  test('ingresses, with their hosts and paths', async () => {
    const [ingress] = await until(
      () => labelsOf('ingress'),
      (labels) => labels.length === 1,
    );
    expect(ingress).toMatchObject({
      __address__: 'shop.example.com',
      __meta_kubernetes_ingress_name: 'web',
      __meta_kubernetes_ingress_path: '/orders',
      __meta_kubernetes_ingress_scheme: 'https',
      __meta_kubernetes_ingress_class_name: 'nginx',
    });
  });

  test('pods, with their owner, container and node', async () => {
    const found = await until(() => labelsOf('pod'), readyOn('__meta_kubernetes_pod_ready', 2));
    const [labels = {}] = found;
    expect(labels).toMatchObject({
      __address__: `${labels['__meta_kubernetes_pod_ip']}:8080`,
      __meta_kubernetes_namespace: 'default',
      __meta_kubernetes_pod_label_app: 'web',
      __meta_kubernetes_pod_annotation_prometheus_io_scrape: 'true',
      __meta_kubernetes_pod_phase: 'Running',
      __meta_kubernetes_pod_container_name: 'shop',
      __meta_kubernetes_pod_container_image: 'example.com/shop:1',
      __meta_kubernetes_pod_container_port_name: 'http',
      __meta_kubernetes_pod_container_port_number: '8080',
      __meta_kubernetes_pod_container_port_protocol: 'TCP',
      __meta_kubernetes_pod_controller_kind: 'ReplicaSet',
      __meta_kubernetes_pod_controller_name: expect.stringMatching(/^web-/),
      __meta_kubernetes_pod_node_name: expect.stringMatching(/^node-[123]$/),
      __meta_kubernetes_pod_host_ip: expect.stringMatching(/^[\d.]+$/),
      __meta_kubernetes_pod_uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      // From the node, which Prometheus attaches when asked to.
      __meta_kubernetes_node_label_kubernetes_io_os: 'linux',
    });
  });

  test('endpoints and endpoint slices, joined with their service and pods', async () => {
    const endpoints = await until(() => labelsOf('endpoints'), readyOn('__meta_kubernetes_endpoint_ready', 2));
    const common = {
      __address__: expect.stringMatching(/:8080$/),
      __meta_kubernetes_service_name: 'web',
      __meta_kubernetes_service_label_team: 'shop',
      __meta_kubernetes_pod_label_app: 'web',
      __meta_kubernetes_pod_container_port_name: 'http',
    };
    expect(endpoints[0]).toMatchObject({
      ...common,
      __meta_kubernetes_endpoints_name: 'web',
      __meta_kubernetes_endpoint_port_name: 'http',
      __meta_kubernetes_endpoint_address_target_kind: 'Pod',
      __meta_kubernetes_endpoint_node_name: expect.stringMatching(/^node-[123]$/),
    });
    const ready = '__meta_kubernetes_endpointslice_endpoint_conditions_ready';
    const slices = await until(() => labelsOf('endpointslice'), readyOn(ready, 2));
    expect(slices[0]).toMatchObject({
      ...common,
      __meta_kubernetes_endpointslice_name: expect.stringMatching(/^web-/),
      __meta_kubernetes_endpointslice_address_type: 'IPv4',
      __meta_kubernetes_endpointslice_port_name: 'http',
      __meta_kubernetes_endpointslice_endpoint_node_name: expect.stringMatching(/^node-[123]$/),
      __meta_kubernetes_endpointslice_label_kubernetes_io_service_name: 'web',
    });
  });

  test('what the targets that it scrapes say about their metrics', async () => {
    const found = await until(prometheus.metadata, (entries) => entries.length === 2);
    expect(new Set(found.map(({ target }) => target['pod']))).toEqual(await podNames());
    expect(found[0]).toMatchObject({ type: 'counter', help: 'Orders taken.' });
  });

  test('every change: pods deleted and replaced, more of them, fewer of them', async () => {
    const { client } = served.cluster;
    const [deleted = ''] = await podNames();
    await client.delete(pods, { namespace: 'default', name: deleted, signal, gracePeriodSeconds: 0 });
    await scaleTo(served, 4);
    const follows = async (count: number): Promise<void> => {
      for (const [role, ready, name] of podRoles) {
        const found = await until(() => labelsOf(role), readyOn(ready, count));
        expect(new Set(found.map((labels) => labels[name]))).toEqual(await podNames());
      }
    };
    await follows(4);
    expect(await podNames()).not.toContain(deleted);
    await scaleTo(served, 1);
    await follows(1);
    expect(served.problems).toEqual([]);
  });
});

/**
 * Roles that show pods, and where they say that a pod is ready and how it is called. Labels of the pod itself go by what
 * Prometheus knew of it when its slice changed, so a slice's own condition is what counts.
 */
const podRoles: readonly (readonly [Role, string, string])[] = [
  ['pod', '__meta_kubernetes_pod_ready', '__meta_kubernetes_pod_name'],
  ['endpoints', '__meta_kubernetes_endpoint_ready', '__meta_kubernetes_endpoint_address_target_name'],
  [
    'endpointslice',
    '__meta_kubernetes_endpointslice_endpoint_conditions_ready',
    '__meta_kubernetes_endpointslice_address_target_name',
  ],
];

function readyOn(label: string, count: number): (labels: readonly Labels[]) => boolean {
  return (all) => all.length === count && all.every((labels) => labels[label] === 'true');
}

async function scaleTo({ cluster }: ServedCluster, replicas: number): Promise<void> {
  const place = { namespace: 'default', name: 'web', signal: new AbortController().signal };
  await cluster.client.patch(deployments, { ...place, patchType: 'merge', body: { spec: { replicas } } });
}

const shop = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' }, annotations: { 'prometheus.io/scrape': 'true' } },
        spec: {
          // Gone at once, so that the test waits for Prometheus alone.
          terminationGracePeriodSeconds: 0,
          containers: [{ name: 'shop', image: 'example.com/shop:1', ports: [{ name: 'http', containerPort: 8080 }] }],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', labels: { team: 'shop' } },
    spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web' },
    spec: {
      ingressClassName: 'nginx',
      tls: [{ hosts: ['shop.example.com'] }],
      rules: [
        {
          host: 'shop.example.com',
          http: {
            paths: [
              { path: '/orders', pathType: 'Prefix', backend: { service: { name: 'web', port: { name: 'http' } } } },
            ],
          },
        },
      ],
    },
  },
] as unknown as readonly New<KubeObject>[];

/** One job per role with a client certificate; the pods' addresses lead nowhere, so one more job goes where metrics are. */
async function configuration({ folder, write }: ServedCluster, metricsPort: number): Promise<string> {
  const path = join(folder, 'kubeconfig');
  const { connection } = await loadKubeconfig({ path, env: {}, clock: systemClock });
  const { certificate } = await connection.credentials.get({ refused: false, signal: new AbortController().signal });
  const tls = [
    `ca_file: ${write('ca.pem', String(connection.tls.ca))}`,
    `cert_file: ${write('cert.pem', String(certificate?.cert))}`,
    `key_file: ${write('key.pem', String(certificate?.key))}`,
  ].join(', ');
  const server = `api_server: "${connection.server}", tls_config: {${tls}}`;
  const jobs = roles.map(
    (role) => `
- job_name: ${role}
  scrape_interval: 1h
  kubernetes_sd_configs:
  - {role: ${role}${role === 'pod' ? ', attach_metadata: {node: true}' : ''}, ${server}}`,
  );
  return `scrape_configs:${jobs.join('')}
- job_name: scraped
  scrape_interval: 1s
  scrape_timeout: 1s
  kubernetes_sd_configs:
  - {role: pod, kubeconfig_file: ${path}, selectors: [{role: pod, label: app=web, field: status.phase=Running}]}
  relabel_configs:
  - {source_labels: [__meta_kubernetes_pod_name], target_label: pod}
  - {target_label: __address__, replacement: "127.0.0.1:${metricsPort}"}
`;
}

type Labels = Readonly<Record<string, string>>;

interface MetricMetadata {
  readonly target: Labels;
  readonly type: string;
  readonly help: string;
}

interface Prometheus {
  discovered(role: Role): Promise<readonly Labels[]>;
  metadata(): Promise<readonly MetricMetadata[]>;
  stop(): Promise<void>;
}

async function startPrometheus(config: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-prometheus-'));
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, config);
  const child = spawn(program, [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    '--web.listen-address=127.0.0.1:0',
  ]);
  const url = await addressOf(child);
  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${url}/api/v1/${path}`);
    return ((await response.json()) as { readonly data: T }).data;
  };
  return {
    async discovered(role) {
      const { activeTargets } = await ask<{ readonly activeTargets: readonly Target[] }>('targets?state=active');
      return activeTargets.filter(({ scrapePool }) => scrapePool === role).map((target) => target.discoveredLabels);
    },
    metadata: () => ask('targets/metadata?metric=shop_orders_total'),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Target {
  readonly scrapePool: string;
  readonly discoveredLabels: Labels;
}

/** Prometheus chose its port; its log says which. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let log = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      const [, address] = /msg="Listening on".* address=(\S+)/.exec(log) ?? [];
      if (address !== undefined) resolve(`http://${address}`);
    });
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`prometheus ended:\n${log}`)));
  });
}

/**
 * Whether to leave this out: Prometheus is missing, or was built without Kubernetes, as Debian's is. CI has to have the
 * one that it installs, which is Debian's; only who names a program by PROMETHEUS insists on the tests.
 */
function withoutPrometheus(): boolean {
  const lack = lackOfPrometheus();
  if (lack === undefined) return false;
  const message = `${lack}; set PROMETHEUS to the path of an upstream release. The tests of its service discovery`;
  if (process.env['PROMETHEUS'] !== undefined) throw new Error(`${message} cannot run`);
  process.stderr.write(`${message} are left out\n`);
  return true;
}

function lackOfPrometheus(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-prometheus-'));
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, 'scrape_configs: [{job_name: a, kubernetes_sd_configs: [{role: broken}]}]');
  // Stops at the unknown role when it knows Kubernetes, and at Kubernetes when it does not.
  const { error, stderr } = spawnSync(
    program,
    [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, '--web.listen-address=127.0.0.1:0'],
    { encoding: 'utf8', timeout: 10_000 },
  );
  rmSync(folder, { recursive: true, force: true });
  if (error !== undefined) return `${program} cannot be run`;
  return stderr.includes('nknown Kubernetes SD role') ? undefined : `${program} was built without Kubernetes`;
}
