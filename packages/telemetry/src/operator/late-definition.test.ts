import type { KubeObject, New, Transport } from '@signalbox/cluster';
import { createTestCluster, createVirtualClock } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import { customResourceDefinitions } from '../resources/crds.ts';
import { grafanaagents } from '../resources/grafana-agent.ts';
import { createGrafanaAgentComponent } from '../roots/grafana-agent/component.ts';
import { createTelemetryOperator } from './operator.ts';

const { signal } = new AbortController();
const lateMs = 30_000;

test('a root gets its status even when the operator hears of the root before its definition', async () => {
  const clock = createVirtualClock();
  const between = (inner: Transport): Transport => ({
    perform: (operation, waiting) => inner.perform(operation, waiting),
    async *watch(operation, waiting) {
      for await (const event of inner.watch(operation, waiting)) {
        if (operation.resource.resource === 'customresourcedefinitions')
          await new Promise<void>((resolve) => clock.after(lateMs, resolve));
        yield event;
      }
    },
  });
  const cluster = await createTestCluster({
    nodes: 1,
    clock,
    between,
    components: [(platform) => createTelemetryOperator(platform, { components: [createGrafanaAgentComponent()] })],
  });
  const root: New<KubeObject> & { readonly spec: object } = {
    apiVersion: 'monitoring.grafana.com/v1alpha1',
    kind: 'GrafanaAgent',
    metadata: { namespace: 'default', name: 'agent' },
    spec: { logs: { instanceSelector: {} } },
  };
  await cluster.during(cluster.apply([...customResourceDefinitions(), root]));
  await cluster.advance(30 * 60_000);
  const { status } = await cluster.during(
    cluster.client.get(grafanaagents, { namespace: 'default', name: 'agent', signal }),
  );
  expect(status?.conditions?.map(({ type }) => type)).toContain('Reconciled');
  await cluster.close();
});
