/** An installation of the Agent Operator is taken over, step by step as docs/migrating.md has it, and given back. */
import { readFileSync } from 'node:fs';
import {
  createSupervisor,
  daemonsets,
  type KubeObject,
  type New,
  pods,
  type ResourceType,
  secrets,
  services,
  statefulsets,
} from '@signalbox/cluster';
import { createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { dump } from 'js-yaml';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultComponents } from './components.ts';
import { createTelemetryOperator } from './operator/operator.ts';
import { configsOf, renderManifests } from './operator/render.ts';
import { type PlannedChanges, planChanges } from './preview/plan-changes.ts';
import { customResourceDefinitions } from './resources/crds.ts';
import { grafanaagents } from './resources/grafana-agent.ts';
import { parseYaml } from './scrape/yaml.ts';
import { freshManifests, objectsOf } from './testing/world.ts';

const folder = new URL('testdata/left-by-agent-operator/', import.meta.url);
const declaredText = readFileSync(new URL('declared.yaml', folder), 'utf8');
const { signal } = new AbortController();
const components = defaultComponents();
let cluster: TestCluster;
beforeEach(async () => {
  cluster = await createTestCluster({ manifests: customResourceDefinitions() });
});
afterEach(() => cluster.close());

/** What the old operator makes of what is declared: as it sorts, fields by name. */
async function madeByOld(): Promise<readonly New<KubeObject>[]> {
  const { metadata } = await cluster.client.get(grafanaagents, { namespace: 'monitoring', name: 'agent', signal });
  const configs = new Map(
    renderManifests(objectsOf(declaredText), { components, nowMs: 0 })
      .objects.flatMap((object) => configsOf(object))
      .map(([name, text]) => [name, JSON.stringify(dump(parseYaml(text), { sortKeys: true }))]),
  );
  const text = readFileSync(new URL('made.yaml', folder), 'utf8')
    .replaceAll('OWNER', metadata.uid)
    .replace('METRICS', () => configs.get('monitoring/agent-config/agent.yml') ?? '')
    .replace('LOGS', () => configs.get('monitoring/agent-logs-config/agent.yml') ?? '');
  return freshManifests(text);
}

/** The old operator at work: whatever it finds, it writes what it wants over it. */
async function oldOperatorWrites(): Promise<void> {
  await cluster.apply(await madeByOld());
  await cluster.advance(60_000);
}

async function everything(): Promise<readonly KubeObject[]> {
  const types = [...new Set(components.flatMap(({ rootType, reads, owns }) => [rootType, ...reads, ...owns]))];
  const found: KubeObject[] = [];
  for (const type of types) found.push(...(await cluster.client.list(type, { signal })).items);
  return found;
}

const diffNow = async (): Promise<PlannedChanges> => {
  const objects = await everything();
  return planChanges(objects, objects, { components, nowMs: cluster.clock.nowMs() });
};

/** Who runs, since when. */
async function podsNow(): Promise<readonly string[]> {
  const { items } = await cluster.client.list(pods, { namespace: 'monitoring', signal });
  return items.map(({ metadata, status }) => `${metadata.name} ${metadata.uid} ${status?.phase}`).sort();
}

async function whileOperated(work: () => Promise<void>): Promise<void> {
  const life = new AbortController();
  const operator = createSupervisor(
    [(platform) => createTelemetryOperator(platform, { components })],
    cluster.platform,
  );
  const ended = operator.run({ signal: life.signal });
  try {
    await work();
  } finally {
    life.abort();
    await cluster.during(ended.catch(() => undefined));
  }
}

test('no pod restarts on the way there, nor on the way back, and nothing is lost', async () => {
  await cluster.apply(freshManifests(declaredText));
  await oldOperatorWrites();
  const before = await podsNow();
  expect(before).toHaveLength(2 + 3);
  expect(before.every((line) => line.endsWith(' Running'))).toBe(true);

  const changes = await diffNow();
  expect(changes.workloads).toEqual([]);
  expect(changes.objects.filter(({ change }) => change !== 'changed')).toEqual([]);
  expect(changes.findings).toEqual([]);
  // The old operator orders fields by name; what they say is the same.
  expect(changes.configurations.map(({ name, isSorted, hunks }) => ({ name, isSorted, hunks }))).toEqual(
    ['agent-config', 'agent-logs-config'].map((name) => ({
      name: `monitoring/${name}/agent.yml`,
      isSorted: true,
      hunks: [],
    })),
  );

  await whileOperated(async () => {
    await cluster.advance(10 * 60_000);
    expect(await podsNow()).toEqual(before);
    // It is as was foretold, and there is no more to do.
    expect((await diffNow()).objects).toEqual([]);
    // It works: an edit comes through.
    const body = { spec: { metrics: { externalLabels: { cluster: 'here' } } } };
    await cluster.client.patch(grafanaagents, {
      namespace: 'monitoring',
      name: 'agent',
      patchType: 'merge',
      body,
      signal,
    });
    await cluster.advance(5_000);
    const { data } = await cluster.client.get(secrets, { namespace: 'monitoring', name: 'agent-config', signal });
    expect(Buffer.from(data?.['agent.yml'] ?? '', 'base64').toString()).toContain('cluster: here');
    expect(await podsNow()).toEqual(before);
    // What the old one renders knows nothing of that edit.
    const undo = { spec: { metrics: { externalLabels: { cluster: 'cloud' } } } };
    await cluster.client.patch(grafanaagents, {
      namespace: 'monitoring',
      name: 'agent',
      patchType: 'merge',
      body: undo,
      signal,
    });
    await cluster.advance(5_000);
  });

  await oldOperatorWrites();
  expect(await podsNow()).toEqual(before);
  const made: readonly (readonly [ResourceType, readonly string[]])[] = [
    [statefulsets, ['agent', 'agent-shard-1']],
    [daemonsets, ['agent-logs']],
    [services, ['agent-operated']],
    [secrets, ['agent-config', 'agent-logs-config', 'agent-secrets', 'primary-credentials']],
  ];
  for (const [type, names] of made) {
    const { items } = await cluster.client.list(type, { namespace: 'monitoring', signal });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
  }

  await whileOperated(async () => {
    await cluster.advance(60_000);
    expect(await podsNow()).toEqual(before);
  });
});

test('an image that is not pinned is named as what restarts the pods', async () => {
  await cluster.apply(freshManifests(declaredText.replace('  version: v0.44.2\n', '')));
  await oldOperatorWrites();
  const { workloads } = await diffNow();
  expect(workloads.map(({ workload, effect, because }) => [workload.name, effect, because])).toEqual(
    ['agent-logs', 'agent', 'agent-shard-1'].map((name) => [
      name,
      'restarts',
      [
        'spec.template.metadata.labels[app.kubernetes.io/version]',
        'spec.template.spec.containers[grafana-agent].image',
      ],
    ]),
  );
});
