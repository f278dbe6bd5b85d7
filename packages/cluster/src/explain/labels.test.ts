/** What explain advises about the labels of nodes. */
import { expect, test } from 'vitest';
import type { PodSpec } from '../api/generated/core-v1.ts';
import { daemonsets, nodes, pods } from '../api/generated/kinds.ts';
import { asked, causesOf } from '../testing/asked.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { createWorld, meta } from '../testing/plan-world.ts';
import type { Explanation } from './explanation.ts';

const zone = 'topology.kubernetes.io/zone';
const hostname = 'kubernetes.io/hostname';

function told(
  spec: Partial<PodSpec>,
  labelsOf: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Explanation {
  const world = createWorld();
  for (const [name, labels] of Object.entries(labelsOf)) world.put(nodes, makeNode(name, { labels }));
  world.put(pods, makePod('p', { labels: { app: 'db' }, spec }));
  return asked(world, { type: pods, name: 'p' });
}

const near = (topologyKey: string, app = 'web'): Partial<PodSpec> => ({
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }],
    },
  },
});

const required = (...expressions: readonly (readonly [string, string])[]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: expressions.map(([key, value]) => ({ key, operator: 'In', values: [value] })) },
        ],
      },
    },
  },
});

const labelIt = `label nodes (kubectl label nodes NODE ${zone}=VALUE), or name another topologyKey`;

test.each(['web', 'db'])(
  'where no node has the label of an affinity to %s, no pod helps that starts there first',
  (app) => {
    expect(causesOf(told(near(zone, app), { a: {}, b: {} }))[0]).toBe(
      `2 nodes: InterPodAffinity: the node has no label ${zone}, by which its affinity tells what is near → ${labelIt}`,
    );
  },
);

test('where some have it, such a pod helps there', () => {
  const explanation = told(near(zone), { a: { [zone]: 'x' }, b: { [zone]: 'y' }, c: {} });
  expect(explanation.groups.map(({ names, mend }) => [names.join(), mend])).toEqual([
    ['a,b', 'start such a pod there first, or change the affinity'],
    ['c', labelIt.replace('NODE', 'c')],
  ]);
});

const change = 'change the affinity';
test.each<[string, Partial<PodSpec>, string]>([
  ['a selector of another name', { nodeSelector: { [hostname]: 'elsewhere' } }, 'change the nodeSelector'],
  ['a selector of another system', { nodeSelector: { 'kubernetes.io/os': 'windows' } }, 'change the nodeSelector'],
  [
    'a selector of a name and of a label',
    { nodeSelector: { disk: 'ssd', [hostname]: 'elsewhere' } },
    'change the nodeSelector',
  ],
  ['an affinity to another name', required([hostname, 'elsewhere']), change],
  ['an affinity to another machine', required(['kubernetes.io/arch', 'arm64']), change],
  ['an affinity to a name and a label', required(['disk', 'ssd'], [hostname, 'elsewhere']), change],
  ['an affinity to a label', required(['disk', 'ssd']), `label nodes accordingly, or ${change}`],
  [
    'spreading by what only kubelets set',
    {
      topologySpreadConstraints: [
        { topologyKey: 'kubernetes.io/os', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
      ],
    },
    'spread it by another topologyKey',
  ],
  ['nearness by what only kubelets set', near('kubernetes.io/os'), 'name another topologyKey'],
])('nobody is told to set what a kubelet owns: %s', (_, spec, mend) => {
  expect(told(spec, { a: {}, b: {} }).causes[0]?.mend).toBe(mend);
});

test('of nodes that a label would help, and others that it would not, each is told its own', () => {
  const explanation = told(required(['disk', 'ssd'], [hostname, 'a']), { a: {}, b: {} });
  expect(explanation.groups.map(({ names, mend }) => [names.join(), mend])).toEqual([
    ['a', `label nodes accordingly, or ${change}`],
    ['b', change],
  ]);
});

test.each<[Partial<PodSpec>, string]>([
  [{ nodeSelector: { 'kubernetes.io/arch': 'arm64' } }, 'change the nodeSelector'],
  [{ nodeSelector: { disk: 'ssd', [hostname]: 'elsewhere' } }, 'change the nodeSelector'],
  [{ nodeSelector: { disk: 'ssd' } }, 'kubectl label nodes a disk=ssd'],
  [required([hostname, 'elsewhere']), change],
  [required(['disk', 'ssd']), `label the nodes, or ${change}`],
])('nor is who asks about a DaemonSet: %j', (spec, mend) => {
  const world = createWorld();
  world.put(nodes, makeNode('a'));
  world.put(daemonsets, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: meta('ds'),
    spec: {
      selector: { matchLabels: { app: 'ds' } },
      template: { metadata: { labels: { app: 'ds' } }, spec: { containers: [], ...spec } },
      updateStrategy: { type: 'RollingUpdate' },
    },
    status: {},
  } as never);
  expect(asked(world, { type: daemonsets, name: 'ds' }).groups.map((group) => group.mend)).toEqual([
    `if it should run there: ${mend}`,
  ]);
});
