import { expect, test } from 'vitest';
import type { Node, Pod } from '../api/generated/core-v1.ts';
import { makeNode, makePod, type PodParts } from '../testing/makers.ts';
import { formatAmount } from './detail.ts';
import { judgePod } from './judgement.ts';

const zone = 'topology.kubernetes.io/zone';
const nodes = [makeNode('a', { labels: { [zone]: 'x' } }), makeNode('b', { labels: { [zone]: 'y' } }), makeNode('c')];
const near = (app: string): object => ({ topologyKey: zone, labelSelector: { matchLabels: { app } } });
const required = (kind: 'podAffinity' | 'podAntiAffinity', app: string): object => ({
  affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [near(app)] } },
});
const web = makePod('web', { node: 'a', labels: { app: 'web' } });

/** What stands behind the rejections of a node. */
function details(
  parts: PodParts,
  { on, pods = [web], all = nodes }: { on: string; pods?: readonly Pod[]; all?: readonly Node[] },
): readonly string[] {
  return judgePod(makePod('p', parts), { nodes: all, pods })
    .on(on)
    .flatMap(({ details: found }) => found.map(({ text, pods: others }) => [text, ...(others ?? [])].join(' | ')));
}

test.each<[string, PodParts, string, readonly string[]]>([
  [
    'affinity',
    { spec: required('podAffinity', 'db') },
    'a',
    [`no pod that its affinity asks for is in the same ${zone}`],
  ],
  [
    'anti-affinity of its own',
    { spec: required('podAntiAffinity', 'web') },
    'a',
    [`a pod that its anti-affinity keeps it from is in the same ${zone} | default/web`],
  ],
  [
    'node affinity',
    {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: 'In', values: ['z'] }] }],
            },
          },
        },
      },
    },
    'a',
    [`its required node affinity wants ${zone}=z`],
  ],
  ['another name', { spec: { nodeName: 'b' } }, 'a', ['it names the node b itself']],
  [
    'spread',
    {
      labels: { app: 'web' },
      spec: {
        topologySpreadConstraints: [
          {
            topologyKey: zone,
            maxSkew: 1,
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'web' } },
          },
        ],
      },
    },
    'a',
    [`its ${zone} has 1 such pod, another one 0: maxSkew is 1`],
  ],
  [
    'spread, without the label',
    {
      labels: { app: 'web' },
      spec: {
        topologySpreadConstraints: [
          {
            topologyKey: zone,
            maxSkew: 1,
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'web' } },
          },
        ],
      },
    },
    'c',
    [`the node has no label ${zone}, by which it is spread`],
  ],
])('%s says what stands behind it', (_, parts, on, expected) => {
  expect(details(parts, { on })).toEqual(expected);
});

test('who is there already and keeps it away is named', () => {
  const hermit = makePod('hermit', {
    node: 'a',
    labels: { app: 'hermit' },
    spec: { nodeName: 'a', ...required('podAntiAffinity', 'web') },
  });
  expect(details({ labels: { app: 'web' } }, { on: 'a', pods: [hermit] })).toEqual([
    'the anti-affinity of pods nearby keeps it away | default/hermit',
  ]);
});

test('a node that is full of pods, and resources of other kinds, are counted alike', () => {
  const all = [makeNode('a', { pods: '1', allocatable: { 'example.com/gpu': '1' } })];
  const resources = { requests: { 'example.com/gpu': '2' } };
  const spec = { containers: [{ name: 'c', image: 'i', resources }] };
  expect(details({ spec }, { on: 'a', all })).toEqual([
    'no pod more may run there',
    '2 example.com/gpu is more than the node has',
  ]);
});

test.each([
  ['cpu', 1_500, '1500m'],
  ['cpu', 2_000, '2'],
  ['memory', 2 ** 30, '1Gi'],
  ['hugepages-2Mi', 2 ** 21, '2Mi'],
  ['example.com/gpu', 2, '2'],
])('%s %d is written %s', (resource, amount, text) => {
  expect(formatAmount(resource, amount)).toBe(text);
});
