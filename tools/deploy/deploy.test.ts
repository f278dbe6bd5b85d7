import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject, New, PodTemplateSpec } from '@signalbox/cluster';
import { createTestCluster } from '@signalbox/cluster/testing';
import { customResourceDefinitions } from '@signalbox/telemetry';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { deployed, objectsIn } from './deployed.ts';
import { chartManifest, deployFiles, scopeOf } from './files.ts';
import { installations } from './installations.ts';

const root = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
  readonly version: string;
};
const committed = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8');

test('what is committed is what is written: else run `npm run gen`', () => {
  const files = deployFiles(version);
  for (const [path, text] of files) expect([path, committed(path) === text]).toEqual([path, true]);
  const there = readdirSync(join(root, 'deploy/chart'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, 'deploy/').length));
  expect(there.sort()).toEqual([...files.keys()].filter((path) => path.startsWith('chart/')).sort());
});

test('the usual values are those of the file, and hold to the schema; a typing error does not', () => {
  const usual = load(committed('chart/values.yaml')) as Readonly<Record<string, unknown>>;
  expect(usual).toEqual(scopeOf({ version }).Values);
  const isValid = new Ajv({ strict: true, allowUnionTypes: true }).compile(
    JSON.parse(committed('chart/values.schema.json')) as object,
  );
  for (const { values } of installations) {
    isValid(scopeOf({ version, values }).Values);
    expect(isValid.errors ?? []).toEqual([]);
  }
  const wrong = [
    { replicass: 3 },
    { replicas: '3' },
    { image: { tag: 1.1 } },
    { image: { repository: 'signalbox@sha256:aa' } },
    { image: { digest: 'sha256:aa' } },
    { metrics: { tlsSecret: true } },
    { namespaces: ['Shop'] },
    { kubeletService: 'kubelet' },
    { podLabels: { 'app.kubernetes.io/name': 'mine' } },
    { podLabels: { replicas: 3 } },
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'Never', labelSelector: {} }] },
    { topologySpreadConstraints: [{ topologyKey: 'zone' }] },
  ];
  for (const values of wrong) expect([values, isValid({ ...usual, ...values })]).toEqual([values, false]);
});

describe.each(installations)('$name', ({ values }) => {
  const objects = objectsIn(chartManifest(scopeOf({ version, values })), 'chart');

  test('is accepted by the API server', async () => {
    const namespaces = ['signalbox', 'shop', 'monitoring'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    }));
    const manifests = [...(namespaces as readonly New<KubeObject>[]), ...customResourceDefinitions()];
    const cluster = await createTestCluster({ nodes: 1, manifests });
    const applied = await cluster.apply(objects);
    expect(applied.length).toBe(objects.length);
    await cluster.advance(10_000);
    expect(cluster.problems).toEqual([]);
    await cluster.close();
  });

  test('has pods as the profile `restricted` wants them, for any user', () => {
    const templates = objects.flatMap((object) =>
      object.kind === 'Deployment'
        ? [(object as unknown as { readonly spec: { readonly template: PodTemplateSpec } }).spec.template]
        : [],
    );
    expect(templates.length).toBeGreaterThan(0);
    for (const { spec } of templates) {
      const { securityContext, containers, volumes = [], hostNetwork, hostPID, hostIPC } = spec ?? { containers: [] };
      expect(securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect([hostNetwork, hostPID, hostIPC]).toEqual([undefined, undefined, undefined]);
      expect(volumes.flatMap((volume) => Object.keys(volume)).every((key) => ['name', 'secret'].includes(key))).toBe(
        true,
      );
      for (const { securityContext, ports = [] } of containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          readOnlyRootFilesystem: true,
        });
        expect(ports.every(({ containerPort, hostPort }) => containerPort > 1_024 && hostPort === undefined)).toBe(
          true,
        );
      }
    }
  });
});

test('the plain manifests are the chart with its usual values', () => {
  const enabled = { enabled: true };
  const monitoring = { serviceMonitor: enabled, rules: enabled, dashboard: enabled };
  const everything = { adapter: enabled, monitoring };
  const plain = ['operator.yaml', 'adapter.yaml', 'monitoring.yaml']
    .flatMap(deployed)
    .filter(({ kind }) => kind !== 'Namespace');
  expect(plain).toEqual(objectsIn(chartManifest(scopeOf({ version, values: everything })), 'chart'));
});
