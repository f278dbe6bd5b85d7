import { type CustomResourceDefinition, customresourcedefinitions } from '@signalbox/cluster';
import { createTestCluster } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import { bareDefinitions } from './bare-crds.ts';
import { customResourceDefinitions } from './crds.ts';

const { signal } = new AbortController();

test('definitions of an older release are brought up to date once, and then let be', async () => {
  const cluster = await createTestCluster({ nodes: 0, manifests: bareDefinitions() });
  const definitions = async (): Promise<readonly CustomResourceDefinition[]> => {
    const { items } = await cluster.during(cluster.client.list(customresourcedefinitions, { signal }));
    return items;
  };
  const generations = async (): Promise<readonly (number | undefined)[]> =>
    (await definitions()).map(({ metadata }) => metadata.generation);
  expect(new Set(await generations())).toEqual(new Set([1]));

  await cluster.during(cluster.apply(customResourceDefinitions()));
  expect(new Set(await generations())).toEqual(new Set([2]));
  const updated = await definitions();
  const [schema] = updated.flatMap(({ spec }) => spec.versions.map((version) => version.schema?.openAPIV3Schema));
  expect(schema?.description).toMatch(/^A GrafanaAgent runs agents/);

  await cluster.during(cluster.apply(customResourceDefinitions()));
  expect(await definitions()).toEqual(updated);
  await cluster.close();
});
