import { type CreateComponent, events, secrets, sleep, statefulsets } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterEach, expect, test } from 'vitest';
import { customResourceDefinitions } from '../resources/crds.ts';
import { servicemonitors } from '../resources/service-monitor.ts';
import { createGrafanaAgentComponent } from '../roots/grafana-agent/component.ts';
import { freshManifests } from '../testing/world.ts';
import { createTelemetryOperator } from './operator.ts';

const hierarchy = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: shop }
spec: { metrics: { instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: primary, namespace: shop }
spec: { serviceMonitorSelector: {} }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: web, namespace: shop }
spec: { selector: {}, endpoints: [{ port: http, interval: 30s }] }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: broken, namespace: shop }
spec: { selector: {}, endpoints: [{ port: http, basicAuth: { username: { name: none, key: user } } }] }
`;

const { signal } = new AbortController();
let cluster: TestCluster;
afterEach(() => cluster.close());

/** The operator, which dies of a bug each time that so long has passed, three times. */
function mortal(diesAfterMs: number): CreateComponent {
  let lives = 0;
  return (platform) => {
    const component = createTelemetryOperator(platform, { components: [createGrafanaAgentComponent()] });
    if (lives++ === 3) return component;
    const death = async (until: AbortSignal): Promise<void> => {
      await sleep(platform.clock, diesAfterMs, { signal: until });
      throw new Error('no such thing');
    };
    return { ...component, run: ({ signal: until }) => Promise.race([component.run({ signal: until }), death(until)]) };
  };
}

async function configuration(): Promise<string> {
  const secret = await cluster.client.get(secrets, { namespace: 'shop', name: 'agent-config', signal });
  return Buffer.from(secret.data?.['agent.yml'] ?? '', 'base64').toString();
}

test.each([20, 500, 10_000])('an operator that dies every %d ms goes on where it was', async (diesAfterMs) => {
  cluster = await createTestCluster({
    manifests: customResourceDefinitions(),
    components: [mortal(diesAfterMs)],
  });
  await cluster.apply(freshManifests(hierarchy));
  await cluster.advance(120_000);
  expect(cluster.problems.map(({ message }) => message.replace(/in \d+ ms/, 'soon'))).toEqual(
    Array.from({ length: 3 }, () => 'telemetry-operator died and starts again soon'),
  );
  expect(cluster.api.checks('readyz').filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect(await configuration()).toContain('scrape_interval: 30s');
  const body = { spec: { endpoints: [{ port: 'http', interval: '15s' }] } };
  await cluster.client.patch(servicemonitors, { namespace: 'shop', name: 'web', patchType: 'merge', body, signal });
  await cluster.advance(2_000);
  expect(await configuration()).toContain('scrape_interval: 15s');
  // Told once per life, as by a process that starts again; what stands is not written again.
  const told = (await cluster.client.list(events, { namespace: 'shop', signal })).items.filter(
    ({ involvedObject }) => involvedObject.name === 'broken',
  );
  expect(told.length).toBeLessThanOrEqual(4);
  const workload = await cluster.client.get(statefulsets, { namespace: 'shop', name: 'agent', signal });
  expect(workload.metadata.generation).toBe(1);
});
