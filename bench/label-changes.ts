/** What the two benches of label changes have in common: DaemonSets that choose nodes by a label, and their figures. */
import { collector } from './collector.ts';

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One of many: with a name and pods of its own, on nodes with these labels. */
export function numberedCollector(
  number: number,
  { nodeSelector, pod = {} }: { readonly nodeSelector: Readonly<Record<string, string>>; readonly pod?: object },
): typeof collector {
  const { spec } = collector;
  const labels = { app: `collector-${number}` };
  const template = { metadata: { labels }, spec: { ...spec.template.spec, nodeSelector, ...pod } };
  const metadata = { ...collector.metadata, name: `collector-${number}` };
  return { ...collector, metadata, spec: { ...spec, selector: { matchLabels: labels }, template } } as never;
}

/** Of this process, all threads. */
export function cpuMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
