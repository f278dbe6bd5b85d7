import { expect, test } from 'vitest';
import { type Issue, root } from '../../api/issue.ts';
import { countOrPercent, positiveQuantity, resourceAmounts, unchanged } from './fields.ts';
import { cidr, endpointAddress, ipAddress, isCidr, portName, portNumber, portNumberOrName } from './network.ts';

const at = root('field');
const details = (issues: Iterable<Issue>): string[] =>
  [...issues].map(({ message }) => message.replace(/^.*?: .*?: /, ''));

test.each([0, -1, 65_536, 1.5, Number.NaN])('%d is no port', (port) => {
  expect(details(portNumber(port, at))).toEqual(['must be between 1 and 65535, inclusive']);
});

test.each([1, 80, 65_535])('%d is a port', (port) => expect(details(portNumber(port, at))).toEqual([]));

test.each([
  ['http', []],
  ['a'.repeat(16), ['must be no more than 15 characters']],
  ['80', ['must contain at least one letter (a-z)']],
  ['a--b', ['must not contain consecutive hyphens']],
  ['-a', ['must not begin or end with a hyphen']],
  [
    'A',
    [
      'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'must contain at least one letter (a-z)',
    ],
  ],
])('port name %j', (name, expected) => expect(details(portName(name, at))).toEqual(expected));

test('a port is a number or a name', () => {
  expect(details(portNumberOrName(80, at))).toEqual([]);
  expect(details(portNumberOrName('http', at))).toEqual([]);
  expect(details(portNumberOrName('', at))).not.toEqual([]);
});

test.each(['10.0.0.0/8', '0.0.0.0/0', '10.0.0.1/32', 'fd00::/64', '::/0'])('%s is a range', (range) =>
  expect(isCidr(range)).toBe(true),
);

test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', '/8', '10.0.0.0/-1', ''])('%j is none', (range) => {
  expect([...cidr(range, at)]).toHaveLength(1);
});

test('an address is IPv4 or IPv6', () => {
  expect([...ipAddress('10.0.0.1', at), ...ipAddress('::1', at)]).toEqual([]);
  expect([...ipAddress('10.0.0.256', at)]).toHaveLength(1);
});

test.each<[number | string, number]>([
  [0, 0],
  [5, 0],
  ['0%', 0],
  ['100%', 0],
  [-1, 1],
  ['101%', 1],
  ['5.5%', 1],
  ['5', 1],
  ['-5%', 1],
])('count or percent %j has %d issues', (value, count) => expect([...countOrPercent(value, at)]).toHaveLength(count));

test('amounts are checked under their names', () => {
  const issues = [...resourceAmounts({ cpu: '-1', memory: '1Kii', 'a/b/c': '1' }, at)];
  expect(issues.map(({ field }) => field)).toEqual(['field[cpu]', 'field[memory]', 'field[a/b/c]']);
  expect([...positiveQuantity('0', at)]).toHaveLength(1);
  expect([...positiveQuantity('1Gi', at)]).toEqual([]);
});

test('unchanged compares by content', () => {
  expect([...unchanged({ a: [1], b: 2 }, { b: 2, a: [1] }, at)]).toEqual([]);
  expect([...unchanged({ a: [2] }, { a: [1] }, at)].map(({ message }) => message)).toEqual([
    'Invalid value: {"a":[2]}: field is immutable',
  ]);
});

test.each([
  ['10.0.0.1', []],
  ['2001:db8::1', []],
  ['0.0.0.0', ['may not be unspecified (0.0.0.0 or ::)']],
  ['127.9.9.9', ['may not be in the loopback range (127.0.0.0/8, ::1/128)']],
  ['::1', ['may not be in the loopback range (127.0.0.0/8, ::1/128)']],
  ['169.254.1.1', ['may not be in the link-local range (169.254.0.0/16, fe80::/10)']],
  ['fe80::1', ['may not be in the link-local range (169.254.0.0/16, fe80::/10)']],
  ['224.0.0.7', ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)']],
])('the endpoint address %s', (address, expected) => expect(details(endpointAddress(address, at))).toEqual(expected));
