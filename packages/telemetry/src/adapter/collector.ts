import { type Clock, keyOf, type Pod, pods, within } from '@signalbox/cluster';
import { keptSamples, type Rate, rateOf, type Sample } from './counter.ts';
import { type FollowedCaches, writtenLoad } from './load.ts';
import { sumsOnPage } from './page.ts';
import { type PageTarget, type ReadPage, targetOf } from './pages.ts';
import type { MetricRule, PageSource } from './rule.ts';

/** A rule that says what a pod's page has to do with a metric. */
export type PageRule = MetricRule & { readonly from: PageSource };

/**
 * Reads the pages of pods, and keeps what they said for as long as the window of a rule. Nobody's page is read for a metric
 * that nobody wants.
 */
export interface Collector {
  /** Of this pod by this rule; undefined while nothing, or not enough, is known. */
  rateOf(pod: Pod, rule: PageRule): Rate | undefined;
  /** Reads the pages of all pods that one of these rules is about. Resolves when all have answered, or their time was up. */
  collect(rules: readonly PageRule[], options: { readonly signal: AbortSignal }): Promise<void>;
}

export interface CollectorOptions {
  readonly caches: FollowedCaches;
  readonly read: ReadPage;
  readonly clock: Clock;
  /** Once for every pod whose page cannot be read any more, until it can. */
  report(message: string, error: unknown): void;
}

interface Known {
  /** Of the page's names. */
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
  readonly failures: number;
  /** A page that cannot be read is asked for ever more rarely. */
  readonly notBeforeMs: number;
}

const nothing: Known = { samples: new Map(), failures: 0, notBeforeMs: 0 };
const timeoutMs = 10_000;
const atOnceMax = 16;
const backOffMsMax = 300_000;

export function createCollector({ caches, read, clock, report }: CollectorOptions): Collector {
  let known = new Map<string, Known>();

  const readOne = async ({ pod, target, rules }: Work, signal: AbortSignal): Promise<void> => {
    const id = pageId(pod, target);
    const before = known.get(id) ?? nothing;
    const names = new Set(rules.flatMap(({ from }) => from.names));
    try {
      const text = await within(timeoutMs, { clock, signal, work: (limit) => read(target, { signal: limit }) });
      const atMs = clock.nowMs();
      const samples = new Map<string, readonly Sample[]>();
      for (const [name, value] of sumsOnPage(text, names)) {
        const windowMs = Math.max(
          ...rules.filter(({ from }) => from.names.includes(name)).map(({ from }) => from.windowMs),
        );
        samples.set(name, keptSamples(before.samples.get(name) ?? [], { atMs, value }, windowMs));
      }
      known.set(id, { samples, failures: 0, notBeforeMs: 0 });
    } catch (error) {
      signal.throwIfAborted();
      const failures = before.failures + 1;
      if (failures === 1) report(`cannot read the metrics of pod ${keyOf(pod)}`, error);
      const notBeforeMs = clock.nowMs() + Math.min(backOffMsMax, 15_000 * 2 ** Math.min(failures - 1, 10));
      known.set(id, { ...before, failures, notBeforeMs });
    }
  };

  return {
    rateOf(pod, { from }) {
      const target = targetOf(pod, from.page);
      const { samples } = (target && known.get(pageId(pod, target))) ?? nothing;
      const name = from.names.find((each) => samples.has(each));
      const kept = name === undefined ? [] : (samples.get(name) ?? []);
      const last = kept.at(-1);
      if (last === undefined || last.atMs < clock.nowMs() - from.windowMs) return undefined;
      if (from.as === 'gauge') return { value: last.value, atMs: last.atMs, overMs: 0 };
      return rateOf(kept.filter(({ atMs }) => atMs >= last.atMs - from.windowMs));
    },
    async collect(rules, { signal }) {
      const work = workOf(rules, caches);
      const there = new Set(work.map(({ pod, target }) => pageId(pod, target)));
      known = new Map([...known].filter(([id]) => there.has(id)));
      const nowMs = clock.nowMs();
      const due = work.filter(({ pod, target }) => (known.get(pageId(pod, target))?.notBeforeMs ?? 0) <= nowMs);
      const next = due.values();
      const one = async (): Promise<void> => {
        for (const each of next) await readOne(each, signal);
      };
      await Promise.all(Array.from({ length: Math.min(atOnceMax, due.length) }, one));
    },
  };
}

interface Work {
  readonly pod: Pod;
  readonly target: PageTarget;
  /** Those that are about this page. */
  readonly rules: readonly PageRule[];
}

function pageId({ metadata }: Pod, { scheme, port, path }: PageTarget): string {
  return `${metadata.uid} ${scheme} ${port} ${path}`;
}

/** Every page is read once, whatever number of rules is about it. */
function workOf(rules: readonly PageRule[], caches: FollowedCaches): readonly Work[] {
  if (rules.length === 0) return [];
  return [...caches.of(pods).values()].flatMap((pod) => {
    // What is written down is not asked for.
    const about = rules.filter(
      ({ metric, from }) => from.pods(pod.metadata.labels) && writtenLoad(pod, metric, caches) === undefined,
    );
    const byPage = new Map<string, Work>();
    for (const rule of about) {
      const target = targetOf(pod, rule.from.page);
      if (target === undefined) continue;
      const page = pageId(pod, target);
      byPage.set(page, { pod, target, rules: [...(byPage.get(page)?.rules ?? []), rule] });
    }
    return [...byPage.values()];
  });
}
