import { readdirSync, readFileSync } from 'node:fs';
import { type CreateComponent, type KubeObject, type New, sleep, type Transport } from '@signalbox/cluster';
import { createTestCluster } from '@signalbox/cluster/testing';
import { expect, inject, test } from 'vitest';
import { defaultComponents } from '../components.ts';
import { customResourceDefinitions } from '../resources/crds.ts';
import { monitored } from '../testing/monitored.ts';
import { freshManifests } from '../testing/world.ts';
import { takeIn } from './intake.ts';
import { createTelemetryOperator } from './operator.ts';

/** An operator that starts where another has done all that there was to do, writes nothing but what it has to say of what is wrong. */
const folder = new URL('../testdata/', import.meta.url);
const features = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length));

/** A few say most with every check; the simulations take all. */
const tried = inject('thoroughness') > 1 ? features : ['prometheus-monitors'];

const minuteMs = 60_000;
const firstLifeMs = 15 * minuteMs;

/** What its second life has written and the server has taken, without its events. */
function restarting(written: string[]): CreateComponent {
  let lives = 0;
  return (platform) => {
    const isSecond = lives++ > 0;
    const transport: Transport = {
      async perform(operation, waiting) {
        const { verb, resource } = operation;
        const outcome = await platform.transport.perform(operation, waiting);
        if (isSecond && verb !== 'get' && verb !== 'list' && resource.resource !== 'events') {
          const { metadata, status } = outcome.object as KubeObject & { readonly status?: unknown };
          written.push(`${verb} ${resource.resource} ${metadata.name} ${JSON.stringify(status)}`);
        }
        return outcome;
      },
      watch: (operation, waiting) => platform.transport.watch(operation, waiting),
    };
    const operator = createTelemetryOperator({ ...platform, transport }, { components: defaultComponents() });
    if (isSecond) return operator;
    const death = async (signal: AbortSignal): Promise<void> => {
      await sleep(platform.clock, firstLifeMs, { signal });
      throw new Error('it dies');
    };
    return { ...operator, run: ({ signal }) => Promise.race([operator.run({ signal }), death(signal)]) };
  };
}

async function writtenAgain(manifests: readonly New<KubeObject>[]): Promise<readonly string[]> {
  const written: string[] = [];
  const cluster = await createTestCluster({
    nodes: 2,
    manifests: customResourceDefinitions(),
    components: [restarting(written)],
  });
  await cluster.apply(manifests);
  await cluster.advance(firstLifeMs + 10 * minuteMs);
  expect(cluster.problems.map(({ message }) => message)).toContainEqual(expect.stringMatching(/died and starts again/));
  await cluster.close();
  return written;
}

test.each(tried)('%s: the second start writes nothing', async (feature) => {
  const text = readFileSync(new URL(`${feature}.yaml`, folder), 'utf8');
  const { objects } = takeIn(freshManifests(text) as readonly KubeObject[]);
  expect(await writtenAgain(monitored(objects))).toEqual([]);
});

const monitor = (name: string, app: string): string => `
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: ${name}, namespace: default, labels: { team: ${name} } }
spec: { selector: { matchLabels: { app: ${app} } }, endpoints: [{ port: http }] }
`;

test('nor on monitors that several kinds of roots have, one alone, or none, whatever they find', async () => {
  const manifests = freshManifests(`
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: default }
spec: { serviceMonitorSelector: { matchExpressions: [{ key: team, operator: NotIn, values: [edge, lonely] }] } }
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: PrometheusAgent
metadata: { name: edge, namespace: default }
spec: { serviceMonitorSelector: { matchExpressions: [{ key: team, operator: NotIn, values: [main, lonely] }] } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: default }
spec: { metrics: { instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: all, namespace: default }
spec: { serviceMonitorSelector: { matchLabels: { team: all } } }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: default, labels: { app: web } }
spec: { selector: { app: web }, ports: [{ name: http, port: 80 }] }
---
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: default, labels: { app: web } }
spec: { containers: [{ name: web, image: web }] }
${['all', 'edge', 'main', 'lonely'].map((name) => monitor(name, 'web')).join('')}
${['barren', 'both'].map((name) => monitor(name, 'nothing')).join('')}
`);
  expect(await writtenAgain(manifests)).toEqual([]);
});
