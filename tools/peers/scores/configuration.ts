/** What both schedulers are told where their points are compared: profiles whose arguments change what nodes are worth. */

export const packing = 'packing';
export const curved = 'curved';

const resources = (...weights: readonly (readonly [string, number])[]) =>
  weights.map(([name, weight]) => ({ name, weight }));
const softly = { whenUnsatisfiable: 'ScheduleAnyway' };
const onRack = { matchExpressions: [{ key: 'rack', operator: 'In', values: ['1'] }] };

/** Without its head. */
export const configuration: object = {
  profiles: [
    { schedulerName: 'default-scheduler' },
    {
      schedulerName: packing,
      pluginConfig: [
        args('NodeResourcesFit', {
          scoringStrategy: {
            type: 'MostAllocated',
            resources: resources(['cpu', 3], ['memory', 1], ['example.com/gpu', 5]),
          },
        }),
        args('NodeResourcesBalancedAllocation', {
          resources: resources(['cpu', 1], ['memory', 1], ['example.com/gpu', 1]),
        }),
        args('NodeAffinity', {
          addedAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 4, preference: onRack }] },
        }),
        args('InterPodAffinity', { hardPodAffinityWeight: 40 }),
        args('PodTopologySpread', {
          defaultingType: 'List',
          defaultConstraints: [
            { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', ...softly },
            { maxSkew: 2, topologyKey: 'rack', ...softly },
          ],
        }),
      ],
    },
    {
      schedulerName: curved,
      plugins: { multiPoint: { enabled: [{ name: 'ImageLocality', weight: 7 }] } },
      pluginConfig: [
        args('NodeResourcesFit', {
          scoringStrategy: {
            type: 'RequestedToCapacityRatio',
            resources: resources(['cpu', 2], ['example.com/gpu', 3]),
            requestedToCapacityRatio: {
              // Up and down again.
              shape: [
                { utilization: 0, score: 0 },
                { utilization: 40, score: 8 },
                { utilization: 100, score: 3 },
              ],
            },
          },
        }),
        args('InterPodAffinity', { ignorePreferredTermsOfExistingPods: true, hardPodAffinityWeight: 0 }),
      ],
    },
  ],
};

function args(name: string, values: object): { readonly name: string; readonly args: object } {
  return { name, args: values };
}
