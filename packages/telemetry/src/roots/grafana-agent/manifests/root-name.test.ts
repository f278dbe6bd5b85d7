import { expect, test } from 'vitest';
import type { GrafanaAgent } from '../../../resources/grafana-agent.ts';
import { objectsOf } from '../../../testing/world.ts';
import { worldOf } from '../../../world/world.ts';
import { discoverAgent } from '../discover.ts';
import { nameProblem } from './root-name.ts';

const parts = {
  metrics: ['metrics: { shards: 11, instanceSelector: {} }', 'MetricsInstance', ''],
  logs: ['logs: { instanceSelector: {} }', 'LogsInstance', ''],
  integrations: ['integrations: { selector: {} }', 'Integration', 'spec: { name: x, type: {}, config: {} }'],
} as const;

function problemOf(name: string, signal: keyof typeof parts): string | undefined {
  const [spec, kind, own] = parts[signal];
  const objects = objectsOf(`
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: "${name}", namespace: m }
spec: { ${spec} }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: ${kind}
metadata: { name: x, namespace: m }
${own}
`);
  const root = objects[0] as GrafanaAgent;
  return nameProblem(root, discoverAgent(root, worldOf(objects)))?.message;
}

const long = (length: number): string => 'a'.repeat(length);

test.each<[keyof typeof parts, string]>([
  ['metrics', long(63 - 11 - '-shard-10'.length)],
  ['logs', long(63)],
  ['logs', '1.agent'],
  ['integrations', long(63 - '-integrations-deploy-wal'.length)],
  ['integrations', '1-agent'],
])('a root with %s may be called %s', (signal, name) => expect(problemOf(name, signal)).toBeUndefined());

test.each<[keyof typeof parts, string, string]>([
  ['metrics', long(44), 'every shard and may not be longer than 43 characters'],
  ['metrics', 'my.agent', 'becomes the name of a Service'],
  ['metrics', '1agent', 'becomes the name of a Service'],
  ['logs', long(64), 'a label of the pods and may not be longer than 63 characters'],
  ['integrations', long(40), 'the name of a volume and may not be longer than 39 characters'],
  ['integrations', 'my.agent', 'the name of a volume, which has no dots'],
])('a root with %s may not be called %s', (signal, name, message) => {
  expect(problemOf(name, signal)).toContain(message);
});
