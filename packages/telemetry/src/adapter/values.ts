import {
  type Clock,
  configmaps,
  horizontalpodautoscalers,
  type LabelMatcher,
  pods,
  type ResourceType,
} from '@signalbox/cluster';
import type { Collector, PageRule } from './collector.ts';
import { type FollowedCaches, writtenLoad } from './load.ts';
import { type AskPrometheus, type Point, pointsOf } from './query.ts';
import type { QuerySource } from './rule.ts';
import type { RuleBook } from './rule-book.ts';

/** A value that belongs to one object. */
export interface ObjectValue extends MetricValue {
  readonly name: string;
  readonly namespace: string | undefined;
}

/** A value that belongs to nothing. */
export interface ExternalValue extends MetricValue {
  readonly labels: Readonly<Record<string, string>>;
}

interface MetricValue {
  readonly value: number;
  readonly atMs: number;
  /** What it is measured over; 0: it is a value of that moment. */
  readonly overMs: number;
}

export interface ObjectsAsked {
  readonly metric: string;
  /** `pods`, `prometheuses.monitoring.coreos.com`; `resource` alone for those of the core group. */
  readonly resource: string;
  readonly namespace: string | undefined;
  /** `*`: all that the labels choose. */
  readonly name: string;
  readonly labels: LabelMatcher | undefined;
  readonly metricLabels: LabelMatcher | undefined;
}

export interface ExternalAsked {
  readonly metric: string;
  readonly namespace: string;
  readonly labels: LabelMatcher | undefined;
}

/** What the metrics APIs say now. Each is undefined when no rule is about such a metric. */
export interface MetricValues {
  ofObjects(asked: ObjectsAsked, options: Waiting): Promise<readonly ObjectValue[] | undefined>;
  external(asked: ExternalAsked, options: Waiting): Promise<readonly ExternalValue[] | undefined>;
}

interface Waiting {
  readonly signal: AbortSignal;
}

export interface MetricValuesOptions {
  readonly caches: FollowedCaches;
  readonly clock: Clock;
  readonly book: RuleBook;
  readonly collector: Collector;
  /** Undefined: no rule can ask for a query. */
  readonly ask: AskPrometheus | undefined;
  /** Hears what was asked for, so that it is measured from then on. Resolves when a first value could be there. */
  wanted(metric: string, namespace: string | undefined): Promise<void>;
}

export function createMetricValues(options: MetricValuesOptions): MetricValues {
  const { book, wanted } = options;
  const query = createQueries(options);
  return {
    async ofObjects(asked, waiting) {
      const rule = book.find(asked.metric, asked.namespace);
      if (rule === undefined) return undefined;
      const { from } = rule;
      if (from.is === 'query') {
        const { object } = from;
        if (object === undefined || object.resource !== asked.resource) return undefined;
        return ofPoints(await query(from, waiting), object, { asked, caches: options.caches });
      }
      if (asked.resource !== 'pods') return undefined;
      await wanted(asked.metric, asked.namespace);
      return ofPages({ ...rule, from }, asked, options);
    },
    async external({ metric, namespace, labels }, waiting) {
      const rule = book.find(metric, namespace);
      if (rule?.from.is !== 'query' || rule.from.object !== undefined) return undefined;
      const points = await query(rule.from, waiting);
      return points.filter((point) => labels?.(point.labels) !== false).map((point) => ({ ...point, overMs: 0 }));
    },
  };
}

function ofPages(
  rule: PageRule,
  { metric, namespace, name, labels }: ObjectsAsked,
  { caches, collector, clock }: MetricValuesOptions,
): readonly ObjectValue[] {
  const all = namespace === undefined ? [...caches.of(pods).values()] : caches.of(pods).inNamespace(namespace);
  return all.flatMap((pod) => {
    const { metadata, status } = pod;
    if (name !== '*' && metadata.name !== name) return [];
    if (labels?.(metadata.labels) === false || !rule.from.pods(metadata.labels)) return [];
    const place = { name: metadata.name, namespace: metadata.namespace };
    const written = status?.phase === 'Running' ? writtenLoad(pod, metric, caches) : undefined;
    if (written !== undefined) return [{ ...place, value: written, atMs: clock.nowMs(), overMs: rule.from.windowMs }];
    const rate = collector.rateOf(pod, rule);
    return rate === undefined ? [] : [{ ...place, ...rate }];
  });
}

interface Choosing {
  readonly asked: ObjectsAsked;
  readonly caches: FollowedCaches;
}

/** Only those of pods can be chosen by the labels of what they belong to: nobody follows every kind of object. */
function ofPoints(
  points: readonly Point[],
  { nameLabel, namespaceLabel }: NonNullable<QuerySource['object']>,
  { asked, caches }: Choosing,
): readonly ObjectValue[] {
  return points.flatMap(({ labels, value, atMs }) => {
    const name = labels[nameLabel];
    const namespace = namespaceLabel === undefined ? undefined : labels[namespaceLabel];
    if (name === undefined || (namespaceLabel !== undefined && namespace === undefined)) return [];
    if (asked.namespace !== undefined && namespace !== asked.namespace) return [];
    if (asked.name !== '*' && asked.name !== name) return [];
    if (asked.metricLabels?.(labels) === false) return [];
    if (asked.name === '*' && asked.labels !== undefined && asked.resource === 'pods') {
      const pod = caches.of(pods).get(`${namespace}/${name}`);
      if (pod === undefined || !asked.labels(pod.metadata.labels)) return [];
    }
    return [{ name, namespace, value, atMs, overMs: 0 }];
  });
}

/** An answer serves everybody who asks the same within this time. */
const freshMs = 5_000;

type Query = (source: QuerySource, waiting: Waiting) => Promise<readonly Point[]>;

function createQueries({ ask, clock }: MetricValuesOptions): Query {
  const answers = new Map<string, { readonly atMs: number; readonly points: Promise<readonly Point[]> }>();
  return async (source, waiting) => {
    const { query } = source;
    if (ask === undefined) throw new Error(`${query}: there is no server to ask; name one with --prometheus-url`);
    const nowMs = clock.nowMs();
    for (const [key, { atMs }] of answers) if (atMs < nowMs - freshMs) answers.delete(key);
    const kept = answers.get(query);
    if (kept !== undefined) return kept.points;
    const points = ask(query, waiting).then((answer) => pointsOf(answer, source));
    answers.set(query, { atMs: nowMs, points });
    // What went wrong is no answer for the next.
    points.catch(() => answers.delete(query));
    return points;
  };
}

/** What has to be followed for that, besides the roots whose loads count. */
export const followedTypes: readonly ResourceType[] = [pods, configmaps, horizontalpodautoscalers];
