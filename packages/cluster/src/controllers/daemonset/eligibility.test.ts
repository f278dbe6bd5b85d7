import { describe, expect, test } from 'vitest';
import type { Node, PodSpec, Taint } from '../../api/generated/core-v1.ts';
import { daemonset, node, podSpec } from '../../testing/plan-world.ts';
import { describeVerdict, shouldRun } from './eligibility.ts';
import { withAutomaticTolerations } from './tolerations.ts';

const requiring = (matchExpressions: readonly { key: string; operator: string; values?: readonly string[] }[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
});

function verdict(
  spec: Partial<PodSpec>,
  { labels = {}, taints = [] }: { labels?: Record<string, string>; taints?: Taint[] } = {},
) {
  const set = daemonset('ds', { template: { metadata: { labels: { app: 'ds' } }, spec: { ...podSpec, ...spec } } });
  return shouldRun(set, node('node-1', { labels, taints }));
}

const noSchedule: Taint = { key: 'dedicated', value: 'db', effect: 'NoSchedule' };
const noExecute: Taint = { key: 'broken', effect: 'NoExecute' };

describe('the verdict names the first rule that says no', () => {
  test.each([
    ['nothing in the way', verdict({}), true, true, undefined],
    ['another node by name', verdict({ nodeName: 'node-2' }, { taints: [noExecute] }), false, false, 'nodeName'],
    ['this node by name', verdict({ nodeName: 'node-1' }), true, true, undefined],
    ['a label missing', verdict({ nodeSelector: { disk: 'ssd' } }), false, false, 'nodeSelector'],
    [
      'a label that fits',
      verdict({ nodeSelector: { disk: 'ssd' } }, { labels: { disk: 'ssd' } }),
      true,
      true,
      undefined,
    ],
    [
      'affinity that does not fit',
      verdict({ affinity: requiring([{ key: 'zone', operator: 'In', values: ['b'] }]) }, { labels: { zone: 'a' } }),
      false,
      false,
      'nodeAffinity',
    ],
    [
      'affinity without terms',
      verdict({
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
      }),
      false,
      false,
      'nodeAffinity',
    ],
    [
      'an operator that does not exist',
      verdict({ affinity: requiring([{ key: 'zone', operator: 'Like' }]) }),
      false,
      false,
      'nodeAffinity',
    ],
    ['a taint against new pods', verdict({}, { taints: [noSchedule] }), false, true, 'taint'],
    ['a taint against all pods', verdict({}, { taints: [noSchedule, noExecute] }), false, false, 'taint'],
    [
      'a tolerated taint',
      verdict({ tolerations: [{ key: 'dedicated', operator: 'Exists' }] }, { taints: [noSchedule] }),
      true,
      true,
      undefined,
    ],
    ['a mere preference', verdict({}, { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] }), true, true, undefined],
  ])('%s', (_, found, runs, stays, rule) => {
    expect(found).toMatchObject({ runs, stays });
    expect(found.runs ? undefined : found.rule.rule).toBe(rule);
  });

  test.each([
    [verdict({}), 'the node gets a pod'],
    [verdict({ nodeName: 'node-2' }), 'the pod template names another node in spec.nodeName: node-2'],
    [
      verdict({ nodeSelector: { disk: 'ssd' } }),
      "the pod template's nodeSelector wants the label disk=ssd, which the node does not have",
    ],
    [
      verdict({ nodeSelector: { disk: 'ssd' } }, { labels: { disk: 'hdd' } }),
      "the pod template's nodeSelector wants the label disk=ssd, but the node has disk=hdd",
    ],
    [
      verdict({ affinity: requiring([{ key: 'zone', operator: 'Exists' }]) }),
      "the node does not match the pod template's required node affinity",
    ],
    [
      verdict({}, { taints: [noSchedule] }),
      'the pod template does not tolerate the taint dedicated=db:NoSchedule; a pod that is there already may stay',
    ],
    [verdict({}, { taints: [noExecute] }), 'the pod template does not tolerate the taint broken:NoExecute'],
  ])('and says so: %#', (found, text) => {
    expect(describeVerdict(found)).toBe(text);
  });
});

describe('what is left to the scheduler has no say', () => {
  const large = {
    containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '64', memory: '1Ti' } } }],
  };
  const port = { containers: [{ name: 'app', image: 'app:1', ports: [{ containerPort: 80, hostPort: 80 }] }] };
  const plain = node('node-1');
  test.each<[string, Partial<PodSpec>, Node]>([
    [
      'too large for the node',
      large,
      { ...plain, status: { allocatable: { cpu: '100m', memory: '100Mi', pods: '0' } } },
    ],
    ['a host port', port, plain],
    ['a cordon without its taint', {}, { ...plain, spec: { unschedulable: true } }],
    ['a node that is not ready', {}, { ...plain, status: { conditions: [{ type: 'Ready', status: 'False' }] } }],
  ])('%s', (_, spec, object) => {
    const template = { metadata: { labels: { app: 'ds' } }, spec: { ...podSpec, ...spec } };
    expect(shouldRun(daemonset('ds', { template }), object)).toEqual({ runs: true, stays: true });
  });
});

test('the same template and node give the same verdict object, a changed node a new one', () => {
  const template = { metadata: { labels: { app: 'ds' } }, spec: { ...podSpec, nodeSelector: { disk: 'ssd' } } };
  const set = daemonset('ds', { template });
  const before = node('node-1');
  expect(shouldRun(set, before)).toBe(shouldRun(set, before));
  expect(shouldRun(set, node('node-1', { labels: { disk: 'ssd' } })).runs).toBe(true);
});

describe('automatic tolerations', () => {
  const keys = (spec: PodSpec): readonly string[] =>
    withAutomaticTolerations(spec).map(({ key, effect }) => `${key?.replace('node.kubernetes.io/', '')}:${effect}`);

  test('are six, and seven on the host network', () => {
    const six = [
      'not-ready:NoExecute',
      'unreachable:NoExecute',
      'disk-pressure:NoSchedule',
      'memory-pressure:NoSchedule',
      'pid-pressure:NoSchedule',
      'unschedulable:NoSchedule',
    ];
    expect(keys(podSpec)).toEqual(six);
    expect(keys({ ...podSpec, hostNetwork: true })).toEqual([...six, 'network-unavailable:NoSchedule']);
  });

  test('take the place of their equals, which loses tolerationSeconds, and leave others alone', () => {
    const given = {
      key: 'node.kubernetes.io/not-ready',
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 5,
    };
    const other = { ...given, operator: 'Equal', value: 'x' };
    const tolerations = withAutomaticTolerations({ ...podSpec, tolerations: [other, given] });
    expect(tolerations).toHaveLength(7);
    expect(tolerations[0]).toEqual(other);
    expect(tolerations[1]).toEqual({ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' });
  });
});
