/**
 * What `signalbox plan` costs beside reading the cluster: one edited monitor among many, and one shard more, each on a state
 * in which the operator has done its work. Prints one line of JSON. Arguments: monitors, and targets of each.
 */
import type { KubeObject } from '@signalbox/cluster';
import {
  defaultComponents,
  foretell,
  planChanges,
  prometheuses,
  storedManifests,
  withEdits,
} from '@signalbox/telemetry';

const monitors = Number(process.argv[2] ?? '10000');
const targetsEach = Number(process.argv[3] ?? '10');
const monitorsPerNamespace = 100;
const nowMs = 0;

const object = (apiVersion: string, kind: string, place: readonly [string, string], rest: object): KubeObject =>
  ({
    apiVersion,
    kind,
    metadata: {
      namespace: place[0],
      name: place[1],
      uid: place.join(' '),
      resourceVersion: '1',
      creationTimestamp: '2030-01-01T00:00:00Z',
    },
    ...rest,
  }) as unknown as KubeObject;

const labelled = (from: KubeObject, labels: Readonly<Record<string, string>>): KubeObject => ({
  ...from,
  metadata: { ...from.metadata, labels },
});

const root = object('monitoring.coreos.com/v1', 'Prometheus', ['monitoring', 'main'], {
  spec: { shards: 4, serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {} },
});

function monitorOf(index: number, port = 'http'): KubeObject {
  const namespace = `team-${Math.floor(index / monitorsPerNamespace)}`;
  const spec = { selector: { matchLabels: { app: `web-${index}` } }, endpoints: [{ port, interval: '30s' }] };
  return object('monitoring.coreos.com/v1', 'ServiceMonitor', [namespace, `web-${index}`], { spec });
}

const world = Array.from({ length: monitors }, (_, index): readonly KubeObject[] => {
  const monitor = monitorOf(index);
  const { namespace = '', name } = monitor.metadata;
  const service = object('v1', 'Service', [namespace, name], { spec: { ports: [{ name: 'http', port: 80 }] } });
  const endpoints = Array.from({ length: targetsEach }, (__, each) => ({
    addresses: [`10.${(index >> 8) & 255}.${index & 255}.${each}`],
    conditions: { ready: true },
  }));
  const ports = [{ name: 'http', port: 8080, protocol: 'TCP' }];
  const parts = { addressType: 'IPv4', endpoints, ports };
  const slice = object('discovery.k8s.io/v1', 'EndpointSlice', [namespace, `${name}-0`], parts);
  return [monitor, labelled(service, { app: name }), labelled(slice, { 'kubernetes.io/service-name': name })];
}).flat();

const stored = storedManifests([root], 'monitoring').objects;
const before = foretell([...stored, ...world], { components: defaultComponents(), nowMs }).objects;

function planned(edits: Partial<Parameters<typeof withEdits>[1]>): { readonly ms: number; readonly moved: number } {
  const { objects } = withEdits(before, { manifests: [], scales: [], namespace: 'monitoring', ...edits });
  const startMs = performance.now();
  // Nothing is remembered from before: a command is a process of its own.
  const { targets } = planChanges(before, objects, { components: defaultComponents(), nowMs });
  return { ms: performance.now() - startMs, moved: targets.flatMap(({ changes }) => changes).length };
}

const edit = planned({ manifests: [monitorOf(7, 'other')] });
const scale = planned({ scales: [{ type: prometheuses, name: 'main', shards: 5 }] });
if (edit.moved !== targetsEach) throw new Error(`${edit.moved} targets are lost, not ${targetsEach}`);
if (scale.moved < (monitors * targetsEach) / 2) throw new Error(`only ${scale.moved} targets move`);
process.stdout.write(`${JSON.stringify({ 'edit ms': edit.ms, 'scale ms': scale.ms })}\n`);
