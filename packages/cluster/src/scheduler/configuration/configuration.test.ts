import { expect, test } from 'vitest';
import { makeNode, makePod } from '../../testing/makers.ts';
import { scoresIn, verdictIn } from '../../testing/scheduler/asking.ts';
import { defaultPlugins } from '../default-plugins.ts';
import { rejects, type SchedulerPlugin } from '../plugin.ts';
import type { Profile } from '../profile.ts';
import { createSnapshot } from '../snapshot.ts';
import { parseSchedulerConfiguration, schedulerOptions } from './configuration.ts';

const head = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };
const own: SchedulerPlugin = { name: 'Own', wakesOn: [], filter: () => rejects('not here') };

function profilesOf(configuration: object, plugins: readonly SchedulerPlugin[] = []): readonly Profile[] {
  return schedulerOptions({ configuration: { ...head, ...configuration }, plugins }).profiles ?? [];
}

function profileOf(profile: object, plugins: readonly SchedulerPlugin[] = []): Profile {
  const [first] = profilesOf({ profiles: [profile] }, plugins);
  if (first === undefined) throw new Error('there is no profile');
  return first;
}

function faultOf(configuration: object): string {
  try {
    profilesOf(configuration);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

const namesOf = ({ plugins }: Profile): readonly string[] => plugins.map(({ name }) => name);
const all = defaultPlugins.map(({ name }) => name);

test('without a configuration there is one profile with everything', () => {
  const { profiles = [], queue } = schedulerOptions({});
  expect(profiles.map(({ name }) => name)).toEqual(['default-scheduler']);
  expect(namesOf(profileOf({}))).toEqual(all);
  expect(profiles[0]?.preemption).toEqual({ minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 });
  expect(queue).toEqual({ backoffInitialMs: 1000, backoffMaxMs: 10_000 });
});

test('profiles by name, with what is said of all and of each', () => {
  const profiles = profilesOf({
    percentageOfNodesToScore: 30,
    podInitialBackoffSeconds: 2,
    podMaxBackoffSeconds: 4,
    parallelism: 16,
    leaderElection: { leaderElect: false },
    profiles: [{ schedulerName: 'a' }, { schedulerName: 'b', percentageOfNodesToScore: 70 }],
  });
  expect(profiles.map(({ name, percentageOfNodesToScore }) => [name, percentageOfNodesToScore])).toEqual([
    ['a', 30],
    ['b', 70],
  ]);
});

test('the queue waits as long as is said', () => {
  const configuration = { ...head, podInitialBackoffSeconds: 2, podMaxBackoffSeconds: 4 };
  expect(schedulerOptions({ configuration }).queue).toEqual({ backoffInitialMs: 2_000, backoffMaxMs: 4_000 });
});

test('plugins are taken out at all points, or at one', () => {
  const without = profileOf({ plugins: { multiPoint: { disabled: [{ name: 'NodePorts' }] } } });
  expect(namesOf(without)).toEqual(all.filter((name) => name !== 'NodePorts'));
  const mute = profileOf({ plugins: { score: { disabled: [{ name: '*' }] } } });
  expect(mute.plugins.filter(({ score, rank }) => score !== undefined || rank !== undefined)).toEqual([]);
  expect(namesOf(mute)).not.toContain('ImageLocality');
  const blind = profileOf({ plugins: { filter: { disabled: [{ name: 'TaintToleration' }] } } });
  const taints = blind.plugins.find(({ name }) => name === 'TaintToleration');
  expect([taints?.filter, taints?.rank]).toEqual([undefined, expect.any(Function)]);
  expect(
    profileOf({ plugins: { postFilter: { disabled: [{ name: 'DefaultPreemption' }] } } }).preemption,
  ).toBeUndefined();
});

test('what is named at a point is on there although it is off elsewhere, comes first, and has its weight', () => {
  const profile = profileOf({
    plugins: {
      multiPoint: { disabled: [{ name: '*' }], enabled: [{ name: 'NodeResourcesFit', weight: 5 }] },
      preFilter: { enabled: [{ name: 'TaintToleration' }] },
      filter: { enabled: [{ name: 'TaintToleration' }] },
      score: { enabled: [{ name: 'ImageLocality', weight: 7 }] },
    },
  });
  expect(profile.plugins.map(({ name, weight }) => [name, weight])).toEqual([
    ['TaintToleration', 3],
    ['NodeResourcesFit', 5],
    ['ImageLocality', 7],
  ]);
});

test('plugins of one’s own are on, and can be named', () => {
  expect(namesOf(profileOf({}, [own]))).toEqual([...all, 'Own']);
  expect(namesOf(profileOf({ plugins: { multiPoint: { disabled: [{ name: 'Own' }] } } }, [own]))).toEqual(all);
  expect(namesOf(profileOf({ plugins: { filter: { enabled: [{ name: 'Own' }] } } }, [own]))[0]).toBe('Own');
  const { plugins } = profileOf({}, [own]);
  const snapshot = createSnapshot();
  snapshot.setNode(makeNode('a'));
  expect(verdictIn(snapshot, { pod: makePod('p'), plugin: 'Own', plugins })).toEqual({ a: 'not here' });
});

test('arguments reach their plugins', () => {
  const { plugins, preemption } = profileOf({
    pluginConfig: [
      {
        name: 'NodeResourcesFit',
        args: {
          apiVersion: head.apiVersion,
          kind: 'NodeResourcesFitArgs',
          scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] },
          ignoredResources: ['example.com/gpu'],
        },
      },
      { name: 'DefaultPreemption', args: { minCandidateNodesPercentage: 50 } },
      {
        name: 'NodeAffinity',
        args: {
          addedAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['x'] }] }],
            },
          },
        },
      },
    ],
  });
  expect(preemption).toEqual({ minCandidateNodesPercentage: 50, minCandidateNodesAbsolute: 100 });
  const snapshot = createSnapshot();
  snapshot.setNode(makeNode('a', { labels: { pool: 'x' }, cpu: '10' }));
  snapshot.setNode(makeNode('b'));
  const gpu = { containers: [{ name: 'c', resources: { requests: { cpu: '2', 'example.com/gpu': '1' } } }] };
  const pod = makePod('p', { spec: gpu });
  expect(scoresIn(snapshot, { pod, plugin: 'NodeResourcesFit', plugins })).toEqual({ a: 20, b: 50 });
  expect(verdictIn(snapshot, { pod, plugin: 'NodeResourcesFit', plugins })).toEqual({ a: '', b: '' });
  expect(verdictIn(snapshot, { pod, plugin: 'NodeAffinity', plugins })).toEqual({
    a: '',
    b: "node(s) didn't match scheduler-enforced node affinity",
  });
});

