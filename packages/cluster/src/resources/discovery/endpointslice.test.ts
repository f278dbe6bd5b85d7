import { expect, test } from 'vitest';
import { created, createIssues, row, updateIssues } from '../../testing/resources/judge.ts';
import { endpointsliceDefinition as definition } from './endpointslice.ts';

const endpoint = { addresses: ['10.0.0.1'] };
const slice = { addressType: 'IPv4', endpoints: [endpoint], ports: [{ port: 80 }] };

test('a port has a name and a protocol', () => {
  expect(created(definition, slice).ports).toEqual([{ name: '', port: 80, protocol: 'TCP' }]);
});

test.each<[object, readonly string[]]>([
  [{}, []],
  [{ addressType: '' }, ['addressType: Required value']],
  [{ addressType: 'IPv6' }, ['endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address']],
  [{ endpoints: [{ addresses: [] }] }, ['endpoints[0].addresses: Required value: must contain at least 1 address']],
  [
    { endpoints: Array.from({ length: 1001 }, () => endpoint) },
    ['endpoints: Too many: 1001: must have at most 1000 items'],
  ],
  [
    { ports: [{ port: 1, protocol: '' }] },
    ['ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"'],
  ],
  [{ ports: [{ port: 1 }, { port: 2 }] }, ['ports[1].name: Duplicate value: ""']],
  [{ ports: [{ name: 'a', port: 70_000 }] }, []],
  [{ ports: [{ protocol: '' }] }, ['ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"']],
  [
    { endpoints: [{ ...endpoint, hints: { forZones: [{ name: 'a' }, { name: 'a' }], forNodes: [{ name: 'A!' }] } }] },
    [
      'endpoints[0].hints.forZones[1].name: Duplicate value: "a"',
      expect.stringMatching(/^endpoints\[0\]\.hints\.forNodes\[0\]\.name: Invalid value: "A!"/) as unknown as string,
    ],
  ],
  [
    {
      endpoints: [
        { ...endpoint, hints: { forNodes: Array.from({ length: 9 }, (_, index) => ({ name: `n${index}` })) } },
      ],
    },
    ['endpoints[0].hints.forNodes: Too many: 9: must have at most 8 items'],
  ],
])('%j', (particulars, expected) => expect(createIssues(definition, { ...slice, ...particulars })).toEqual(expected));

test('the address type stays', () => {
  expect(updateIssues(definition, { before: slice, after: { ...slice, addressType: 'FQDN', endpoints: [] } })).toEqual([
    'addressType: Invalid value: "FQDN": field is immutable',
  ]);
});

test('columns', () => {
  const endpoints = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'].map((address) => ({ addresses: [address] }));
  expect(row(definition, { ...slice, endpoints, ports: [{ port: 80 }, { name: 'any' }] })).toEqual({
    AddressType: 'IPv4',
    Ports: '80,any',
    Endpoints: '10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...',
  });
  expect(row(definition, { addressType: 'IPv4', endpoints: [] })).toMatchObject({
    Ports: '<unset>',
    Endpoints: '<unset>',
  });
});
