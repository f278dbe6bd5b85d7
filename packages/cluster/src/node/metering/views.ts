import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { nodes, pods } from '../../api/generated/kinds.ts';
import { apiVersionOf, type GroupVersionResource, type ResourceType } from '../../api/gvk.ts';
import type { KubeObject, StoredMeta } from '../../api/meta.ts';
import { type NodeMetrics, nodemetrics, type PodMetrics, podmetrics, type ResourceUsage } from '../../api/metrics.ts';
import { formatBinary, formatQuantity } from '../../api/quantity.ts';
import { toTimestamp } from '../../base/clock.ts';
import { formatDuration } from '../../base/duration.ts';
import { nodemetricsDefinition } from '../../resources/metrics/nodemetrics.ts';
import { podmetricsDefinition } from '../../resources/metrics/podmetrics.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import type { Usage } from '../driver.ts';
import type { Measures } from './measures.ts';
import type { Window } from './series.ts';

export interface MetricsView {
  readonly definition: ResourceDefinition;
  readonly of: GroupVersionResource;
  show(object: KubeObject): KubeObject | undefined;
}

/** `metrics.k8s.io`, of pods and nodes as they are stored. `measures` may come after the server. */
export function metricsViews(measures: () => Measures): readonly MetricsView[] {
  return [
    {
      definition: nodemetricsDefinition as ResourceDefinition,
      of: nodes,
      show(object): NodeMetrics | undefined {
        const measure = measures().ofNode(object as Node);
        return measure && { ...measured(nodemetrics, object, measure), usage: usageText(measure.usage) };
      },
    },
    {
      definition: podmetricsDefinition as ResourceDefinition,
      of: pods,
      show(object): PodMetrics | undefined {
        const measure = measures().ofPod(object as Pod);
        if (measure === undefined) return undefined;
        const containers = [...measure.containers].map(([name, usage]) => ({ name, usage: usageText(usage) }));
        return { ...measured(podmetrics, object, measure), containers };
      },
    },
  ];
}

/** It is made now, and has no version: nobody stored it. */
function measured(
  type: ResourceType,
  { metadata: { name, namespace, labels } }: KubeObject,
  { takenMs, windowMs }: Window,
): Pick<PodMetrics, 'apiVersion' | 'kind' | 'metadata' | 'timestamp' | 'window'> {
  const timestamp = toTimestamp(takenMs);
  const metadata = { name, ...(namespace !== undefined && { namespace }), ...(labels !== undefined && { labels }) };
  return {
    ...{ apiVersion: apiVersionOf(type), kind: type.kind },
    metadata: { ...metadata, creationTimestamp: timestamp } as StoredMeta,
    ...{ timestamp, window: formatDuration(windowMs) },
  };
}

/** Nothing finer than a millionth of a thousandth can be said of CPU. */
function usageText({ cpuMilli, memoryBytes }: Usage): ResourceUsage {
  return { cpu: formatQuantity(BigInt(Math.round(cpuMilli * 1e6))), memory: formatBinary(Math.round(memoryBytes)) };
}
