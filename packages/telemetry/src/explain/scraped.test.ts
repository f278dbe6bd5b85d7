import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Desired } from '../operator/component.ts';
import { type Prometheus, prometheuses } from '../resources/prometheus.ts';
import { createPrometheusComponent } from '../roots/prometheus/prometheus.ts';
import { objectsOf } from '../testing/world.ts';
import { worldOf } from '../world/world.ts';
import { jobViews } from './job.ts';
import { createScraping } from './scraped.ts';

const names = ['web', 'db', 'mail'];
const service = (name: string, namespace: string): string => `
{ apiVersion: v1, kind: Service, metadata: { name: ${name}, namespace: ${namespace}, labels: { app: ${name}, team: a.b } }, spec: { ports: [{ name: http, port: 80 }] } }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: ${name}-0, namespace: ${namespace}, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
endpoints: [${[1, 2, 3, 4].map((last) => `{ addresses: [10.0.${name.length}.${last}], conditions: { ready: true } }`).join()}]
ports: [{ name: http, port: 8080, protocol: TCP }, { name: admin, port: 8081, protocol: TCP }]
---
apiVersion: v1
kind: Pod
metadata: { name: ${name}-x, namespace: ${namespace}, labels: { app: ${name} } }
spec: { containers: [{ name: c, image: c, ports: [{ name: http, containerPort: 80 }] }] }
status: { phase: Running, podIP: 10.1.${name.length}.9, conditions: [{ type: Ready, status: 'True' }] }
`;
const things = ['shop', 'mall'].flatMap((namespace) => names.map((name) => service(name, namespace))).join('---');

const selector = fc.constantFrom(
  '{}',
  '{ matchLabels: { app: web } }',
  '{ matchLabels: { app: db, team: a.b } }',
  '{ matchLabels: { team: aXb } }',
  '{ matchExpressions: [{ key: app, operator: In, values: [web, mail] }] }',
  '{ matchExpressions: [{ key: app, operator: NotIn, values: [web] }, { key: team, operator: Exists }] }',
);
const place = fc.constantFrom('{}', '{ any: true }', '{ matchNames: [mall] }', '{ matchNames: [mall, shop] }');
const relabelings = fc.constantFrom(
  '[]',
  '[{ targetLabel: __address__, replacement: "" }]',
  '[{ sourceLabels: [__address__], regex: ".*:8080", action: keep }]',
  "[{ targetLabel: shard, replacement: '$(SHARD)' }]",
  '[{ targetLabel: __tmp_hash, replacement: same }]',
  '[{ targetLabel: __tmp_disable_sharding, replacement: "yes" }]',
  '[{ regex: namespace, action: labeldrop }]',
);
const monitor = fc.record({ kind: fc.boolean(), selector, place, relabelings }).map((each) => {
  const fields = `selector: ${each.selector}, namespaceSelector: ${each.place}`;
  const endpoint = `[{ port: http, relabelings: ${each.relabelings} }]`;
  return (name: string): string =>
    each.kind
      ? `{ apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: { name: ${name}, namespace: shop }, spec: { ${fields}, endpoints: ${endpoint} } }`
      : `{ apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: { name: ${name}, namespace: shop }, spec: { ${fields}, podMetricsEndpoints: ${endpoint} } }`;
});
const root = fc
  .record({ shards: fc.integer({ min: 1, max: 3 }), slots: fc.boolean() })
  .map(
    ({ shards, slots }) =>
      `{ apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: { name: main, namespace: shop, annotations: { ${slots ? 'signalbox.dev/sharding: slots' : ''} } }, spec: { shards: ${shards}, serviceMonitorSelector: {}, podMonitorSelector: {} } }`,
  );

const component = createPrometheusComponent();
const world = worldOf(objectsOf(things));

test('what a job scrapes is what an explanation of it says is kept, also after another job that begins alike', () => {
  const scrapedBy = createScraping();
  fc.assert(
    fc.property(fc.array(monitor, { minLength: 1, maxLength: 3 }), root, root, (monitors, ...roots) => {
      const built = roots.map((text) => builtFrom([text, ...monitors.map((named, index) => named(`m${index}`))]));
      // The same job of both roots, one after the other.
      for (let index = 0; index < monitors.length; index++)
        for (const { desired, owner } of built) {
          const collected = desired.collected[index];
          if (collected === undefined) throw new Error('every monitor is collected');
          const asked = { world, root: owner, shards: desired.shards };
          const [view] = jobViews(collected, asked);
          const kept = view?.targets.flatMap(({ of, address, fate }) =>
            fate.kept ? [{ of, address, shards: fate.shards, labels: fate.labels }] : [],
          );
          const targets = scrapedBy(collected, asked)?.targets ?? [];
          expect(targets.map(({ of, address, shards, labels }) => ({ of, address, shards, labels: labels() }))).toEqual(
            kept,
          );
          expect(new Set(targets.map(({ id }) => id)).size).toBe(targets.length);
        }
    }),
    { numRuns: 10 * inject('thoroughness') },
  );
});

function builtFrom(texts: readonly string[]): { readonly owner: Prometheus; readonly desired: Desired } {
  const server = worldOf(objectsOf(texts.join('\n---\n')));
  const [owner] = server.list(prometheuses);
  if (owner === undefined) throw new Error('there is a root');
  return { owner, desired: component.build(owner, server, { nowMs: 0 }) };
}
