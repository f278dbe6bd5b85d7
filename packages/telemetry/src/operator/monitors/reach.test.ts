import { type KubeObject, keyOf, type ResourceType } from '@signalbox/cluster';
import { createVirtualClock } from '@signalbox/cluster/testing';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { defaultComponents } from '../../components.ts';
import { withImagined } from '../../explain/imagined.ts';
import { explainMonitor } from '../../explain/monitor.ts';
import { podmonitors } from '../../resources/pod-monitor.ts';
import { probes } from '../../resources/probe.ts';
import { prometheuses } from '../../resources/prometheus.ts';
import { servicemonitors } from '../../resources/service-monitor.ts';
import { handFilled } from '../../testing/caches.ts';
import { objectsOf } from '../../testing/world.ts';
import { worldOf } from '../../world/world.ts';
import type { Told } from './ledger.ts';
import { reachOf, sightTypes } from './reach.ts';
import { createSeekers } from './seekers.ts';
import { sightOf } from './sight.ts';
import { operatorTrim } from './trim.ts';

/* What the operator says of a monitor that finds nothing, against what explain finds by running its jobs. */

const namespace = fc.constantFrom('shop', 'other');
const app = fc.constantFrom('a', 'b');
const port = fc.constantFrom('http', 'metrics');
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const pod = fc.record({
  namespace,
  app,
  port: maybe(port),
  ip: fc.boolean(),
  phase: fc.constantFrom('Running', 'Failed'),
});
const service = fc.record({ namespace, app, port, leadsTo: app });
const ingress = fc.record({ namespace, app, hasRules: fc.boolean() });
const place = maybe(fc.constantFrom<object>({ any: true }, { matchNames: ['other'] }, {}));
const selector = fc.constantFrom<object>(
  {},
  { matchLabels: { app: 'a' } },
  { matchExpressions: [{ key: 'app', operator: 'In', values: ['b'] }] },
  { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['b'] }] },
);
const endpoint = fc.constantFrom<object>(
  {},
  { port: 'http' },
  { port: 'htt.*' },
  { targetPort: 8080 },
  { targetPort: 'metrics' },
  { port: 'http', filterRunning: false },
);
const monitor = fc.record({
  kind: fc.constantFrom('ServiceMonitor', 'PodMonitor', 'Probe'),
  place,
  selector,
  endpoints: fc.array(endpoint, { minLength: 1, maxLength: 2 }),
});
const state = fc.record({
  pods: fc.array(pod, { maxLength: 3 }),
  services: fc.array(service, { maxLength: 3 }),
  ingresses: fc.array(ingress, { maxLength: 2 }),
});

type Of<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

