import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { nodes, pods } from '../../api/generated/kinds.ts';
import { keyOf } from '../../api/meta.ts';
import { podsByNode } from '../../client/indexes.ts';
import type { Platform } from '../../runtime/component.ts';
import type { NodeDriver } from '../driver.ts';
import { isStopped } from '../driver.ts';
import type { Meter } from './meter.ts';
import { intervalMs, type NodeMeasure, nodeMeasure, type PodMeasure, podMeasure } from './series.ts';

/**
 * What runs on the nodes uses at the moment, whoever runs it. Undefined is a gap: nobody measured it, or the machine does not
 * answer. Nodes and pods must be cached.
 */
export interface Measures {
  ofPod(pod: Pod): PodMeasure | undefined;
  ofNode(node: Node): NodeMeasure | undefined;
}

export interface MeasuresOptions extends Pick<Platform, 'informers' | 'clock'> {
  /** Who runs it in this process. */
  driverIn(node: Node): NodeDriver | undefined;
  readonly meter: Meter;
}

export function createMeasures({ informers, clock, driverIn, meter }: MeasuresOptions): Measures {
  const read = (pod: Pod, driver: NodeDriver): PodMeasure | undefined => {
    const containers = driver.usage(pod);
    // A driver here says what is, and needs no counters to be read twice.
    return containers && { takenMs: clock.nowMs(), windowMs: intervalMs, containers };
  };
  return {
    ofPod(pod) {
      const node = informers.of(nodes).get(pod.spec.nodeName ?? '');
      if (node === undefined || pod.status.phase !== 'Running') return undefined;
      const driver = driverIn(node);
      if (driver !== undefined) return read(pod, driver);
      const series = isStopped(node) ? undefined : meter.seriesOf(node.metadata.name);
      return series && podMeasure(series, keyOf(pod));
    },
    ofNode(node) {
      const { name } = node.metadata;
      const driver = driverIn(node);
      if (driver === undefined) {
        const series = isStopped(node) ? undefined : meter.seriesOf(name);
        return series && nodeMeasure(series);
      }
      let [cpuMilli, memoryBytes] = [0, 0];
      for (const pod of informers.of(pods).by(podsByNode, name))
        for (const usage of driver.usage(pod)?.values() ?? []) {
          cpuMilli += usage.cpuMilli;
          memoryBytes += usage.memoryBytes;
        }
      return { takenMs: clock.nowMs(), windowMs: intervalMs, usage: { cpuMilli, memoryBytes } };
    },
  };
}
