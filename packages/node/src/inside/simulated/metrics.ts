import type { SimulatedPod } from '../../protocol/network.ts';

/** What a simulated pod shows at `/metrics`: who it is, since when, and as many counters as it was asked for. They grow with the clock. */
export function metricsText(pod: SimulatedPod, nowMs: number): string {
  const seconds = Math.max(0, nowMs - pod.startedMs) / 1_000;
  const labels = Object.entries({ namespace: pod.namespace, pod: pod.name, node: pod.node })
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
  const lines = [
    '# HELP signalbox_simulated_info Which simulated pod this is.',
    '# TYPE signalbox_simulated_info gauge',
    `signalbox_simulated_info{${labels}} 1`,
    '# HELP process_start_time_seconds Since when it runs, in seconds since the epoch.',
    '# TYPE process_start_time_seconds gauge',
    `process_start_time_seconds ${pod.startedMs / 1_000}`,
  ];
  if (pod.series > 0)
    lines.push(
      '# HELP signalbox_simulated_events_total Grows by as many a second as its number modulo 10, and one.',
      '# TYPE signalbox_simulated_events_total counter',
    );
  for (let series = 0; series < pod.series; series++)
    lines.push(`signalbox_simulated_events_total{series="${series}"} ${Math.floor(seconds * ((series % 10) + 1))}`);
  return `${lines.join('\n')}\n`;
}

function escaped(value: string): string {
  return value.replaceAll(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}
