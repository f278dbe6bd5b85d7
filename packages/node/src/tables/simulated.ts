import { fromTimestamp, type Pod } from '@signalbox/cluster';
import type { SimulatedPod, SimulatedTable } from '../protocol/network.ts';

/** How many series a simulated pod shows at `/metrics`, besides those that every one does. */
export const seriesAnnotation = 'signalbox.dev/series';

const seriesMax = 100_000;

/** Of all pods those of the simulated fleet that answer: they run, and their probes would be content. */
export function simulatedTable(pods: readonly Pod[]): SimulatedTable {
  return { pods: pods.flatMap(answering) };
}

function answering({ metadata, spec, status }: Pod): readonly SimulatedPod[] {
  const { podIP: address, phase, conditions = [], containerStatuses = [], startTime } = status;
  const isReady = conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  if (address === undefined || !isSimulatedAddress(address) || phase !== 'Running' || !isReady) return [];
  const starts = containerStatuses.flatMap(({ state }) => state?.running?.startedAt ?? []);
  const started = starts.length === 0 ? startTime : starts.toSorted().at(-1);
  const ports = spec.containers.flatMap((container) =>
    (container.ports ?? []).flatMap(({ containerPort, protocol = 'TCP' }) => (protocol === 'TCP' ? containerPort : [])),
  );
  return [
    {
      ...{ namespace: metadata.namespace ?? '', name: metadata.name, node: spec.nodeName ?? '' },
      ...{ address, ports: [...new Set(ports)] },
      startedMs: started === undefined ? 0 : fromTimestamp(started),
      series: seriesOf(metadata.annotations?.[seriesAnnotation]),
    },
  ];
}

/** What cannot be read counts as absent. */
function seriesOf(text = ''): number {
  return /^\d+$/.test(text) ? Math.min(Number(text), seriesMax) : 0;
}

/** 10.128.0.0/9, from which the simulated fleet has its pods' addresses. */
export function isSimulatedAddress(address: string): boolean {
  const [first, second] = address.split('.').map(Number);
  return first === 10 && (second ?? 0) >= 128;
}
