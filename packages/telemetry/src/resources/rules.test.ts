import type { KubeObject, New } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { customResourceDefinitions } from './crds.ts';

/* Each rule of the definitions, once broken and once kept by an object that has little else. */
interface Case {
  readonly kind: string;
  /** A piece of the rule, or of its message. */
  readonly rule: string;
  readonly breaks: object;
  readonly keeps: object;
}

const daemonSet = { mode: 'DaemonSet' };
const sigv4 = { externalId: 'x' };
const roll = { type: 'OnDelete', rollingUpdate: {} };
const remoteWrite = (part: object): object => ({ remoteWrite: [{ url: 'http://x', sigv4: part }] });
const alertmanagers = (part: object): object => ({
  alerting: { alertmanagers: [{ name: 'a', port: 'web', sigv4: part }] },
});
const onDaemonSet = (part: object): Omit<Case, 'rule'> => ({
  kind: 'PrometheusAgent',
  breaks: { ...daemonSet, ...part },
  keeps: part,
});
const topology = { topology: { values: ['a', 'b'] } };

const cases: readonly Case[] = [
  ...['Prometheus', 'PrometheusAgent'].map((kind) => ({
    kind,
    rule: 'externalId',
    breaks: remoteWrite(sigv4),
    keeps: remoteWrite({ ...sigv4, roleArn: 'r' }),
  })),
  {
    kind: 'Prometheus',
    rule: 'externalId',
    breaks: alertmanagers(sigv4),
    keeps: alertmanagers({ ...sigv4, roleArn: 'r' }),
  },
  ...['Prometheus', 'PrometheusAgent'].map((kind) => ({
    kind,
    rule: 'rollingUpdate',
    breaks: { updateStrategy: roll },
    keeps: { updateStrategy: { ...roll, type: 'RollingUpdate' } },
  })),
  { rule: 'replicas', ...onDaemonSet({ replicas: 1 }) },
  { rule: 'storage', ...onDaemonSet({ storage: { emptyDir: {} } }) },
  { rule: 'shards', ...onDaemonSet({ shards: 2 }) },
  { rule: 'persistentVolumeClaimRetentionPolicy', ...onDaemonSet({ persistentVolumeClaimRetentionPolicy: {} }) },
  ...['scrapeConfig', 'probe', 'serviceMonitor'].flatMap((name) => [
    { rule: `${name}Selector`, ...onDaemonSet({ [`${name}Selector`]: {} }) },
    { rule: `${name}NamespaceSelector`, ...onDaemonSet({ [`${name}NamespaceSelector`]: {} }) },
  ]),
  { rule: 'additionalScrapeConfigs', ...onDaemonSet({ additionalScrapeConfigs: { name: 'a', key: 'b' } }) },
  { rule: 'shardingStrategy', ...onDaemonSet({ shardingStrategy: { mode: 'Address' } }) },
  ...['Prometheus', 'PrometheusAgent'].flatMap((kind) => [
    {
      kind,
      rule: 'shards',
      breaks: { shards: 1, shardingStrategy: { mode: 'Topology', ...topology } },
      keeps: { shards: 2, shardingStrategy: { mode: 'Topology', ...topology } },
    },
    {
      kind,
      rule: 'topology',
      breaks: { shardingStrategy: { mode: 'Address', ...topology }, shards: 2 },
      keeps: { shardingStrategy: { mode: 'Topology', ...topology }, shards: 2 },
    },
  ]),
  {
    kind: 'ScrapeConfig',
    rule: 'basicAuth',
    breaks: { basicAuth: {}, authorization: {} },
    keeps: { basicAuth: {} },
  },
];

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await createTestCluster({ nodes: 1 });
  await cluster.during(cluster.apply(customResourceDefinitions()));
});
afterAll(() => cluster.close());

async function refusalOf(kind: string, spec: object): Promise<string> {
  const definition = customResourceDefinitions().find((each) => each.spec.names.kind === kind);
  const version = definition?.spec.versions.find(({ served }) => served)?.name ?? '';
  const object: New<KubeObject> & { readonly spec: object } = {
    apiVersion: `${definition?.spec.group}/${version}`,
    kind,
    metadata: { namespace: 'default', generateName: 'ruled-', name: `ruled-${count++}` },
    spec,
  };
  try {
    await cluster.during(cluster.apply([object]));
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
let count = 0;

test.each(cases)('$kind: $rule', async ({ kind, rule, breaks, keeps }) => {
  expect(await refusalOf(kind, breaks)).toMatch(/Invalid value: "object": /);
  expect(await refusalOf(kind, breaks)).toContain(rule);
  expect(await refusalOf(kind, keeps)).toBe('');
});

test('no rule is left out', () => {
  let rules = 0;
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    for (const [name, value] of Object.entries(part))
      if (name === 'x-kubernetes-validations') rules += (value as readonly unknown[]).length;
      else visit(value);
  };
  visit(customResourceDefinitions());
  expect(cases).toHaveLength(rules);
});
