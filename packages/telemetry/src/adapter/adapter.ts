import {
  type Component,
  type CreateComponent,
  createClient,
  type Identity,
  type LocalApi,
  type Platform,
  type PolicyRule,
  serviceAccount,
  sleep,
  type User,
} from '@signalbox/cluster';
import { type Answering, metricApis } from './apis.ts';
import { createCollector, type PageRule } from './collector.ts';
import { defaultRules } from './default-rules.ts';
import { loadedTypes } from './load.ts';
import { proxiedPages, type ReadPage } from './pages.ts';
import type { AskPrometheus } from './query.ts';
import type { MetricRule } from './rule.ts';
import { createRuleBook, type RuleBook } from './rule-book.ts';
import { createRuleTeller } from './rule-teller.ts';
import { createMetricValues, followedTypes } from './values.ts';

export interface MetricsAdapterOptions {
  /** Hold everywhere, besides those of the samples that agents take in and answer. */
  readonly rules?: readonly MetricRule[];
  /** How a pod's page is read; the default is by way of the API server. */
  readonly read?: ReadPage;
  /** Who answers rules that are queries; undefined: they are refused. */
  readonly ask?: AskPrometheus;
  /** Between two readings of a page. */
  readonly intervalMs?: number;
  /** Whether loads that are written on roots count; their definitions have to be there then. The default is yes. */
  readonly followsRoots?: boolean;
  /** Whom it acts as; the default is {@link adapterIdentity}'s. */
  readonly user?: User;
}

/**
 * Answers `custom.metrics.k8s.io` and `external.metrics.k8s.io` from what agents say of themselves, and from a
 * Prometheus-compatible server. The APIs answer 503 until the parts run.
 */
export interface MetricsAdapter {
  readonly apis: readonly LocalApi[];
  readonly parts: readonly CreateComponent[];
}

/** What is asked for by nobody's autoscaler is measured for so long after. */
const wantedMs = 600_000;
const intervalMsDefault = 15_000;

/** Who the adapter acts as in a cluster that it is a part of, and what it may do there besides reading. */
export const adapterIdentity: Identity = {
  user: serviceAccount('kube-system', 'signalbox-adapter'),
  role: 'signalbox:adapter',
  rules: [
    { apiGroups: [''], resources: ['pods/proxy'], verbs: ['get'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ],
};

/** What it has to be allowed on a cluster that it is no part of, where loads that are written on roots do not count. */
export const adapterRights: readonly PolicyRule[] = [
  ...followedTypes.map(({ group, resource }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs: ['list', 'watch'],
  })),
  ...adapterIdentity.rules,
];

export function createMetricsAdapter(options: MetricsAdapterOptions = {}): MetricsAdapter {
  let answering: Answering | undefined;
  const user = options.user ?? adapterIdentity.user;
  return {
    apis: metricApis(() => answering),
    parts: [
      (platform) =>
        createAdapter(platform, {
          ...options,
          user,
          become: (now) => {
            answering = now;
          },
        }),
      (platform) => createRuleTeller(platform, user),
    ],
  };
}

interface AdapterOptions extends MetricsAdapterOptions {
  readonly user: User;
  become(now: Answering | undefined): void;
}

function createAdapter(platform: Platform, options: AdapterOptions): Component {
  const name = 'metrics-adapter';
  const { informers, clock, transport } = platform;
  const client = createClient(transport, options.user);
  return {
    name,
    async run({ signal }) {
      const { followsRoots = true } = options;
      await informers.sync([...followedTypes, ...(followsRoots ? loadedTypes : [])], { signal });
      const book = createRuleBook({ caches: informers, rules: [...defaultRules, ...(options.rules ?? [])] });
      const report = (message: string, error: unknown): void => platform.report({ component: name, message, error });
      const read = options.read ?? proxiedPages(client);
      const collector = createCollector({ caches: informers, read, clock, report });
      const wants = createWants(book, () => clock.nowMs());
      const collect = (): Promise<void> => collector.collect(wants.rules(), { signal });
      const values = createMetricValues({
        ...{ caches: informers, clock, book, collector, ask: options.ask },
        async wanted(metric, namespace) {
          if (wants.ask(metric, namespace)) await collect();
        },
      });
      options.become({ values, rules: () => book.all() });
      try {
        for (;;) {
          await collect();
          await sleep(clock, options.intervalMs ?? intervalMsDefault, { signal });
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        options.become(undefined);
      }
    },
  };
}

interface Wants {
  /** Whether nobody wanted it before. */
  ask(metric: string, namespace: string | undefined): boolean;
  rules(): readonly PageRule[];
}

function createWants(book: RuleBook, nowMs: () => number): Wants {
  const asked = new Map<
    string,
    { readonly metric: string; readonly namespace: string | undefined; readonly atMs: number }
  >();
  const rules = (): readonly PageRule[] => {
    for (const [key, { atMs }] of asked) if (atMs < nowMs() - wantedMs) asked.delete(key);
    const found = [...book.wanted(), ...asked.values()].map(({ metric, namespace }) => book.find(metric, namespace));
    return [...new Set(found)].filter((rule): rule is PageRule => rule?.from.is === 'page');
  };
  return {
    ask(metric, namespace) {
      const before = new Set(rules());
      asked.set(`${namespace} ${metric}`, { metric, namespace, atMs: nowMs() });
      return rules().some((rule) => !before.has(rule));
    },
    rules,
  };
}
