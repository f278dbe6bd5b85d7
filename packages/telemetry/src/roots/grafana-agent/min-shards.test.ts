import type { KubeObject } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import type { Condition } from '../../resources/condition.ts';
import { find, line, runOnce } from '../../testing/settle.ts';
import { objectsOf } from '../../testing/world.ts';
import { createGrafanaAgentComponent } from './component.ts';

const component = createGrafanaAgentComponent();
const objects = (shards: number): readonly KubeObject[] =>
  objectsOf(`
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: monitoring, annotations: { signalbox.dev/min-shards: "3" } }
spec: { metrics: { shards: ${shards}, instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: primary, namespace: monitoring }
spec: { serviceMonitorSelector: {} }
`);

function conditions(all: readonly KubeObject[]): readonly string[] {
  const { status } = find(all, 'GrafanaAgent', 'monitoring/agent') as unknown as {
    readonly status: { readonly conditions: readonly Condition[] };
  };
  return status.conditions.filter(({ type }) => type === 'ShardsHeld').map(({ message }) => message);
}

test.each([0, 1, 2])('a GrafanaAgent that asks for %i shards has the least that it may have', (shards) => {
  const { objects: after, plan } = runOnce(objects(shards), component);
  const sets = after.filter(({ kind }) => kind === 'StatefulSet').map(({ metadata }) => metadata.name);
  expect(sets).toEqual(['agent', 'agent-shard-1', 'agent-shard-2']);
  const message = `spec.metrics.shards: ${shards} is less than the 3 of the annotation signalbox.dev/min-shards and is not followed: 3 shards run. Ask for 3 or more, or lower the annotation`;
  expect(plan.actions.map(line)).toContain(`emit BelowMinShards on GrafanaAgent monitoring/agent: ${message}`);
  expect(conditions(after)).toEqual([message]);
});

test('one that asks for more is not held', () => {
  const { objects: after } = runOnce(objects(4), component);
  expect(after.filter(({ kind }) => kind === 'StatefulSet')).toHaveLength(4);
  expect(conditions(after)).toEqual([]);
});
