import { expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { configmaps, nodes, pods } from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import type { SchedulerPlugin } from '../scheduler/plugin.ts';
import { rejects } from '../scheduler/plugin.ts';
import { causesOf, rowsOf } from '../testing/asked.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { explain } from './explain.ts';
import type { Explanation } from './explanation.ts';
import type { KnownScheduler } from './world.ts';

/** Of a pod `p` on one node that is cordoned, beside the others. */
async function told(pod: Pod, scheduler?: KnownScheduler, ...others: readonly Pod[]): Promise<Explanation> {
  const objects = new Map<ResourceType, readonly object[]>([
    [nodes, [makeNode('a', { unschedulable: true })]],
    [pods, [pod, ...others]],
  ]);
  const list = async (type: ResourceType): Promise<never> => (objects.get(type) ?? []) as never;
  const subject = { type: pods, namespace: 'default', name: 'p' };
  const explanation = await explain(subject, { source: { list }, nowMs: 0, scheduler });
  if (explanation === undefined) throw new Error('there is no such pod');
  return explanation;
}

const heedless = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  profiles: [
    { schedulerName: 'default-scheduler' },
    {
      schedulerName: 'heedless',
      plugins: {
        filter: { disabled: [{ name: 'NodeUnschedulable' }] },
        postFilter: { disabled: [{ name: 'DefaultPreemption' }] },
      },
    },
  ],
};
const by = (schedulerName?: string): Pod =>
  makePod('p', { spec: schedulerName === undefined ? {} : { schedulerName } });

test('the profile that decides is asked, and named', async () => {
  const scheduler = { configuration: heedless };
  const usual = await told(by(), scheduler);
  expect(usual.causes[0]?.cause).toBe('1 node: NodeUnschedulable: the node is cordoned');
  expect(usual.facts['profile']).toBeUndefined();
  const other = await told(by('heedless'), scheduler);
  expect(other.causes.map(({ cause }) => cause)).toEqual(['it fits 1 node and waits for the scheduler']);
  expect(other.facts).toMatchObject({ profile: 'heedless', schedulerName: 'heedless' });
});

test('a profile that preempts nobody says so', async () => {
  const full = makePod('full', { node: 'a', cpu: '4' });
  const pod = makePod('p', { cpu: '2', spec: { schedulerName: 'heedless' }, priority: 5 });
  const explanation = await told(pod, { configuration: heedless }, full);
  expect(causesOf(explanation).at(-1)).toBe('its profile does not preempt others');
});

test('nobody answers for a name that no profile has', async () => {
  const known = await told(by('mine'), { configuration: heedless });
  expect(causesOf(known)).toEqual([
    "no scheduler here answers for its schedulerName mine, only for default-scheduler, heedless → run a scheduler of that name, or mend the pod's schedulerName",
  ]);
  expect(known.groups).toEqual([]);
  const unknown = await told(by('mine'));
  expect(causesOf(unknown)).toEqual([
    'the scheduler mine decides about it, and its rules are not known here → see that mine runs, and say by which rules: --scheduler-config FILE',
  ]);
});

test('that the default rules are assumed is said, where rules were asked', async () => {
  expect((await told(by())).facts).toMatchObject({ schedulerRules: 'assumed to be the default ones' });
  expect((await told(by(), {})).facts['schedulerRules']).toBeUndefined();
  expect((await told(makePod('p', { node: 'a' }))).facts['schedulerRules']).toBeUndefined();
});

const full = rejects('the rack is closed');
const rack: SchedulerPlugin = {
  name: 'Rack',
  reads: [configmaps],
  wakesOn: [],
  prepare: (_pod, snapshot) => {
    if (snapshot.of(configmaps).size > 9) return { rejected: 'too many' };
    return { state: undefined };
  },
  filter: () => full,
};

test('a plugin of one’s own is asked, also about what nobody else reads', async () => {
  const explanation = await told(by(), { plugins: [rack] });
  expect(rowsOf(explanation)).toEqual([
    'a: does not fit: NodeUnschedulable: the node is cordoned; Rack: the rack is closed',
  ]);
});

