import type { LabelSet } from '../relabel/execute.ts';
import { hashBehind } from './held-hash.ts';
import type { SlotLoads, SlotMapping } from './mapping.ts';
import type { HeldTarget } from './targets-page.ts';

/** What the targets of an agent weigh, by the best that it says. */
export type Measure =
  /** Samples of a target's last scrape. */
  | { readonly in: 'samples'; of(target: HeldTarget): number | undefined }
  /** How many metrics the targets of a job have together. */
  | { readonly in: 'metrics'; readonly ofJobs: ReadonlyMap<string, number> }
  | { readonly in: 'targets' };

/** What one agent of a shard has. */
export interface WeighedShard {
  readonly shard: number;
  readonly held: readonly HeldTarget[];
  readonly measure: Measure;
}

export interface Weighed {
  readonly in: Measure['in'];
  readonly loads: SlotLoads;
}

/**
 * What the slots weigh by the word of one agent of each shard. Undefined: one of them has not answered, they do not speak
 * of the same, or their targets are not where the mapping has them, so that nobody knows their slots.
 */
export function weighedSlots(answers: readonly WeighedShard[], mapping: SlotMapping): Weighed | undefined {
  const speaking = answers.filter(({ held }) => held.length > 0);
  const [first] = speaking;
  if (first === undefined || new Set(answers.map(({ shard }) => shard)).size < mapping.shards) return undefined;
  if (speaking.some(({ measure }) => measure.in !== first.measure.in)) return undefined;
  const hash = hashBehind(
    speaking.flatMap(({ shard, held }) => held.map(({ text }) => ({ shard, text }))),
    [mapping],
  );
  if (hash === undefined) return undefined;
  const typical = typicalOf(speaking);
  const loads = mapping.owners.map(() => 0);
  for (const { held, measure } of speaking)
    for (const target of held) {
      const slot = hash(target.text, loads.length);
      const own = measure.in === 'samples' && target.isUp ? measure.of(target) : undefined;
      loads[slot] = (loads[slot] ?? 0) + Math.max(1, own ?? typical(target.job));
    }
  return { in: first.measure.in, loads };
}

/**
 * What a target of a job weighs where it does not say itself: one that is down will be up again. It must not matter which
 * shard has it, or slots would weigh something else whenever they move, and move back.
 */
function typicalOf(answers: readonly WeighedShard[]): (job: string) => number {
  const ofJob = new Map<string, Mean>();
  const all: Mean = { sum: 0, count: 0 };
  const add = (job: string, value: number, count: number): void => {
    const mean = ofJob.get(job) ?? { sum: 0, count: 0 };
    ofJob.set(job, mean);
    for (const each of [mean, all]) {
      each.sum += value;
      each.count += count;
    }
  };
  for (const { held, measure } of answers) {
    if (measure.in === 'samples')
      for (const target of held) {
        const value = target.isUp ? measure.of(target) : undefined;
        if (value !== undefined) add(target.job, value, 1);
      }
    if (measure.in === 'metrics')
      for (const job of new Set(held.map((target) => target.job)))
        add(job, measure.ofJobs.get(job) ?? 0, held.filter((target) => target.job === job).length);
  }
  return (job) => meanOf(ofJob.get(job)) ?? meanOf(all) ?? 1;
}

interface Mean {
  sum: number;
  count: number;
}

function meanOf(mean: Mean | undefined): number | undefined {
  return mean === undefined || mean.count === 0 ? undefined : mean.sum / mean.count;
}

/** What Prometheus answers when it is asked for the samples of each target's last scrape. Undefined: it does not. */
export function samplesIn(page: unknown): ((target: HeldTarget) => number | undefined) | undefined {
  const { data } = (page ?? {}) as { readonly data?: { readonly resultType?: unknown; readonly result?: unknown } };
  if (data?.resultType !== 'vector' || !Array.isArray(data.result)) return undefined;
  const byLabels = new Map<string, number>();
  for (const { metric, value } of data.result as readonly Point[]) {
    const { __name__: _, ...labels } = metric ?? {};
    const count = Number(value?.[1]);
    if (Number.isFinite(count)) byLabels.set(idOf(labels), count);
  }
  return byLabels.size === 0 ? undefined : ({ labels }) => byLabels.get(idOf(labels));
}

interface Point {
  readonly metric?: LabelSet;
  readonly value?: readonly [number, string];
}

function idOf(labels: LabelSet): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** From `/metrics` of a Prometheus that is an agent, which nobody can ask for samples: how many metrics each job's targets have. */
export function metricsOfJobs(page: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [, labels = '', value = ''] of page.matchAll(
    /^prometheus_target_metadata_cache_entries\{(.*)\} (\S+)$/gm,
  )) {
    const name = /(?:^|,)scrape_job=("(?:[^"\\]|\\.)*")/.exec(labels)?.[1];
    const count = Number(value);
    if (name === undefined || !Number.isFinite(count)) continue;
    const job = JSON.parse(name) as string;
    found.set(job, (found.get(job) ?? 0) + count);
  }
  return found;
}

/** So many must agree: one every five minutes, for half an hour. */
export const weighedMin = 7;

/** What slots weigh for some time: the middle of what was found, so that what was otherwise for a moment does not count. */
export function steadyLoads(found: readonly SlotLoads[]): SlotLoads | undefined {
  const last = found.slice(-weighedMin);
  const [first] = last;
  if (first === undefined || last.length < weighedMin) return undefined;
  return first.map((_, slot) => last.map((loads) => loads[slot] ?? 0).sort((a, b) => a - b)[weighedMin >> 1] ?? 0);
}
