/** Ports, addresses and network ranges. */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import type { FieldPath, Issue } from '../../api/issue.ts';

export function* portNumber(value: number, at: FieldPath): Iterable<Issue> {
  if (!Number.isInteger(value) || value < 1 || value > 65_535)
    yield at.invalid(value, 'must be between 1 and 65535, inclusive');
}

/** IANA service name: what a named port is. */
export function* portName(value: string, at: FieldPath): Iterable<Issue> {
  if (value.length > 15) yield at.invalid(value, 'must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(value))
    yield at.invalid(value, 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) yield at.invalid(value, 'must contain at least one letter (a-z)');
  if (value.includes('--')) yield at.invalid(value, 'must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) yield at.invalid(value, 'must not begin or end with a hyphen');
}

export function* portNumberOrName(value: number | string, at: FieldPath): Iterable<Issue> {
  if (typeof value === 'number') yield* portNumber(value, at);
  else yield* portName(value, at);
}

export function* ipAddress(value: string, at: FieldPath): Iterable<Issue> {
  if (isIP(value) === 0) yield at.invalid(value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
}

/** Ranges whose addresses mean something else on every machine, so that no endpoint can have one. In upstream's order. */
const specialRanges: readonly (readonly [message: string, ranges: BlockList])[] = [
  [
    'may not be unspecified (0.0.0.0 or ::)',
    blockList([
      ['0.0.0.0', 32, 'ipv4'],
      ['::', 128, 'ipv6'],
    ]),
  ],
  [
    'may not be in the loopback range (127.0.0.0/8, ::1/128)',
    blockList([
      ['127.0.0.0', 8, 'ipv4'],
      ['::1', 128, 'ipv6'],
    ]),
  ],
  [
    'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    blockList([
      ['169.254.0.0', 16, 'ipv4'],
      ['fe80::', 10, 'ipv6'],
    ]),
  ],
  [
    'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    blockList([
      ['224.0.0.0', 24, 'ipv4'],
      ['ff02::', 16, 'ipv6'],
    ]),
  ],
];

function blockList(ranges: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) list.addSubnet(...range);
  return list;
}

/** An address at which something can be reached from elsewhere. One that is no address at all is left to others. */
export function* endpointAddress(value: string, at: FieldPath): Iterable<Issue> {
  const family = isIP(value);
  if (family === 0) return;
  const special = specialRanges.find(([, ranges]) => ranges.check(value, family === 4 ? 'ipv4' : 'ipv6'));
  if (special !== undefined) yield at.invalid(value, special[0]);
}

export function* cidr(value: string, at: FieldPath): Iterable<Issue> {
  if (!isCidr(value)) yield at.invalid(value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)');
}

/** An address of an interface, with the bits of its network. */
export function* interfaceAddress(value: string, at: FieldPath): Iterable<Issue> {
  if (!isCidr(value))
    yield at.invalid(value, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)');
}

export function isCidr(value: string): boolean {
  const parts = /^(.+)\/(\d{1,3})$/.exec(value);
  if (parts === null) return false;
  const [, address = '', bits = ''] = parts;
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
}

export const protocols: readonly string[] = ['SCTP', 'TCP', 'UDP'];

export function* protocol(value: string | undefined, at: FieldPath): Iterable<Issue> {
  if (value === undefined || value === '') yield at.required();
  else if (!protocols.includes(value)) yield at.notSupported(value, protocols);
}
