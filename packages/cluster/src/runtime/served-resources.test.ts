import { expect, test } from 'vitest';
import { resourceType } from '../api/gvk.ts';
import { distinctResources } from './served-resources.ts';

const v1 = resourceType('autoscaling', 'v1', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', true);
const v2 = resourceType('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', true);
const pods = resourceType('', 'v1', 'pods', 'Pod', true);

test.each([
  ['the first version stands for the resource', () => false, [v1, pods]],
  ['unless another one is preferred', (type: { readonly version: string }) => type.version === 'v2', [v2, pods]],
  ['of several preferred ones the first is taken', () => true, [v1, pods]],
] as const)('%s', (_, isPreferred, expected) => {
  expect(distinctResources([v1, pods, v2], isPreferred)).toEqual(expected);
});
