import type { KubeObject, New } from '@signalbox/cluster';
import type { PodMonitor } from '../resources/pod-monitor.ts';
import type { ServiceMonitor } from '../resources/service-monitor.ts';

/** Manifests with the namespaces that they stand in, and with pods and Services that their monitors find. */
export function monitored(manifests: readonly New<KubeObject>[]): readonly New<KubeObject>[] {
  return [...namespacesOf(manifests), ...manifests, ...targetsOf(manifests)];
}

/** What each monitor of pods and Services looks for, so that there is something to tell of in its status. */
function targetsOf(manifests: readonly New<KubeObject>[]): readonly New<KubeObject>[] {
  return manifests.flatMap((manifest) => {
    if (manifest.kind !== 'ServiceMonitor' && manifest.kind !== 'PodMonitor') return [];
    const { metadata, spec } = manifest as New<ServiceMonitor> | New<PodMonitor>;
    const labels = { ...spec.selector.matchLabels, 'for-monitor': metadata.name ?? '' };
    const place = { name: `for-${metadata.name}`, namespace: metadata.namespace ?? 'default' };
    const port = { name: 'http', containerPort: 8080 };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web', ports: [port] }] } };
    const servicePorts = [{ name: 'http', port: 80, targetPort: 8080 }];
    return [
      {
        ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: place },
        spec: { replicas: 2, selector: { matchLabels: labels }, template },
      },
      {
        ...{ apiVersion: 'v1', kind: 'Service', metadata: { ...place, labels } },
        spec: { selector: labels, ports: servicePorts },
      },
    ] as unknown as readonly New<KubeObject>[];
  });
}

function namespacesOf(manifests: readonly New<KubeObject>[]): readonly New<KubeObject>[] {
  const named = new Set(manifests.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? [metadata.name] : [])));
  const used = new Set(manifests.map(({ metadata }) => metadata.namespace ?? 'default'));
  return [...used]
    .filter((name) => name !== 'default' && !named.has(name))
    .map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }) as New<KubeObject>);
}
