import { expect, test } from 'vitest';
import { defaultPlugins } from './default-plugins.ts';

/** Filters in this order: the first to reject a node gives the reason. Configuration and messages call them so. */
test('the plugins have upstream’s names, order and weights', () => {
  const told = defaultPlugins.map(({ name, filter, score, rank, weight = 1 }) => {
    const scores = score !== undefined || rank !== undefined;
    return `${name}${filter === undefined ? '' : ' filters'}${scores ? ` scores ×${weight}` : ''}`;
  });
  expect(told).toEqual([
    // Ours: what is not supported here is refused before anything else is asked.
    'UnsupportedDemands',
    'NodeUnschedulable filters',
    'NodeName filters',
    'TaintToleration filters scores ×3',
    'NodeAffinity filters scores ×2',
    'NodePorts filters',
    'NodeResourcesFit filters scores ×1',
    'VolumeRestrictions filters',
    'NodeVolumeLimits filters',
    'VolumeBinding filters',
    'VolumeZone filters',
    'PodTopologySpread filters scores ×2',
    'InterPodAffinity filters scores ×2',
    'NodeResourcesBalancedAllocation scores ×1',
    'ImageLocality scores ×1',
  ]);
});