function discovered({ pods: running, services, ingresses }: Of<typeof state>): readonly KubeObject[] {
  const pieces = [
    ...running.map(({ ip, phase, ...each }, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${index}`, namespace: each.namespace, labels: { app: each.app } },
      spec: {
        containers: [
          { name: 'c', ...(each.port !== undefined && { ports: [{ name: each.port, containerPort: 8080 }] }) },
        ],
      },
      status: ip ? { phase, podIP: `10.0.0.${index + 1}` } : { phase: 'Pending' },
    })),
    ...services.map((each, index) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: `s${index}`, namespace: each.namespace, labels: { app: each.app } },
      spec: { selector: { app: each.leadsTo }, ports: [{ name: each.port, port: 80, targetPort: 8080 }] },
    })),
    ...ingresses.map((each, index) => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: `i${index}`, namespace: each.namespace, labels: { app: each.app } },
      spec: each.hasRules ? { rules: [{ host: 'example.com' }] } : {},
    })),
  ];
  return withImagined(pieces.flatMap((piece) => objectsOf(JSON.stringify(piece))));
}

function asKept(object: KubeObject): KubeObject {
  const type = sightTypes.find(({ kind }) => kind === object.kind);
  return type === undefined ? object : operatorTrim(type)(object);
}

function monitorOf({ kind, place: namespaceSelector, selector: wanted, endpoints }: Of<typeof monitor>): KubeObject {
  const selecting = { selector: wanted, ...(namespaceSelector !== undefined && { namespaceSelector }) };
  const spec = {
    ServiceMonitor: { ...selecting, endpoints },
    PodMonitor: { ...selecting, podMetricsEndpoints: endpoints },
    Probe: { prober: { url: 'prober:9115' }, targets: { ingress: selecting } },
  }[kind];
  const [object] = objectsOf(
    JSON.stringify({ apiVersion: 'monitoring.coreos.com/v1', kind, metadata: { name: 'm', namespace: 'shop' }, spec }),
  );
  if (object === undefined) throw new Error('there is one');
  return object;
}

const [root] = objectsOf(`
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: shop }
spec: { serviceMonitorSelector: {}, podMonitorSelector: {}, probeSelector: {} }
`);

const types: readonly ResourceType[] = [servicemonitors, podmonitors, probes];

function explainedAs(object: KubeObject, found: readonly KubeObject[], isHomeOnly: boolean): string {
  if (root === undefined) throw new Error('there is one');
  const { spec } = root as KubeObject & { readonly spec: object };
  const own = { ...root, spec: { ...spec, ignoreNamespaceSelectors: isHomeOnly } } as KubeObject;
  const type = types.find(({ kind }) => kind === object.kind) ?? servicemonitors;
  const options = { components: defaultComponents(), nowMs: 0 };
  return explainMonitor(worldOf([own, object, ...found]), { type, key: 'shop/m' }, options)?.outcome ?? '';
}

test('nothing is found where explain finds nothing, and only there', () => {
  fc.assert(
    fc.property(monitor, state, fc.boolean(), (asked, there, isHomeOnly) => {
      const object = monitorOf(asked);
      const found = discovered(there);
      const caches = handFilled();
      for (const each of found) caches.put(asKept(each));
      const { finds } = reachOf(object, {
        sight: sightOf(caches.informers),
        looks: { isHomeOnly, isElsewhere: false },
      });
      const outcome = { something: 'scraped', nothing: 'no targets', unknown: '', pending: '' }[finds];
      expect(outcome).toBe(explainedAs(object, found, isHomeOnly));
    }),
    { numRuns: 80 * inject('thoroughness') },
  );
});

test('whatever changes, whoever finds otherwise is woken', async () => {
  const looks = { isHomeOnly: false, isElsewhere: false };
  const told: Told = { rootType: prometheuses, namespace: 'shop', name: 'main', refusal: '', looks };
  await fc.assert(
    fc.asyncProperty(monitor, fc.array(state, { minLength: 2, maxLength: 6 }), async (asked, states) => {
      const clock = createVirtualClock();
      const caches = handFilled();
      const ending = new AbortController();
      const seekers = createSeekers({ informers: caches.informers, clock, signal: ending.signal });
      const woken: string[] = [];
      seekers.listen((kind, key) => woken.push(`${kind} ${key}`));
      const object = monitorOf(asked);
      const look = (): string | undefined => seekers.look(object, [told])[0]?.finds;
      look();
      await clock.advance(2_000);
      let known = look();
      let before: readonly KubeObject[] = [];
      for (const next of states.map(discovered)) {
        woken.length = 0;
        const names = new Set(next.map(idOf));
        for (const each of before) if (!names.has(idOf(each))) caches.remove(each);
        for (const each of next) caches.put(each);
        await clock.advance(2_000);
        const wasWoken = woken.length > 0;
        const now = look();
        if (now !== known) expect(wasWoken).toBe(true);
        known = now;
        before = next;
      }
      ending.abort();
    }),
    { numRuns: 50 * inject('thoroughness') },
  );
});

function idOf(object: KubeObject): string {
  return `${object.kind} ${keyOf(object)}`;
}

test('a monitor that was left out, or is looked for in another cluster, asks for nothing', () => {
  const [object] = [monitorOf({ kind: 'PodMonitor', place: undefined, selector: {}, endpoints: [{}] })];
  const caches = handFilled();
  const sight = sightOf(caches.informers);
  expect(reachOf(object, { sight, looks: { isHomeOnly: false, isElsewhere: true } }).finds).toBe('unknown');
});
