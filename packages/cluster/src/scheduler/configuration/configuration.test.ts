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

test.each<[string, object, string]>([
  ['a field', { profile: [] }, 'profile: there is no such field'],
  ['a kind', { kind: 'Policy' }, 'it is no KubeSchedulerConfiguration'],
  [
    'a plugin',
    { profiles: [{ plugins: { score: { enabled: [{ name: 'Nope' }] } } }] },
    'profiles[0].plugins.score.enabled[0].name: there is no plugin "Nope"',
  ],
  [
    'arguments',
    { profiles: [{ pluginConfig: [{ name: 'NodePorts', args: {} }] }] },
    'profiles[0].pluginConfig[0].name: the plugin "NodePorts" takes no arguments',
  ],
  [
    'a kind of arguments',
    { profiles: [{ pluginConfig: [{ name: 'NodeAffinity', args: { kind: 'X' } }] }] },
    'profiles[0].pluginConfig[0].args.kind: it must be NodeAffinityArgs',
  ],
  [
    'a number',
    { profiles: [{ percentageOfNodesToScore: 101 }] },
    'profiles[0].percentageOfNodesToScore: it must be a whole number of 0 to 100',
  ],
  ['a name twice', { profiles: [{}, {}] }, 'profiles: there are two of the name "default-scheduler"'],
  [
    'defaults without their type',
    { profiles: [{ pluginConfig: [{ name: 'PodTopologySpread', args: { defaultConstraints: [{}] } }] }] },
    'they go with defaultingType: List',
  ],
  [
    'a scheduler that binds nothing',
    { profiles: [{ plugins: { bind: { disabled: [{ name: '*' }] } } }] },
    'nothing else can take the place of DefaultBinder',
  ],
])('wrong is %s', (_, configuration, message) => {
  expect(() => profilesOf(configuration)).toThrow(message);
});

test('a file is YAML, and faults name it', () => {
  const text = `apiVersion: ${head.apiVersion}\nkind: ${head.kind}\nprofiles:\n- schedulerName: packed\n`;
  expect(parseSchedulerConfiguration(text, { source: 'c.yaml' })).toMatchObject({
    profiles: [{ schedulerName: 'packed' }],
  });
  expect(() => parseSchedulerConfiguration('kind: Pod', { source: 'c.yaml' })).toThrow(
    'c.yaml: it is no KubeScheduler',
  );
});