test.each<[string, object]>([
  [
    'a plugin that is not there is off',
    { profiles: [{ plugins: { multiPoint: { disabled: [{ name: 'EBSLimits2' }] } } }] },
  ],
  ['no extenders', { extenders: [] }],
  [
    'what is left open',
    {
      ...{
        percentageOfNodesToScore: null,
        podInitialBackoffSeconds: null,
        podMaxBackoffSeconds: null,
        parallelism: null,
      },
      ...{ extenders: null, profiles: [{ schedulerName: null, pluginConfig: null, percentageOfNodesToScore: null }] },
    },
  ],
  ['a wait that stays as long', { podInitialBackoffSeconds: 10 }],
  ['one second', { podInitialBackoffSeconds: 1, podMaxBackoffSeconds: 1, parallelism: 1 }],
  ['all nodes', { percentageOfNodesToScore: 100, profiles: [{ percentageOfNodesToScore: 0 }] }],
  [
    'the same order, said once more',
    { profiles: [{ plugins: { queueSort: { disabled: [{ name: '*' }], enabled: [{ name: 'PrioritySort' }] } } }] },
  ],
  ['a point that nothing here has', { profiles: [{ plugins: { permit: { disabled: [{ name: '*' }] } } }] }],
  [
    'upstream’s plugin for claims where it gives points there',
    { profiles: [{ plugins: { score: { enabled: [{ name: 'VolumeBinding' }] } } }] },
  ],
])('right is %s', (_, configuration) => {
  expect(profilesOf(configuration)).toHaveLength(1);
});

