/** What a profile may say of single plugins, and where it says what is wrong. */
import { expect, test } from 'vitest';
import { defaultArgs } from '../default-plugins.ts';
import type { Profile } from '../profile.ts';
import { schedulerOptions } from './configuration.ts';
import { argsOf } from './plugin-args.ts';

const head = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };
const evenly = { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' };
const cpu = { name: 'cpu', weight: 1 };

function profileWith(pluginConfig: readonly object[]): Profile {
  const { profiles: [profile] = [] } = schedulerOptions({ configuration: { ...head, profiles: [{ pluginConfig }] } });
  if (profile === undefined) throw new Error('there is no profile');
  return profile;
}

const listed = (...defaultConstraints: readonly object[]): object => ({ defaultingType: 'List', defaultConstraints });
const strategy = (scoringStrategy: unknown): object => ({ scoringStrategy });
const ratio = (requestedToCapacityRatio: unknown): object =>
  strategy({ type: 'RequestedToCapacityRatio', requestedToCapacityRatio });
const shaped = (...shape: readonly object[]): object => ratio({ shape });
const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const added = (matchExpressions: readonly object[]): object => ({
  addedAffinity: { [required]: { nodeSelectorTerms: [{ matchExpressions }] } },
});

test.each<[string, string, object]>([
  ['nothing', 'NodeResourcesFit', {}],
  [
    'a weight that is not said',
    'NodeResourcesFit',
    strategy({ type: 'MostAllocated', resources: [{ ...cpu, weight: 0 }] }),
  ],
  [
    'the least and the most of each',
    'NodeResourcesFit',
    shaped({ utilization: 0, score: 0 }, { utilization: 100, score: 10 }),
  ],
  ['keys of labels', 'PodTopologySpread', listed({ ...evenly, matchLabelKeys: ['x'] })],
  ['one key in both kinds', 'PodTopologySpread', listed(evenly, { ...evenly, whenUnsatisfiable: 'ScheduleAnyway' })],
  [
    'a weight as large as may be',
    'NodeResourcesFit',
    strategy({ type: 'MostAllocated', resources: [{ ...cpu, weight: 100 }] }),
  ],
  ['an affinity that counts as much as may be', 'InterPodAffinity', { hardPodAffinityWeight: 100 }],
  ['a flag', 'InterPodAffinity', { ignorePreferredTermsOfExistingPods: true }],
  ['all nodes', 'DefaultPreemption', { minCandidateNodesPercentage: 100 }],
  ['what is left open', 'InterPodAffinity', { hardPodAffinityWeight: null, ignorePreferredTermsOfExistingPods: null }],
  ['what is left open', 'PodTopologySpread', { defaultingType: null, defaultConstraints: null }],
  ['a volume that has to be there', 'VolumeBinding', { bindTimeoutSeconds: 0 }],
  ['one of the two', 'DefaultPreemption', { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1 }],
  ['the other one', 'DefaultPreemption', { minCandidateNodesPercentage: 1, minCandidateNodesAbsolute: 0 }],
  ['devices', 'DynamicResources', { filterTimeout: '10s' }],
])('right is %s', (_, name, args) => {
  expect(() => profileWith([{ name, args }])).not.toThrow();
});

test.each([
  [{}, { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 }],
  [{ minCandidateNodesPercentage: 50 }, { minCandidateNodesPercentage: 50, minCandidateNodesAbsolute: 100 }],
  [{ minCandidateNodesAbsolute: 0 }, { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 0 }],
])('what is not said of preemption is the default: %j', (args, preemption) => {
  expect(profileWith([{ name: 'DefaultPreemption', args }]).preemption).toEqual(preemption);
});

const everything: readonly { readonly name: string; readonly args: object }[] = [
  { name: 'NodeAffinity', args: added([{ key: 'a', operator: 'Exists' }]) },
  { name: 'NodeResourcesFit', args: { ignoredResources: ['a.example/b'], ignoredResourceGroups: ['b.example'] } },
  { name: 'NodeResourcesBalancedAllocation', args: { resources: [{ name: 'cpu', weight: 1 }] } },
  { name: 'PodTopologySpread', args: listed(evenly) },
  { name: 'InterPodAffinity', args: { hardPodAffinityWeight: 7, ignorePreferredTermsOfExistingPods: true } },
  { name: 'VolumeBinding', args: { bindTimeoutSeconds: 7 } },
  { name: 'DefaultPreemption', args: { minCandidateNodesPercentage: 7, minCandidateNodesAbsolute: 8 } },
];

test.each(everything.map((_, index) => index))(
  'what is said of one plugin stands beside what is said of others, in any order: %i',
  (first) => {
    const { plugins, preemption } = argsOf([...everything.slice(first), ...everything.slice(0, first)], {
      at: '',
      own: [],
    });
    const { scoringStrategy } = defaultArgs.NodeResourcesFit;
    const said = Object.fromEntries(everything.map(({ name, args }) => [name, args]));
    expect({ ...plugins, DefaultPreemption: preemption }).toEqual({
      ...said,
      NodeResourcesFit: { ...said['NodeResourcesFit'], scoringStrategy },
    });
  },
);

const noText = 'it must be a list of texts';

test.each<[string, string, object, string]>([
  ['a version', 'NodeAffinity', { apiVersion: 'v1' }, '.apiVersion: it must be kubescheduler.config.k8s.io/v1'],
  ['a kind', 'NodeAffinity', { kind: 'X' }, '.kind: it must be NodeAffinityArgs'],
  ['a field', 'NodeAffinity', { affinity: {} }, '.affinity: there is no such field; there are addedAffinity'],
  ['a field', 'InterPodAffinity', { weight: 1 }, '.weight: there is no such field; there are hardPodAffinityWeight, '],
  [
    'a field',
    'PodTopologySpread',
    { constraints: [] },
    '.constraints: there is no such field; there are defaultingType, ',
  ],
  ['a field', 'VolumeBinding', { shape: [] }, '.shape: there is no such field; there are bindTimeoutSeconds'],
  [
    'a field',
    'DefaultPreemption',
    { nodes: 1 },
    '.nodes: there is no such field; there are minCandidateNodesPercentage, ',
  ],
  [
    'a field',
    'NodeResourcesBalancedAllocation',
    { weights: [] },
    '.weights: there is no such field; there are resources',
  ],
  [
    'a field',
    'NodeResourcesFit',
    { resources: [] },
    '.resources: there is no such field; there are ignoredResources, ',
  ],
  ['names', 'NodeResourcesFit', { ignoredResources: [7] }, `.ignoredResources: ${noText}`],
  ['a name', 'NodeResourcesFit', { ignoredResources: ['a', 'a b'] }, '.ignoredResources[1]: '],
  ['groups', 'NodeResourcesFit', { ignoredResourceGroups: [7] }, `.ignoredResourceGroups: ${noText}`],
  [
    'a group',
    'NodeResourcesFit',
    { ignoredResourceGroups: ['a', 'a/b'] },
    '.ignoredResourceGroups[1]: there must be no slash in it',
  ],
  ['a strategy', 'NodeResourcesFit', strategy('most'), '.scoringStrategy: it must be an object'],
  [
    'one without a type',
    'NodeResourcesFit',
    strategy({}),
    '.scoringStrategy.type: it must be LeastAllocated, MostAllocated or ',
  ],
  [
    'a type',
    'NodeResourcesFit',
    strategy({ type: 'Least' }),
    '.scoringStrategy.type: it must be LeastAllocated, MostAllocated or ',
  ],
  [
    'a field of it',
    'NodeResourcesFit',
    strategy({ shape: [] }),
    '.scoringStrategy.shape: there is no such field; there are type, ',
  ],
  [
    'a resource',
    'NodeResourcesFit',
    strategy({ type: 'MostAllocated', resources: ['cpu'] }),
    '.scoringStrategy.resources[0]: it must be an object',
  ],
  [
    'one without a name',
    'NodeResourcesFit',
    strategy({ type: 'MostAllocated', resources: [cpu, { weight: 1 }] }),
    '.scoringStrategy.resources[1].name: it is missing',
  ],
  [
    'a weight',
    'NodeResourcesFit',
    strategy({ type: 'MostAllocated', resources: [{ ...cpu, weight: 101 }] }),
    '.scoringStrategy.resources[0].weight: it must be a whole number of 0 to 100',
  ],
  [
    'no shape',
    'NodeResourcesFit',
    ratio({}),
    '.scoringStrategy.requestedToCapacityRatio.shape: there has to be one point at least',
  ],
  ['a ratio', 'NodeResourcesFit', ratio(7), '.scoringStrategy.requestedToCapacityRatio: it must be an object'],
  [
    'a point',
    'NodeResourcesFit',
    ratio({ shape: [7] }),
    '.scoringStrategy.requestedToCapacityRatio.shape[0]: it must be an object',
  ],
  [
    'how full it is',
    'NodeResourcesFit',
    shaped({ utilization: 101 }),
    '.shape[0].utilization: it must be a whole number of 0 to 100',
  ],
  [
    'what that is worth',
    'NodeResourcesFit',
    shaped({ score: 11 }),
    '.shape[0].score: it must be a whole number of 0 to 10',
  ],
  [
    'two points of one place',
    'NodeResourcesFit',
    shaped({ utilization: 5 }, { utilization: 5 }),
    '.shape[1].utilization: it must be more than the one before',
  ],
  [
    'a weight where all weigh alike',
    'NodeResourcesBalancedAllocation',
    { resources: [cpu, { name: 'memory', weight: 2 }] },
    '.resources[1].weight: it must be 1',
  ],
  ['an affinity', 'NodeAffinity', { addedAffinity: 'a' }, '.addedAffinity: it must be an object'],
  [
    'a field of it',
    'NodeAffinity',
    { addedAffinity: { required: {} } },
    '.addedAffinity.required: there is no such field',
  ],
  [
    'an operator',
    'NodeAffinity',
    added([{ key: 'a', operator: 'Like' }]),
    `.addedAffinity.${required}.nodeSelectorTerms[0].matchExpressions[0].operator: `,
  ],
  [
    'a weight of affinity',
    'InterPodAffinity',
    { hardPodAffinityWeight: 101 },
    '.hardPodAffinityWeight: it must be a whole number of 0 to 100',
  ],
  [
    'a flag',
    'InterPodAffinity',
    { ignorePreferredTermsOfExistingPods: 'no' },
    '.ignorePreferredTermsOfExistingPods: it must be true or false',
  ],
  ['a type of defaults', 'PodTopologySpread', { defaultingType: 'Own' }, '.defaultingType: it must be System or List'],
  ['a text', 'PodTopologySpread', { defaultingType: 1 }, '.defaultingType: it must be a text'],
  [
    'defaults without their type',
    'PodTopologySpread',
    { defaultConstraints: [evenly] },
    '.defaultConstraints: they go with defaultingType: List',
  ],
  ['defaults', 'PodTopologySpread', { defaultConstraints: evenly }, '.defaultConstraints: it must be a list'],
  [
    'a constraint',
    'PodTopologySpread',
    { ...listed(), defaultConstraints: ['a'] },
    '.defaultConstraints[0]: it must be an object',
  ],
  [
    'one without a key',
    'PodTopologySpread',
    listed({ ...evenly, topologyKey: '' }),
    '.defaultConstraints[0]: it needs topologyKey and maxSkew',
  ],
  [
    'one without a skew',
    'PodTopologySpread',
    listed(evenly, { ...evenly, maxSkew: undefined }),
    '.defaultConstraints[1]: it needs topologyKey and maxSkew',
  ],
  [
    'no skew',
    'PodTopologySpread',
    listed({ ...evenly, maxSkew: 0 }),
    '.defaultConstraints[0].maxSkew: it must be a whole number of 1 to ',
  ],
  [
    'a key that is no label',
    'PodTopologySpread',
    listed({ ...evenly, topologyKey: 'a b' }),
    '.defaultConstraints[0].topologyKey: ',
  ],
  [
    'what becomes of others',
    'PodTopologySpread',
    listed({ ...evenly, whenUnsatisfiable: 'Never' }),
    '.defaultConstraints[0].whenUnsatisfiable: it must be DoNotSchedule or ScheduleAnyway',
  ],
  [
    'who is selected',
    'PodTopologySpread',
    listed({ ...evenly, labelSelector: {} }),
    '.defaultConstraints[0].labelSelector: there is no such field; there are maxSkew, ',
  ],
  [
    'two of one kind',
    'PodTopologySpread',
    listed({ ...evenly, topologyKey: 'b' }, evenly, { ...evenly, maxSkew: 2 }),
    '.defaultConstraints[2]: there is one of this key and kind already',
  ],
  [
    'a wait of less than no time',
    'VolumeBinding',
    { bindTimeoutSeconds: -1 },
    '.bindTimeoutSeconds: it must be a whole number of 0 to ',
  ],
  [
    'a hundred and one of a hundred nodes',
    'DefaultPreemption',
    { minCandidateNodesPercentage: 101 },
    '.minCandidateNodesPercentage: it must be a whole number of 0 to 100',
  ],
  [
    'half a node',
    'DefaultPreemption',
    { minCandidateNodesAbsolute: 0.5 },
    '.minCandidateNodesAbsolute: it must be a whole number of 0 to ',
  ],
  [
    'no node at all',
    'DefaultPreemption',
    { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 },
    '.minCandidateNodesPercentage: not both this and minCandidateNodesAbsolute can be 0',
  ],
])('wrong is %s of %s', (_, name, args, message) => {
  const fault = faultOf([{ name: 'DynamicResources' }, { name, args }]);
  expect(fault).toContain(message);
  expect(fault).toMatch(/^profiles\[0\]\.pluginConfig\[1\]\.args\./);
});

test.each<[string, readonly object[], string]>([
  ['an entry', ['NodeAffinity' as unknown as object], '[0]: it must be an object'],
  [
    'a field beside the arguments',
    [{ name: 'NodeAffinity', arguments: {} }],
    '[0].arguments: there is no such field; there are name, args',
  ],
  ['a name that is none', [{ name: 7 }], '[0].name: it must be a text'],
  ['one without a name', [{ args: {} }], '[0].name: the plugin "" takes no arguments'],
  ['one that takes none', [{ name: 'NodePorts', args: {} }], '[0].name: the plugin "NodePorts" takes no arguments'],
  ['arguments', [{ name: 'NodeAffinity', args: [] }], '[0].args: it must be an object'],
  [
    'a plugin that stands there twice',
    [{ name: 'NodeAffinity' }, { name: 'NodeAffinity' }],
    '[1].name: "NodeAffinity" is there twice',
  ],
])('wrong is %s', (_, pluginConfig, message) => {
  expect(faultOf(pluginConfig)).toBe(`profiles[0].pluginConfig${message}`);
});

function faultOf(pluginConfig: readonly object[]): string {
  try {
    profileWith(pluginConfig);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