test('one that only its process has is named, also where the configuration names it', async () => {
  const plugins = { multiPoint: { enabled: [{ name: 'Rack' }] } };
  const configuration = { ...heedless, profiles: [{ plugins }] };
  const explanation = await told(by(), { configuration, unasked: ['Rack'] });
  expect(explanation.facts).toMatchObject({ pluginsNotAsked: 'Rack' });
});

function failing(parts: Partial<SchedulerPlugin>): SchedulerPlugin {
  return { name: 'Broken', wakesOn: [], ...parts };
}
const oops = (): never => {
  throw new Error('oops');
};

const decides = 'the scheduler cannot decide: Broken: it fails: oops → mend that plugin';
test.each<[string, SchedulerPlugin]>([
  ['when it is asked about a node', failing({ filter: oops })],
  ['before any node is looked at', failing({ prepare: oops })],
])('a plugin of one’s own that fails %s is told', async (_, plugin) => {
  const pod = makePod('p', { spec: { tolerations: [{ operator: 'Exists' }] } });
  const explanation = await told(pod, { plugins: [plugin] });
  expect(causesOf(explanation)).toEqual([decides]);
  expect(rowsOf(explanation).join()).toContain('a: cannot be judged: ');
  expect(explanation.groups[0]?.rules[0]).toMatchObject({ plugin: 'Broken', text: 'it fails: oops' });
});
test('one that fails about a node that others reject before it is not asked there', async () => {
  const explanation = await told(by(), { plugins: [failing({ filter: oops })] });
  expect(causesOf(explanation)[0]).toBe('1 node: NodeUnschedulable: the node is cordoned → kubectl uncordon a');
});

test('one that fails when it is asked what stands behind its rejection has rejected all the same', async () => {
  const explanation = await told(by(), { plugins: [failing({ filter: () => full, details: oops })] });
  expect(rowsOf(explanation)).toEqual([
    'a: does not fit: NodeUnschedulable: the node is cordoned; Broken: the rack is closed; Broken: its details fail: oops',
  ]);
});

test('one that fails in what preemption plays through is told as well', async () => {
  const filter: SchedulerPlugin['filter'] = (_, node) => {
    if (node.pods.size === 0) throw new Error('oops');
    return full;
  };
  const pod = makePod('p', { priority: 5, spec: { tolerations: [{ operator: 'Exists' }] } });
  const explanation = await told(pod, { plugins: [failing({ filter })] }, makePod('low', { node: 'a' }));
  expect(causesOf(explanation).at(-1)).toBe('preemption cannot be decided: running Filter plugin "Broken": oops');
});

const failed = 'running Filter plugin "Broken": oops';
const lasts = 'it is tried again; what it names has to be mended where that lasts';
const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'SchedulerError', message: failed }];
test('what failed in a scheduler whose plugins cannot be asked stands on the pod', async () => {
  const tolerations = [{ operator: 'Exists' as const }];
  const fitting = makePod('p', { spec: { tolerations }, status: { phase: 'Pending', conditions } });
  expect(causesOf(await told(fitting))).toEqual([
    `it fits 1 node, and the scheduler failed on it last: ${failed} → ${lasts}`,
  ]);
  const other = makePod('p', { status: { phase: 'Pending', conditions } });
  expect(causesOf(await told(other)).slice(0, 2)).toEqual([
    '1 node: NodeUnschedulable: the node is cordoned → kubectl uncordon a',
    `the scheduler failed on it last: ${failed} → ${lasts}`,
  ]);
});

test('pods of two schedulers are not taken for alike', async () => {
  const { podTeller } = await import('./pod-state.ts');
  const { schedulingBy, worldOf } = await import('./world.ts');
  const lists = [{ type: nodes, objects: [makeNode('a')] }];
  const tell = podTeller(worldOf(lists, 0, { scheduling: schedulingBy({}) }));
  expect(tell(makePod('p')).why).toBe('it fits 1 node and waits for the scheduler');
  expect(tell(makePod('q', { spec: { schedulerName: 'mine' } })).why).toContain('no scheduler here answers');
});
