/** How much a start and a rollout write, and how often they wait for the disk: what makes them slow without failing anything. */
import { expect, test } from 'vitest';
import { createMemoryBackend } from '../store/backends/memory.ts';
import type { Backend, BackendBatch } from '../store/store.ts';
import { createTestCluster } from '../testing/test-cluster.ts';

/** Counts what is written; a batch is one wait for the disk. */
function counting(): { readonly backend: Backend; taken(): Work } {
  const backend = createMemoryBackend();
  let batches: BackendBatch[] = [];
  return {
    backend: {
      ...backend,
      write(batch) {
        batches.push(batch);
        return backend.write(batch);
      },
    },
    taken() {
      const puts = batches.flatMap((batch) => batch.puts);
      const work = { writes: puts.length, waits: batches.length, keys: puts.map(({ key }) => key) };
      batches = [];
      return work;
    },
  };
}

interface Work {
  readonly writes: number;
  readonly waits: number;
  readonly keys: readonly string[];
}

/** How often something of each kind was written. */
function byResource({ keys }: Work): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const key of keys) {
    const [, group, resource] = key.split('/');
    const name = `${group}/${resource}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const definition = (name: string): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${name}s.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: `${name}s`, kind: name[0]?.toUpperCase() + name.slice(1) },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

test('a start writes what a cluster begins with, and waits for the disk once for all definitions', async () => {
  const bare = counting();
  await (await createTestCluster({ nodes: 3, backend: bare.backend })).close();
  const without = bare.taken();
  // The built-in roles are missing: they come behind the first answer.
  expect(byResource(without)).toEqual({
    'core/namespaces': 4,
    'core/nodes': 9,
    'core/serviceaccounts': 4,
    'core/services': 1,
    'coordination.k8s.io/leases': 3,
    'scheduling.k8s.io/priorityclasses': 2,
    'storage.k8s.io/storageclasses': 1,
  });

  const names = Array.from({ length: 10 }, (_, index) => `thing${String.fromCharCode(97 + index)}`);
  const manifests = names.map((name) => JSON.stringify(definition(name))).join('\n---\n');
  const full = counting();
  await (await createTestCluster({ nodes: 3, backend: full.backend, manifests })).close();
  const having = full.taken();
  expect(having.writes - without.writes).toBeLessThanOrEqual(2 * names.length);
  expect(having.waits - without.waits).toBeLessThanOrEqual(2);
});

test('of a rollout each pod is written three times, and told of four times', async () => {
  const nodes = 40;
  const { backend, taken } = counting();
  const cluster = await createTestCluster({ nodes, backend });
  await cluster.advance(2_000);
  taken();
  await cluster.applyYaml(`
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: collector }
spec:
  selector: { matchLabels: { app: collector } }
  template:
    metadata: { labels: { app: collector } }
    spec: { containers: [{ name: collector, image: example/collector:1 }] }
`);
  await cluster.advance(5_000);
  const { keys } = taken();
  const about = (part: string): number => keys.filter((key) => key.includes(part)).length;
  expect(about('/pods/')).toBe(3 * nodes);
  expect(about('/events/')).toBeLessThanOrEqual(4 * nodes + 30);
  expect(keys.length - about('/pods/') - about('/events/')).toBeLessThanOrEqual(2 * nodes);
  expect(cluster.problems).toEqual([]);
  await cluster.close();
});
