import { expect, test } from 'vitest';
import { createIssues, row, updateIssues } from '../../testing/resources/judge.ts';
import { ipaddressDefinition } from './ipaddress.ts';
import { servicecidrDefinition } from './servicecidr.ts';

test.each<[readonly string[], readonly string[]]>([
  [['10.0.0.0/24'], []],
  [['10.0.0.0/24', '2001:db8::/64'], []],
  [[], ['spec.cidrs: Required value: at least one CIDR required']],
  [
    ['10.0.0.0'],
    ['spec.cidrs[0]: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ],
  [
    ['10.0.0.0/24', '10.1.0.0/24'],
    [
      'spec.cidrs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    ],
  ],
])('a ServiceCIDR of %j', (cidrs, issues) => {
  expect(createIssues(servicecidrDefinition, { spec: { cidrs } })).toEqual(issues);
});

test.each<[readonly string[], readonly string[]]>([
  [['10.0.0.0/24', '2001:db8::/64'], []],
  [['10.1.0.0/24'], ['spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable']],
])('one of 10.0.0.0/24 that becomes %j', (cidrs, issues) => {
  const before = { spec: { cidrs: ['10.0.0.0/24'] } };
  expect(updateIssues(servicecidrDefinition, { before, after: { spec: { cidrs } } })).toEqual(issues);
});

const parentRef = { resource: 'services', namespace: 'default', name: 'kubernetes' };

test.each<[string, object, readonly string[]]>([
  ['10.0.0.1', { parentRef }, []],
  [
    'web',
    { parentRef },
    ['metadata.name: Invalid value: "web": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ],
  ['10.0.0.1', {}, ['spec.parentRef: Required value']],
  ['10.0.0.1', { parentRef: { resource: 'services' } }, ['spec.parentRef.name: Required value']],
])('an IPAddress called %s with %j', (name, spec, issues) => {
  expect(createIssues(ipaddressDefinition, { metadata: { name }, spec })).toEqual(issues);
});

test('what it belongs to stands in the table, and never changes', () => {
  expect(row(ipaddressDefinition, { spec: { parentRef } })).toEqual({ ParentRef: 'services/default/kubernetes' });
  const grouped = { parentRef: { group: 'example.com', resource: 'Gates', name: 'a' } };
  expect(row(ipaddressDefinition, { spec: grouped })).toEqual({ ParentRef: 'gates.example.com/a' });
  const metadata = { name: '10.0.0.1' };
  expect(
    updateIssues(ipaddressDefinition, {
      before: { metadata, spec: { parentRef } },
      after: { metadata, spec: grouped },
    }),
  ).toHaveLength(1);
});
