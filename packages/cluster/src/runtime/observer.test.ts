import { expect, test } from 'vitest';
import type { ConfigMap, Secret } from '../api/generated/core-v1.ts';
import { configmaps, secrets } from '../api/generated/kinds.ts';
import { createTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { type Controller, mapped, primary } from './controller.ts';
import { createKeyedWork } from './keyed-work.ts';
import { type Cause, observedByAll, type QueueFigures, type RuntimeObserver, watchRuns } from './observer.ts';
import type { Action } from './plan.ts';
import { createControllerRunner } from './runner.ts';

/** The other side of the seam: writes down what it is told. */
function scribe(lines: string[], queues: Map<string, QueueFigures> = new Map()): RuntimeObserver {
  return {
    works(component, queue) {
      queues.set(component, queue);
      lines.push(`${component} works`);
      return () => {
        queues.delete(component);
        lines.push(`${component} stops`);
      };
    },
    ran: ({ component, key, cause, result, startedMs, endedMs }) =>
      void lines.push(
        `${component} ran ${key} (${textOf(cause)}): ${result}${endedMs < startedMs ? ' backwards' : ''}`,
      ),
    acts({ key }, action) {
      lines.push(`${key} begins: ${lineOf(action)}`);
      return (refusal) => void lines.push(`${key} ${refusal === undefined ? 'did' : 'could not'}: ${lineOf(action)}`);
    },
  };
}

function textOf(cause: Cause): string {
  if (cause.by !== 'change') return cause.by;
  return `${cause.type.kind} ${cause.key} ${cause.change}${cause.others > 0 ? ` and ${cause.others} more` : ''}`;
}

function lineOf(action: Action): string {
  return 'object' in action ? `${action.do} ${action.object.kind} ${action.object.metadata.name}` : action.do;
}

/** Makes a Secret for each ConfigMap; `bad` in its data is a name that the API refuses. */
const copier: Controller<{ readonly source: ConfigMap; readonly copy: Secret | undefined }> = {
  name: 'copier',
  watches: [primary(configmaps), mapped(secrets, ({ object }) => [`${object.metadata.namespace}/source`])],
  observe(key, caches) {
    const source = caches.of(configmaps).get(key);
    return source?.data?.['copy'] === undefined ? undefined : { source, copy: caches.of(secrets).get('default/copy') };
  },
  plan({ source, copy }) {
    const name = source.data?.['copy'] ?? '';
    if (copy !== undefined) return { actions: [] };
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name } };
    return { actions: [{ do: 'create', type: secrets, object }], againInMs: 60_000 };
  },
};

async function clusterWith(observer: RuntimeObserver): Promise<TestCluster> {
  const cluster = await createTestCluster({
    nodes: 0,
    components: [(platform) => createControllerRunner(copier, { ...platform, observer })],
  });
  await cluster.advance(100);
  return cluster;
}

const source = (copy: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: source}, data: {copy: "${copy}"}}`;
const ofSource = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => line.includes('default/source'));

test('a run is told with what woke it, and each action before and after', async () => {
  const lines: string[] = [];
  const cluster = await clusterWith(scribe(lines));
  lines.splice(0);
  await cluster.applyYaml(source('copy'));
  await cluster.advance(1_000);
  expect(ofSource(lines)).toEqual([
    'default/source begins: create Secret copy',
    'default/source did: create Secret copy',
    'copier ran default/source (ConfigMap default/source added): succeeded',
    'copier ran default/source (own): succeeded',
  ]);
  lines.splice(0);
  await cluster.advance(60_000);
  expect(ofSource(lines)).toEqual(['copier ran default/source (time): succeeded']);
  await cluster.close();
  expect(lines.at(-1)).toBe('copier stops');
});

test('what fails runs again for the same reason, and the queue shows it', async () => {
  const lines: string[] = [];
  const queues = new Map<string, QueueFigures>();
  const cluster = await clusterWith(scribe(lines, queues));
  lines.splice(0);
  await cluster.applyYaml(source('No Such Name'));
  await cluster.advance(100);
  expect(queues.get('copier')).toMatchObject({ size: 0, oldestMs: undefined, failing: 1 });
  const [, refused, ...runs] = ofSource(lines);
  expect(refused).toBe('default/source could not: create Secret No Such Name');
  const ran = runs.filter((line) => line.startsWith('copier'));
  expect(ran.length).toBeGreaterThan(2);
  expect(new Set(ran)).toEqual(new Set(['copier ran default/source (ConfigMap default/source added): failed']));
  await cluster.close();
});

test('loops that are no controllers tell the same', async () => {
  const lines: string[] = [];
  const cluster = await createTestCluster({
    nodes: 0,
    components: [
      (platform) => {
        const work = createKeyedWork({
          name: 'greeter',
          user: { name: 'greeter', groups: ['system:masters'] },
          platform: { ...platform, observer: observedByAll([scribe(lines), scribe([])]) },
          workers: 1,
          async handle(_key, { perform }) {
            const object = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name: 'hello' } };
            await perform([{ do: 'create', type: secrets, object }]);
            return undefined;
          },
        });
        work.add('world');
        return { name: 'greeter', run: (options) => work.run(options) };
      },
    ],
  });
  await cluster.advance(100);
  expect(lines).toEqual([
    'greeter works',
    'world begins: create Secret hello',
    'world did: create Secret hello',
    'greeter ran world (word): succeeded',
  ]);
  await cluster.close();
});

test('of several changes before a run the first is told, and the others are counted', () => {
  const lines: string[] = [];
  const runs = watchRuns({ component: 'copier', clock: createVirtualClock({ startMs: 0 }), observer: scribe(lines) });
  const change = (key: string): Cause => ({
    by: 'change',
    change: 'updated',
    type: configmaps,
    key,
    version: `of ${key}`,
    others: 0,
  });
  for (const key of ['a/first', 'a/second', 'a/third']) runs.wakes('a/own', change(key));
  runs.wakes('a/own', { by: 'word' });
  runs.begins('a/own').ended('outrun');
  runs.begins('a/own').ended('succeeded');
  runs.begins('a/own').ended('succeeded');
  expect(lines).toEqual([
    'copier ran a/own (ConfigMap a/first updated and 2 more): outrun',
    'copier ran a/own (ConfigMap a/first updated and 2 more): succeeded',
    'copier ran a/own (time): succeeded',
  ]);
});

test('what a run wrote itself is no reason to run again where there is another', () => {
  const lines: string[] = [];
  const runs = watchRuns({ component: 'copier', clock: createVirtualClock({ startMs: 0 }), observer: scribe(lines) });
  const change = (key: string, version: string): Cause => ({
    by: 'change',
    change: 'updated',
    type: secrets,
    key,
    version,
    others: 0,
  });
  const written = { kind: 'version', type: secrets, namespace: 'a', resourceVersion: '7' } as const;
  const first = runs.begins('a/own');
  runs.wakes('a/own', change('a/copy', '7'));
  runs.wakes('a/own', change('a/other', '8'));
  first.wrote([written]);
  first.ended('succeeded');
  const second = runs.begins('a/own');
  runs.wakes('a/own', change('a/copy', '7'));
  second.wrote([written]);
  second.ended('succeeded');
  runs.begins('a/own').ended('succeeded');
  expect(lines).toEqual([
    'copier ran a/own (time): succeeded',
    'copier ran a/own (Secret a/other updated): succeeded',
    'copier ran a/own (own): succeeded',
  ]);
});