test.each<[string, object, string]>([
  ['a field', { profile: [] }, 'profile: there is no such field; there are apiVersion, '],
  ['a version', { apiVersion: 'kubescheduler.config.k8s.io/v1beta3' }, 'it is no KubeSchedulerConfiguration of '],
  ['a profile that is none', { profiles: [{ schedulerName: 'a' }, 'b'] }, 'profiles[1]: it must be an object'],
  ['a field of a profile', { profiles: [{ name: 'a' }] }, 'profiles[0].name: there is no such field; there are '],
  ['a list that is none', { profiles: {} }, 'profiles: it must be a list'],
  ['a name that is none', { profiles: [{ schedulerName: 7 }] }, 'profiles[0].schedulerName: it must be a text'],
  [
    'more than all nodes',
    { percentageOfNodesToScore: 101 },
    'percentageOfNodesToScore: it must be a whole number of 0',
  ],
  ['no wait', { podInitialBackoffSeconds: 0 }, 'podInitialBackoffSeconds: it must be a whole number of 1 to '],
  ['no wait at last', { podMaxBackoffSeconds: 0 }, 'podMaxBackoffSeconds: it must be a whole number of 1 to '],
  [
    'a wait that becomes shorter',
    { podInitialBackoffSeconds: 11 },
    'podMaxBackoffSeconds: it must not be less than podInitialBackoffSeconds',
  ],
  ['plugins that are none', { profiles: [{ plugins: [] }] }, 'profiles[0].plugins: it must be an object'],
  [
    'a point',
    { profiles: [{ plugins: { filters: {} } }] },
    'profiles[0].plugins.filters: there is no such field; there are ',
  ],
  ['a point that is none', { profiles: [{ plugins: { bind: [] } }] }, 'profiles[0].plugins.bind: it must be an object'],
  [
    'a field of a point',
    { profiles: [{ plugins: { score: { on: [] } } }] },
    'profiles[0].plugins.score.on: there is no such field; there are enabled, disabled',
  ],
  [
    'a plugin by its name alone',
    { profiles: [{ plugins: { score: { disabled: [{ name: 'NodePorts' }, 'ImageLocality'] } } }] },
    'profiles[0].plugins.score.disabled[1]: it must be an object',
  ],
  [
    'a field of a plugin',
    { profiles: [{ plugins: { score: { enabled: [{ name: 'ImageLocality', args: {} }] } } }] },
    'profiles[0].plugins.score.enabled[0].args: there is no such field; there are name, weight',
  ],
  [
    'a weight below nothing',
    { profiles: [{ plugins: { score: { enabled: [{ name: 'ImageLocality', weight: -1 }] } } }] },
    'profiles[0].plugins.score.enabled[0].weight: it must be a whole number of 0 to ',
  ],
  [
    'a queue without order',
    { profiles: [{ plugins: { queueSort: { disabled: [{ name: 'PrioritySort' }] } } }] },
    'profiles[0].plugins.queueSort: nothing else can take the place of PrioritySort',
  ],
  ['a kind', { kind: 'Policy' }, 'it is no KubeSchedulerConfiguration'],
  [
    'a plugin',
    { profiles: [{ plugins: { score: { enabled: [{ name: 'Nope' }] } } }] },
    'profiles[0].plugins.score.enabled[0].name: there is no plugin "Nope"',
  ],
  [
    'a number',
    { profiles: [{ percentageOfNodesToScore: 101 }] },
    'profiles[0].percentageOfNodesToScore: it must be a whole number of 0 to 100',
  ],
  [
    'a name twice',
    { profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }] },
    'profiles: there are two of the name "a"',
  ],
  ['a name that is missing', { profiles: [{}, { schedulerName: 'a' }] }, 'profiles[0].schedulerName: it is missing'],
  ['a name that is empty', { profiles: [{ schedulerName: '' }] }, 'profiles[0].schedulerName: it is missing'],
  ['nobody at once', { parallelism: 0 }, 'parallelism: it must be a whole number of 1 to'],
  ['somebody to ask', { extenders: [{ urlPrefix: 'http://127.0.0.1:1' }] }, 'extenders: nobody is asked over HTTP'],
  [
    'a plugin at a point where it is mute',
    { profiles: [{ plugins: { filter: { enabled: [{ name: 'ImageLocality' }] } } }] },
    'profiles[0].plugins.filter.enabled[0].name: "ImageLocality" has nothing to say there',
  ],
  [
    'points of a plugin that gives none',
    { profiles: [{ plugins: { score: { enabled: [{ name: 'NodePorts' }] } } }] },
    'profiles[0].plugins.score.enabled[0].name: "NodePorts" has nothing to say there',
  ],
  [
    'a plugin twice',
    { profiles: [{ plugins: { score: { enabled: [{ name: 'ImageLocality' }, { name: 'ImageLocality' }] } } }] },
    'profiles[0].plugins.score.enabled[1].name: it is there twice',
  ],
  [
    'a scheduler that binds nothing',
    { profiles: [{ plugins: { bind: { disabled: [{ name: '*' }] } } }] },
    'profiles[0].plugins.bind: nothing else can take the place of DefaultBinder',
  ],
])('wrong is %s', (_, configuration, message) => {
  expect(faultOf(configuration).slice(0, message.length)).toBe(message);
});

test('a file is YAML, and faults name it', () => {
  const text = `apiVersion: ${head.apiVersion}\nkind: ${head.kind}\nprofiles:\n- schedulerName: packed\n`;
  expect(parseSchedulerConfiguration(text, { source: 'c.yaml' })).toMatchObject({
    profiles: [{ schedulerName: 'packed' }],
  });
});

test.each([
  ['another kind', 'kind: Pod', /^c\.yaml: it is no KubeSchedulerConfiguration of kubescheduler\.config\.k8s\.io\/v1$/],
  ['nothing', '', /^c\.yaml: there is no configuration in it$/],
  ['a list', '- kind: Pod', /^c\.yaml: there is no configuration in it$/],
  ['two', 'parallelism: 1\n---\nparallelism: 2\n', /^c\.yaml: there is more than one document in it$/],
  ['no YAML', '{', /^c\.yaml/],
])('in a file may not be %s', (_, text, message) => {
  expect(() => parseSchedulerConfiguration(text, { source: 'c.yaml' })).toThrow(message);
});
