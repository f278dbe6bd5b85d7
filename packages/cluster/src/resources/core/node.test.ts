import { describe, expect, test } from 'vitest';
import { makeNode } from '../../testing/makers.ts';
import { created, createIssues, row, updateIssues } from '../../testing/resources/judge.ts';
import { nodeDefinition, zoneOf } from './node.ts';

const ready = { type: 'Ready', status: 'True' };

describe('columns', () => {
  test.each([
    ['Ready', {}, [ready]],
    ['Ready,SchedulingDisabled', { unschedulable: true }, [ready]],
    ['NotReady', {}, [{ type: 'Ready', status: 'Unknown' }]],
    ['Unknown', {}, []],
    ['Unknown,SchedulingDisabled', { unschedulable: true }, [{ type: 'DiskPressure', status: 'True' }]],
  ])('status %s', (text, spec, conditions) => {
    expect(row(nodeDefinition, { spec, status: { conditions } })['Status']).toBe(text);
  });

  test('roles come from labels, sorted', () => {
    const labels = {
      'node-role.kubernetes.io/worker': '',
      'node-role.kubernetes.io/control-plane': '',
      'node-role.kubernetes.io/': '',
      'kubernetes.io/role': 'edge',
    };
    expect(row(nodeDefinition, { metadata: { labels } })['Roles']).toBe('control-plane,edge,worker');
    expect(row(nodeDefinition, {})['Roles']).toBe('<none>');
  });

  test('the wide ones say what is unknown', () => {
    expect(row(nodeDefinition, { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] } })).toMatchObject(
      {
        'Internal-IP': '10.0.0.1',
        'External-IP': '<none>',
        'OS-Image': '<unknown>',
        'Kernel-Version': '<unknown>',
        'Container-Runtime': '<unknown>',
      },
    );
    expect(nodeDefinition.columns.filter(({ priority }) => priority === 1)).toHaveLength(5);
  });

  test('the version stands behind the age', () => {
    const usual = nodeDefinition.columns.filter(({ priority = 0 }) => priority === 0);
    expect(usual.map(({ name }) => name)).toEqual(['Name', 'Status', 'Roles', 'Age', 'Version']);
  });
});

test('a node is selected by whether it takes pods', () => {
  const [field] = nodeDefinition.selectableFields;
  expect(field?.path).toBe('spec.unschedulable');
  expect(field?.of(created(nodeDefinition, {}))).toBe('false');
  expect(field?.of(created(nodeDefinition, { spec: { unschedulable: true } }))).toBe('true');
});

test('one pod range stands in both places', () => {
  expect(created(nodeDefinition, { spec: { podCIDR: '10.1.0.0/24' } }).spec.podCIDRs).toEqual(['10.1.0.0/24']);
});

test('a node registers with its status', () => {
  expect(created(nodeDefinition, { status: { conditions: [ready] } }).status.conditions).toEqual([ready]);
});

test.each([
  [
    {
      taints: [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoExecute' },
      ],
    },
    [],
  ],
  [
    {
      taints: [
        { key: 'a', value: '1', effect: 'NoSchedule' },
        { key: 'a', value: '2', effect: 'NoSchedule' },
      ],
    },
    [
      'metadata.taints[1]: Duplicate value: {"key":"a","value":"2","effect":"NoSchedule"}: taints must be unique by key and effect pair',
    ],
  ],
  [
    { taints: [{ key: 'a', effect: 'Never' }] },
    [
      'metadata.taints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  ],
  [{ taints: [{ key: 'a' }] }, ['metadata.taints[0].effect: Required value']],
  [
    { podCIDR: '10.0.0.0/33' },
    ['spec.podCIDRs[0]: Invalid value: "10.0.0.0/33": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ],
])('spec %j', (spec, expected) => expect(createIssues(nodeDefinition, { spec })).toEqual(expected));

test('a pod range and a provider are given once', () => {
  const before = { spec: { podCIDR: '10.1.0.0/24', providerID: 'p://1' } };
  expect(updateIssues(nodeDefinition, { before, after: before })).toEqual([]);
  expect(updateIssues(nodeDefinition, { before: {}, after: before })).toEqual([]);
  expect(
    updateIssues(nodeDefinition, { before, after: { spec: { podCIDR: '10.2.0.0/24', providerID: 'p://2' } } }),
  ).toEqual([
    'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
  ]);
});

test('a zone is named by region and zone', () => {
  const labels = { 'topology.kubernetes.io/region': 'eu', 'topology.kubernetes.io/zone': 'eu-1' };
  expect([zoneOf(makeNode('n', { labels })), zoneOf(makeNode('n'))]).toEqual(['eu/eu-1', '/']);
});
