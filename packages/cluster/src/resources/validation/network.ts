/** Ports, addresses and network ranges. */
import { isIP, isIPv4, isIPv6 } from 'node:net';
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

export function* cidr(value: string, at: FieldPath): Iterable<Issue> {
  if (!isCidr(value)) yield at.invalid(value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)');
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
