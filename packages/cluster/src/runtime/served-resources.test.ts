import { expect, test } from 'vitest';
import { resourceType } from '../api/gvk.ts';
import { distinctResources } from './served-resources.ts';

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
