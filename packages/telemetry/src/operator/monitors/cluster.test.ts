import { type CustomResourceDefinition, customresourcedefinitions, events, namespaces } from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultComponents } from '../../components.ts';
import { customResourceDefinitions } from '../../resources/crds.ts';
import { prometheuses } from '../../resources/prometheus.ts';
import { servicemonitors } from '../../resources/service-monitor.ts';
import { freshManifests } from '../../testing/world.ts';
import { createTelemetryOperator } from '../operator.ts';

const root = `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: shop }
spec: { serviceMonitorSelector: { matchLabels: { team: shop } } }
`;
const manifests = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
${root}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: web, namespace: shop, labels: { team: shop } }
spec: { selector: {}, endpoints: [{ port: http }] }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: broken, namespace: shop, labels: { team: shop } }
spec: { selector: {}, endpoints: [{ port: http, basicAuth: { username: { name: none, key: user } } }] }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: lonely, namespace: shop, labels: { team: data } }
spec: { selector: {}, endpoints: [{ port: http }] }
`;

const { signal } = new AbortController();
let cluster: TestCluster;
beforeEach(async () => {
  cluster = await createTestCluster({
    manifests: customResourceDefinitions(),
    components: [(platform) => createTelemetryOperator(platform, { components: defaultComponents() })],
  });
  await cluster.apply(freshManifests(manifests));
});
afterEach(() => cluster.close());

interface Status {
  readonly bindings?: readonly {
    readonly name: string;
    readonly conditions?: readonly { readonly status: string }[];
  }[];
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

async function told(): Promise<readonly string[]> {
  const { items } = await cluster.during(cluster.client.list(servicemonitors, { namespace: 'shop', signal }));
  return items.map((monitor) => {
    const { bindings = [], conditions = [] } = (monitor as { readonly status?: Status }).status ?? {};
    const bound = bindings.map(({ name, conditions: [fact] = [] }) => `${name}=${fact?.status ?? ''}`);
    return [monitor.metadata.name, ...bound, ...conditions.map(({ type, status }) => `${type}=${status}`)].join(' ');
  });
}

async function versions(): Promise<readonly (string | undefined)[]> {
  const { items } = await cluster.during(cluster.client.list(servicemonitors, { namespace: 'shop', signal }));
  return items.map(({ metadata }) => metadata.resourceVersion);
}

async function complaints(): Promise<readonly string[]> {
  const { items } = await cluster.during(cluster.client.list(events, { namespace: 'shop', signal }));
  return items
    .filter(({ reason }) => reason === 'NotSelected')
    .map(({ involvedObject, count }) => `${involvedObject.name} ×${count ?? 1}`);
}

test('every monitor says who has taken it, and one that nobody takes says so, once', async () => {
  await cluster.advance(5_000);
  expect(await told()).toEqual(['broken main=False Selected=True', 'lonely', 'web main=True Selected=True']);
  await cluster.advance(60_000);
  expect(await told()).toEqual([
    'broken main=False Selected=True',
    'lonely Selected=False',
    'web main=True Selected=True TargetsFound=False',
  ]);
  expect(await complaints()).toEqual(['lonely ×1']);
  const before = await versions();
  await cluster.advance(1_800_000);
  expect(await versions()).toEqual(before);
  expect(await complaints()).toEqual(['lonely ×1']);
  expect(cluster.problems).toEqual([]);
});

test('a binding goes with its root, and comes with the label', async () => {
  await cluster.advance(60_000);
  const body = { metadata: { labels: { team: 'shop' } } };
  await cluster.during(
    cluster.client.patch(servicemonitors, { namespace: 'shop', name: 'lonely', patchType: 'merge', body, signal }),
  );
  await cluster.advance(5_000);
  expect(await told()).toContain('lonely main=True Selected=True');
  await cluster.during(cluster.client.delete(prometheuses, { namespace: 'shop', name: 'main', signal }));
  await cluster.advance(5_000);
  expect((await told()).join()).not.toContain('main=');
  expect(cluster.problems).toEqual([]);
});

test('a monitor learns of the first root that could take it, and of the last that goes', async () => {
  await cluster.during(cluster.client.delete(prometheuses, { namespace: 'shop', name: 'main', signal }));
  await cluster.advance(60_000);
  expect(await told()).toEqual(['broken', 'lonely', 'web']);
  await cluster.apply(freshManifests(root));
  await cluster.advance(60_000);
  expect(await told()).toContain('lonely Selected=False');
  await cluster.during(cluster.client.delete(prometheuses, { namespace: 'shop', name: 'main', signal }));
  await cluster.advance(60_000);
  expect(await told()).toEqual(['broken', 'lonely', 'web']);
  expect(cluster.problems).toEqual([]);
});

test('a definition that gives monitors a status is heard of', async () => {
  await cluster.advance(60_000);
  const name = 'servicemonitors.monitoring.coreos.com';
  const get = (): Promise<CustomResourceDefinition> => cluster.client.get(customresourcedefinitions, { name, signal });
  const whole = await get();
  const versions = whole.spec.versions.map(({ subresources: _none, ...version }) => version);
  const put = (object: CustomResourceDefinition): Promise<unknown> =>
    cluster.client.update(customresourcedefinitions, object, { signal });
  await put({ ...whole, spec: { ...whole.spec, versions } });
  const label = { metadata: { labels: { team: 'nobody' } } };
  await cluster.client.patch(servicemonitors, {
    ...{ namespace: 'shop', name: 'web', patchType: 'merge', body: label, signal },
  });
  await cluster.advance(60_000);
  await put({ ...whole, metadata: (await get()).metadata });
  await cluster.advance(60_000);
  expect(await told()).toContain('web Selected=False');
});

test('a namespace that goes takes its monitors along without a word', async () => {
  await cluster.advance(5_000);
  await cluster.during(cluster.client.delete(namespaces, { name: 'shop', signal }));
  await cluster.advance(60_000);
  expect(await told()).toEqual([]);
  expect(cluster.problems).toEqual([]);
});
