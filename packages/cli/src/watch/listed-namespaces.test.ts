import { createClient, createInformers, namespaces, statefulsets } from '@signalbox/cluster';
import { createTestCluster } from '@signalbox/cluster/testing';
import { createTelemetryOperator, customResourceDefinitions, defaultComponents } from '@signalbox/telemetry';
import { expect, test } from 'vitest';
import type { LogLine } from '../io/log.ts';
import { createNamespaceNotice } from './listed-namespaces.ts';

const root = `
apiVersion: v1
kind: Namespace
metadata: { name: nope }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: nope }
spec: {}
`;

test('a namespace that is not there is warned of once, and looked after from the moment on at which it comes', async () => {
  const lines: LogLine[] = [];
  const told = (): readonly string[] => lines.splice(0).map(({ level, message }) => `${level} ${message}`);
  const log = { write: (line: LogLine): void => void lines.push(line) };
  const listed = ['default', 'nope'];
  const cluster = await createTestCluster({
    manifests: customResourceDefinitions(),
    components: [
      (platform) => {
        const user = { name: 'operator', groups: ['system:masters'] };
        const informers = createInformers({
          ...{ client: createClient(platform.transport, user), clock: platform.clock, namespaces: listed },
          ...{ random: platform.random.fork('informers'), report: () => undefined },
        });
        const own = { ...platform, informers };
        const parts = [
          createTelemetryOperator(own, { components: defaultComponents(), isPartial: true }),
          createNamespaceNotice(own, { namespaces: listed, log }),
        ];
        return {
          name: 'operator',
          run: async (options) => void (await Promise.all(parts.map((part) => part.run(options)))),
        };
      },
    ],
  });
  await cluster.advance(60_000);
  expect(told()).toEqual([
    'warn there is no namespace nope, which is to be looked after: create it (kubectl create namespace nope), or correct --namespace; when it comes it is looked after at once',
  ]);
  await cluster.applyYaml('{ apiVersion: v1, kind: Namespace, metadata: { name: other } }');
  await cluster.advance(600_000);
  expect(told()).toEqual([]);
  await cluster.applyYaml(root);
  await cluster.advance(60_000);
  expect(told()).toEqual(['info the namespace nope is there now, and looked after']);
  const { items } = await cluster.client.list(statefulsets, { namespace: 'nope' });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['prometheus-main']);
  await cluster.client.delete(namespaces, { name: 'nope' });
  await cluster.advance(120_000);
  expect(told()).toEqual([expect.stringMatching(/^warn there is no namespace nope/)]);
  await cluster.close();
});
