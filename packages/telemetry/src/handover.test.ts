import { gunzipSync } from 'node:zlib';
import { type Action, type KubeObject, keyOf, type Plan, type Secret, type StatefulSet } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import type { RootComponent } from './operator/component.ts';
import { planRoot, type RootMemory } from './operator/operator.ts';
import { foretell } from './preview/foretell.ts';
import { executeRelabelling } from './relabel/execute.ts';
import type { RelabelRule } from './relabel/rule.ts';
import type { Condition } from './resources/condition.ts';
import { createGrafanaAgentComponent } from './roots/grafana-agent/component.ts';
import { createPrometheusComponent } from './roots/prometheus/prometheus.ts';
import { createPrometheusAgentComponent } from './roots/prometheus/prometheus-agent.ts';
import { parseYaml } from './scrape/yaml.ts';
import { type AgentAnswers, type AgentQuestion, noAnswers } from './sharding/agents.ts';
import type { SlotLoads } from './sharding/mapping.ts';
import { stateAnnotation } from './sharding/state-text.ts';
import { applied, find, line, runOnce } from './testing/settle.ts';
import { objectsOf } from './testing/world.ts';
import { worldOf } from './world/world.ts';

/*
 * Hand-overs as the operator does them: action by action, with an operator that may die after each of them. At every moment
 * each target has a ready shard that scrapes it by the configuration that stands and by the one before.
 */
const monitor = `
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: web, namespace: shop }
spec: { selector: {}, endpoints: [{ port: web, interval: 10s }] }
`;

interface Case {
  readonly component: RootComponent<never>;
  readonly kind: string;
  readonly config: string;
  readonly manifests: string;
  scaled(root: KubeObject, shards: number): KubeObject;
}

const spec = (root: KubeObject): object => (root as { readonly spec?: object }).spec ?? {};

function prometheus(kind: 'Prometheus' | 'PrometheusAgent', annotation: string, more = ''): Case {
  const isServer = kind === 'Prometheus';
  return {
    component: (isServer ? createPrometheusComponent() : createPrometheusAgentComponent()) as RootComponent<never>,
    kind,
    config: isServer ? 'shop/prometheus-main' : 'shop/prom-agent-main',
    manifests: `
apiVersion: monitoring.coreos.com/${isServer ? 'v1' : 'v1alpha1'}
kind: ${kind}
metadata: { name: main, namespace: shop, annotations: { ${annotation} } }
spec: { shards: 2, serviceMonitorSelector: {}, scrapeInterval: 10s ${more} }
---${monitor}`,
    scaled: (root, shards) => ({ ...root, spec: { ...spec(root), shards } }) as KubeObject,
  };
}

const grafanaAgent: Case = {
  component: createGrafanaAgentComponent() as RootComponent<never>,
  kind: 'GrafanaAgent',
  config: 'shop/main-config',
  manifests: `
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: main, namespace: shop, annotations: { signalbox.dev/sharding: slots } }
spec: { metrics: { shards: 2, scrapeInterval: 10s, instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: main, namespace: shop }
spec: { serviceMonitorSelector: {} }
---${monitor}`,
  scaled: (root, shards) =>
    ({
      ...root,
      spec: { ...spec(root), metrics: { ...(spec(root) as { metrics?: object }).metrics, shards } },
    }) as KubeObject,
};

const slots = 'signalbox.dev/sharding: slots';
const cases: readonly (readonly [string, Case])[] = [
  ['a Prometheus', prometheus('Prometheus', slots)],
  [
    'a Prometheus that keeps its shards',
    prometheus('Prometheus', slots, ', shardRetentionPolicy: { whenScaled: Retain }'),
  ],
  ['a Prometheus by hashmod', prometheus('Prometheus', 'signalbox.dev/handover: "true"')],
  ['a PrometheusAgent', prometheus('PrometheusAgent', slots)],
  ['a GrafanaAgent', grafanaAgent],
];

/** Pods are ready as soon as there are any. */
function ready(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.map((each) =>
    each.kind === 'StatefulSet'
      ? ({ ...each, status: { availableReplicas: 1, readyReplicas: 1 } } as KubeObject)
      : each,
  );
}

