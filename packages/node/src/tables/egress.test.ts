import { expect, test } from 'vitest';
import { egressTable, parseEgress } from './egress.ts';

test('a name without a port is reached where the web is', () => {
  expect(parseEgress(['Example.com', 'hooks.example.com:8443', 'example.com:80'])).toEqual([
    { host: 'example.com', port: 80 },
    { host: 'example.com', port: 443 },
    { host: 'hooks.example.com', port: 8443 },
  ]);
});

test.each([
  ['192.0.2.1', '--egress 192.0.2.1: it takes a name, as in example.com or example.com:8443'],
  ['https://example.com', '--egress https://example.com: it takes a name, as in example.com or example.com:8443'],
  ['*.example.com', '--egress *.example.com: it takes a name, as in example.com or example.com:8443'],
  ['', '--egress : it takes a name, as in example.com or example.com:8443'],
  ['example.com:70000', '--egress example.com:70000: a port is a number from 1 to 65535'],
])('%s is refused', (entry, message) => expect(() => parseEgress([entry])).toThrow(message));

test('each name has an address of its own, each port a way out', () => {
  const { records, ports } = egressTable(parseEgress(['example.com', 'hooks.example.com:8443']));
  expect(records.map((record) => [record.name, 'address' in record && record.address])).toEqual([
    ['example.com', '198.18.0.1'],
    ['hooks.example.com', '198.18.0.2'],
  ]);
  expect(ports.map(({ address, port, backends }) => [address, port, backends])).toEqual([
    ['198.18.0.1', 80, [{ egress: { host: 'example.com', port: 80 } }]],
    ['198.18.0.1', 443, [{ egress: { host: 'example.com', port: 443 } }]],
    ['198.18.0.2', 8443, [{ egress: { host: 'hooks.example.com', port: 8443 } }]],
  ]);
});
