import { expect, test } from 'vitest';
import { configmaps } from '../api/generated/kinds.ts';
import { resourceType } from '../api/gvk.ts';
import { keyOf } from '../api/meta.ts';
import { createTestCluster } from '../testing/test-cluster.ts';
import { distinctResources, followServed } from './served-resources.ts';

const v1 = resourceType({
  group: 'autoscaling',
  version: 'v1',
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
});
const v2 = resourceType({
  group: 'autoscaling',
  version: 'v2',
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
});
const pods = resourceType({ group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true });

test.each([
  ['the first version stands for the resource', () => false, [v1, pods]],
  ['unless another one is preferred', (type: { readonly version: string }) => type.version === 'v2', [v2, pods]],
  ['of several preferred ones the first is taken', () => true, [v1, pods]],
] as const)('%s', (_, isPreferred, expected) => {
  expect(distinctResources([v1, pods, v2], isPreferred)).toEqual(expected);
});

test('a resource that goes before its first list came holds nobody up, and is followed when it is back', async () => {
  const cluster = await createTestCluster({ nodes: 0 });
  const { signal } = new AbortController();
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
  const schema = { openAPIV3Schema: { type: 'object' } };
  const version = { name: 'v1', served: true, storage: true, schema };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version] },
  };
  const place = { group: 'example.com', version: 'v1', resource: 'widgets' };
  const widgets = resourceType({ ...place, kind: 'Widget', namespaced: true });
  const seen: string[] = [];
  let isFollowing = false;
  let wake = (): void => undefined;
  const following = followServed(cluster.platform, {
    served: {
      resources: () => [configmaps, widgets],
      onChange(given) {
        wake = given;
        return () => undefined;
      },
    },
    wants: () => true,
    handle: (type, { object }) => void seen.push(`${type.kind} ${keyOf(object)}`),
    changed: () => undefined,
    signal,
  }).then((stop) => {
    isFollowing = true;
    return stop;
  });
  await cluster.advance(1_000);
  expect(isFollowing).toBe(true);
  await cluster.apply([definition]);
  wake();
  await cluster.advance(100);
  await cluster.apply([
    { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a', namespace: 'default' } },
  ]);
  await cluster.advance(1_000);
  expect(seen).toContain('Widget default/a');
  (await following)();
  await cluster.close();
});