/** The rules of the only job, as they stand in the configuration. */
function rulesIn(objects: readonly KubeObject[], config: string): string {
  const secret = objects.find((each) => each.kind === 'Secret' && keyOf(each) === config) as Secret | undefined;
  const [data = ''] = Object.values(secret?.data ?? {});
  const rules = rulesByData.get(data) ?? rulesOf(data);
  rulesByData.set(data, rules);
  return rules;
}

const rulesByData = new Map<string, string>();

function rulesOf(data: string): string {
  const bytes = Buffer.from(data, 'base64');
  const file = parseYaml((bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8')) as {
    readonly scrape_configs?: readonly Job[];
    readonly metrics?: { readonly configs: readonly { readonly scrape_configs: readonly Job[] }[] };
  };
  return JSON.stringify((file.scrape_configs ?? file.metrics?.configs[0]?.scrape_configs ?? [])[0]?.relabel_configs);
}

interface Job {
  readonly relabel_configs: readonly RelabelRule[];
}

const targets = Array.from({ length: 25 }, (_, index) => ({
  __address__: `10.0.0.${index}:80`,
  __meta_kubernetes_endpoint_port_name: 'web',
}));

/** The shards that scrape each target. */
function scrapers(rules: string): readonly ReadonlySet<number>[] {
  const known = remembered.get(rules);
  if (known !== undefined) return known;
  const own = [0, 1, 2, 3].map(
    (shard) => Object.freeze(JSON.parse(rules.replaceAll('$(SHARD)', String(shard)))) as readonly RelabelRule[],
  );
  const found = targets.map(
    (target) => new Set(own.flatMap((each, shard) => (executeRelabelling(target, each) === undefined ? [] : [shard]))),
  );
  remembered.set(rules, found);
  return found;
}

const remembered = new Map<string, readonly ReadonlySet<number>[]>();

/** Shards whose pods are ready. */
function running(objects: readonly KubeObject[]): ReadonlySet<number> {
  const sets = objects.filter((each): each is StatefulSet => each.kind === 'StatefulSet');
  return new Set(
    sets
      .filter(({ status }) => (status?.availableReplicas ?? 0) > 0)
      .map(({ metadata }) => Number(/-shard-(\d+)$/.exec(metadata.name)?.[1] ?? 0)),
  );
}

interface Now {
  readonly nowMs: number;
  readonly answers?: AgentAnswers;
  readonly loads?: SlotLoads | undefined;
}

function planned(
  objects: readonly KubeObject[],
  component: RootComponent<never>,
  { nowMs, answers = noAnswers, loads }: Now,
): Plan<RootMemory> {
  const world = worldOf(objects);
  const [root] = world.list(component.rootType);
  if (root === undefined) throw new Error('there is no root');
  return planRoot(component, { root, world, hasStatusDoor: true, answers, loads }, { nowMs, memory: undefined });
}

class Story {
  objects: readonly KubeObject[];
  nowMs = 0;
  answers: AgentAnswers = noAnswers;
  loads: SlotLoads | undefined;
  writes = 0;
  readonly events: string[] = [];
  readonly deleted: string[] = [];
  private readonly told: Case;
  private before: string;
  private current: string;

  constructor(told: Case) {
    this.told = told;
    this.objects = objectsOf(told.manifests);
    for (let round = 0; round < 4; round++) this.objects = ready(runOnce(this.objects, told.component, {}).objects);
    this.current = rulesIn(this.objects, told.config);
    this.before = this.current;
  }

  scale(shards: number): void {
    const { kind, scaled } = this.told;
    this.objects = this.objects.map((each) => (each.kind === kind ? scaled(each, shards) : each));
  }

  /** Plans whenever there may be something to do, for so long; the operator dies after so many writes, and begins anew. */
  run(forMs: number, diesAfter = Number.POSITIVE_INFINITY): void {
    const untilMs = this.nowMs + forMs;
    while (this.nowMs < untilMs) {
      const { actions, againInMs = forMs } = planned(this.objects, this.told.component, this);
      for (const action of actions) {
        this.act(action);
        this.writes++;
        if (this.writes === diesAfter) break;
      }
      this.objects = ready(this.objects);
      // What was written wakes the root at once.
      // Looks that nothing can come of are left out.
      if (actions.length === 0) this.nowMs = Math.min(untilMs, this.nowMs + Math.max(againInMs, 30_000));
    }
  }

  private act(action: Action): void {
    if (action.do === 'emit') this.events.push(line(action));
    if (action.do === 'delete') this.deleted.push(action.target.metadata.name);
    this.objects = applied(this.objects, action);
    const rules = rulesIn(this.objects, this.told.config);
    if (rules !== this.current) [this.before, this.current] = [this.current, rules];
    const alive = running(this.objects);
    const [now, last] = [scrapers(this.current), scrapers(this.before)];
    for (const index of targets.keys()) {
      const both = [...(now[index] ?? [])].filter((shard) => last[index]?.has(shard) === true && alive.has(shard));
      expect(both.length, `scrapers of target ${index} after ${line(action)}`).toBeGreaterThan(0);
    }
  }

  /** How many targets have how many scrapers. */
  spread(): readonly number[] {
    return [...new Set(scrapers(this.current).map((each) => each.size))];
  }

  condition(): string | undefined {
    const { status } = find(this.objects, this.told.kind, 'shop/main') as unknown as {
      readonly status?: { readonly conditions: readonly Condition[] };
    };
    const found = status?.conditions.find(({ type }) => type === 'Resharding');
    return found && `${found.reason}: ${found.message}`;
  }
}

const longMs = 300_000;

test.each(cases)('%s hands its targets over, up and down, whenever the operator dies', (_, told) => {
  const story = (diesAfter?: number): Story => {
    const made = new Story(told);
    made.scale(3);
    made.run(longMs, diesAfter);
    made.scale(1);
    made.run(longMs, diesAfter);
    return made;
  };
  const whole = story();
  expect(whole.spread()).toEqual([1]);
  expect(whole.writes).toBeGreaterThan(12);
  for (let diesAfter = 1; diesAfter < whole.writes; diesAfter++) {
    const interrupted = story(diesAfter);
    const rules = rulesIn(interrupted.objects, told.config);
    expect(rules, `died after ${diesAfter} writes`).toBe(rulesIn(whole.objects, told.config));
    expect(interrupted.deleted).toEqual(whole.deleted);
  }
});

/** Every third slot has nothing, and one in forty a hundred times as much. */
const uneven = Array.from({ length: 512 }, (_, slot) => (slot % 3 === 0 ? 0 : slot % 40 === 1 ? 100 : 1));

test('hot slots move whenever the operator dies; another number of shards goes by what is remembered, as a plan tells', () => {
  const told = prometheus('Prometheus', slots);
  const story = (diesAfter?: number): Story => {
    const made = new Story(told);
    made.loads = uneven;
    made.run(2 * longMs, diesAfter);
    made.loads = undefined;
    made.run(longMs, diesAfter);
    return made;
  };
  const whole = story();
  const stateOf = (objects: readonly KubeObject[]) =>
    find(objects, 'Secret', told.config).metadata.annotations?.[stateAnnotation];
  const ways = whole.events.map((each) =>
    each.replace(/^.*?emit (\w+) .*shop\/main: /, '$1: ').replace(/: [^:]*$/, ''),
  );
  expect(ways.slice(0, 4)).toEqual([
    'Rebalancing: hot slots move between 2 shards, 20 of 512: the fullest has 72% more than the mean, then 5%',
    'Rebalancing: hot slots move between 2 shards, 20 of 512: the fullest has 72% more than the mean, then 5%',
    'Rebalancing: hot slots move between 2 shards, 20 of 512: the fullest has 72% more than the mean, then 5%',
    'Rebalanced: hot slots move between 2 shards, 20 of 512',
  ]);
  expect(ways).toHaveLength(4);
  for (let diesAfter = 1; diesAfter < whole.writes; diesAfter++)
    expect(stateOf(story(diesAfter).objects), `died after ${diesAfter} writes`).toBe(stateOf(whole.objects));
  whole.scale(3);
  const foretold = foretell(whole.objects, { components: [told.component], nowMs: whole.nowMs });
  whole.run(longMs);
  expect(stateOf(whole.objects)).toMatch(/^v1 shards=3 .* weights=512:/);
  expect(stateOf(foretold.objects)).toBe(stateOf(whole.objects));
});

test('what is asked for during a hand-over comes after it; condition and events tell what goes on', () => {
  const story = new Story(prometheus('Prometheus', slots));
  story.scale(3);
  story.run(20_000);
  expect(story.condition()).toBe(
    'HandingOver: from 2 to 3 shards, 171 of 512 slots move: targets that move are scraped by their old and their new shard until the new one has them',
  );
  expect([...story.spread()].sort((a, b) => a - b)).toEqual([1, 2]);
  story.scale(2);
  story.run(20_000);
  expect(story.condition()).toContain('from 2 to 3 shards');
  story.run(2 * longMs);
  expect(story.condition()).toBeUndefined();
  expect(story.deleted).toEqual(['prometheus-main-shard-2']);
  expect(story.events.map((each) => each.replace(/^.*shop\/main: /, '').replace(/(move|shards): .*/, '$1'))).toEqual([
    'from 2 to 3 shards, 171 of 512 slots move',
    'from 2 to 3 shards, 171 of 512 slots move',
    'from 2 to 3 shards, 171 of 512 slots move',
    'from 2 to 3 shards, 171 of 512 slots move',
    'from 3 to 2 shards, 171 of 512 slots move',
    'from 3 to 2 shards, 171 of 512 slots move',
    'from 3 to 2 shards, 171 of 512 slots move',
    'from 3 to 2 shards, 171 of 512 slots move',
  ]);
});

test('agents that can be asked end the wait as soon as they have their targets', () => {
  const story = new Story(grafanaAgent);
  const asked = (): readonly AgentQuestion[] =>
    planned(story.objects, grafanaAgent.component, story).memory?.asks?.questions ?? [];
  const say = (unscraped: number): void => {
    const { nowMs } = story;
    story.answers = {
      of: () => ({ askedMs: nowMs, loadedMs: nowMs - 6_000, refuses: false, unscraped, held: undefined }),
    };
  };
  story.scale(3);
  story.run(10_000);
  expect(asked().map(({ pod, port }) => `${pod}:${port}`)).toEqual([
    'main-0:8080',
    'main-shard-1-0:8080',
    'main-shard-2-0:8080',
  ]);
  say(1);
  story.run(longMs);
  expect(story.condition()).toMatch(/^HandingOver/);
  say(0);
  story.run(1_000);
  expect(story.condition()).toMatch(/^LettingGo/);
  story.nowMs += 10_000;
  say(0);
  story.run(1_000);
  expect(story.condition()).toBeUndefined();
  expect(asked()).toEqual([]);
});

test('a Prometheus that shares by hashmod remembers nothing; with slots it begins where hashmod has put everything', () => {
  const story = new Story(prometheus('Prometheus', 'x: y'));
  const annotations = () => find(story.objects, 'Secret', 'shop/prometheus-main').metadata.annotations ?? {};
  const before = scrapers(rulesIn(story.objects, 'shop/prometheus-main'));
  expect(annotations()).toEqual({});
  story.objects = story.objects.map((each) =>
    each.kind === 'Prometheus'
      ? { ...each, metadata: { ...each.metadata, annotations: { 'signalbox.dev/sharding': 'slots' } } }
      : each,
  );
  story.run(longMs);
  expect(annotations()[stateAnnotation]).toMatch(/^v1 shards=2 owners=512:/);
  expect(scrapers(rulesIn(story.objects, 'shop/prometheus-main'))).toEqual(before);
  story.objects = story.objects.map((each) =>
    each.kind === 'Prometheus' ? { ...each, metadata: { ...each.metadata, annotations: {} } } : each,
  );
  story.run(longMs);
  expect(annotations()).toEqual({});
});
