import { expect, test } from 'vitest';
import { created, createIssues, row } from '../../testing/resources/judge.ts';
import { endpointsDefinition } from './endpoints.ts';

const addresses = [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }];

test('addresses are shown with each port, three at most', () => {
  const subsets = [{ addresses, ports: [{ port: 80 }, { port: 90 }] }];
  expect(row(endpointsDefinition, { subsets })['Endpoints']).toBe('10.0.0.1:80,10.0.0.2:80,10.0.0.1:90 + 1 more...');
  expect(row(endpointsDefinition, { subsets: [{ addresses }] })['Endpoints']).toBe('10.0.0.1,10.0.0.2');
  expect(row(endpointsDefinition, {})['Endpoints']).toBe('<none>');
});

test('ports speak TCP unless they say otherwise', () => {
  const { subsets } = created(endpointsDefinition, { subsets: [{ addresses, ports: [{ port: 80 }] }] });
  expect(subsets?.[0]?.ports).toEqual([{ port: 80, protocol: 'TCP' }]);
});

test.each([
  [[{}], ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`']],
  [
    [{ addresses: [{ ip: 'x' }] }],
    ['subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ],
  [[{ addresses, ports: [{ name: 'a', port: 1 }, { port: 2 }] }], ['subsets[0].ports[1].name: Required value']],
  [[{ notReadyAddresses: addresses, ports: [{ port: 1 }] }], []],
])('%j', (subsets, expected) => expect(createIssues(endpointsDefinition, { subsets })).toEqual(expected));
