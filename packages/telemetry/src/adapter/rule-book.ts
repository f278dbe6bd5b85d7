import {
  type Caches,
  type ConfigMap,
  configmaps,
  horizontalpodautoscalers,
  type KubeObject,
  keyOf,
} from '@signalbox/cluster';
import { type MetricRule, parseRules, RuleError } from './rule.ts';

/** A ConfigMap with this label, whatever it says, has rules in each of its values; they hold in its namespace. */
export const rulesLabel = 'signalbox.dev/metric-rules';
/** The same as an annotation of an autoscaler. */
export const rulesAnnotation = 'signalbox.dev/metric-rules';

export interface RuleBook {
  /** The rule about a metric in a namespace: its own before those that hold everywhere. */
  find(metric: string, namespace: string | undefined): MetricRule | undefined;
  /** Every rule that holds somewhere. */
  all(): readonly MetricRule[];
  /** Metrics that some autoscaler follows, with the namespace that it is in. */
  wanted(): readonly Wanted[];
}

export interface Wanted {
  readonly metric: string;
  readonly namespace: string;
}

export interface RuleBookOptions {
  readonly caches: Caches;
  /** Hold everywhere; a later one of the same name takes the place of an earlier one. */
  readonly rules: readonly MetricRule[];
}

/** The rules that stand in an object, each text with where it stands. */
export function ruleTexts({ metadata, ...object }: KubeObject): readonly (readonly [string, string])[] {
  const annotated = metadata.annotations?.[rulesAnnotation];
  const { data = {} } = object as Partial<Pick<ConfigMap, 'data'>>;
  return [
    ...(annotated === undefined ? [] : [[`metadata.annotations[${rulesAnnotation}]`, annotated] as const]),
    ...(metadata.labels?.[rulesLabel] === undefined
      ? []
      : Object.entries(data).map(([key, text]) => [`data[${key}]`, text] as const)),
  ];
}

/** Reads what is in the caches when it is asked; what has been read of an object is kept as long as the object is. */
export function createRuleBook({ caches, rules }: RuleBookOptions): RuleBook {
  const everywhere = new Map(rules.map((rule) => [rule.metric, rule]));
  const read = new WeakMap<KubeObject, readonly MetricRule[]>();
  const rulesOf = (object: KubeObject): readonly MetricRule[] => {
    const found = read.get(object) ?? readRules(object);
    read.set(object, found);
    return found;
  };
  const inOrder = <T extends KubeObject>(objects: readonly T[]): readonly T[] =>
    objects.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const within = (namespace: string): readonly MetricRule[] => [
    ...inOrder(caches.of(configmaps).inNamespace(namespace)).flatMap(rulesOf),
    ...inOrder(caches.of(horizontalpodautoscalers).inNamespace(namespace)).flatMap(rulesOf),
  ];
  return {
    find(metric, namespace) {
      const own = namespace === undefined ? undefined : within(namespace).find((rule) => rule.metric === metric);
      return own ?? everywhere.get(metric);
    },
    all: () => [
      ...everywhere.values(),
      ...[...caches.of(configmaps).values()].flatMap(rulesOf),
      ...[...caches.of(horizontalpodautoscalers).values()].flatMap(rulesOf),
    ],
    wanted: () =>
      [...caches.of(horizontalpodautoscalers).values()].flatMap(({ metadata: { namespace = '' }, spec }) =>
        (spec.metrics ?? []).flatMap(({ pods, object, external }) => {
          const metric = (pods ?? object ?? external)?.metric.name;
          return metric === undefined ? [] : [{ metric, namespace }];
        }),
      ),
  };
}

/** Half of somebody's rules would scale half of what they mean to: who wrote them is told ({@link createRuleTeller}). */
function readRules(object: KubeObject): readonly MetricRule[] {
  try {
    return ruleTexts(object).flatMap(([at, text]) => parseRules(text, at));
  } catch (error) {
    if (error instanceof RuleError) return [];
    throw error;
  }
}
