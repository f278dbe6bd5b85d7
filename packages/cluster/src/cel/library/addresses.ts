import { isIPv4, isIPv6 } from 'node:net';
import { EvaluationError } from '../values/value.ts';

/** An address as one number. */
export interface Address {
  readonly family: 4 | 6;
  readonly number: bigint;
}

export const bits = { 4: 32, 6: 128 } as const;

export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { family: 4, number: joined(text.split('.').map(Number), 8n) };
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = withoutDots(text).split('::');
  const before = groups(head);
  const after = groups(tail ?? '');
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  return { family: 6, number: joined([...before, ...new Array<number>(missing).fill(0), ...after], 16n) };
}

function groups(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

/** The last 32 bits may be written as four numbers. */
function withoutDots(text: string): string {
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
    const high = Number(a) * 256 + Number(b);
    const low = Number(c) * 256 + Number(d);
    return `${high.toString(16)}:${low.toString(16)}`;
  });
}

function joined(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((sum, part) => (sum << width) | BigInt(part), 0n);
}

export function isMapped({ family, number }: Address): boolean {
  return family === 6 && number >> 32n === 0xffffn;
}

/** The shortest form: the longest run of zeros is left out. */
export function formatAddress({ family, number }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
  const parts = Array.from({ length: 8 }, (_, index) => Number((number >> BigInt(112 - index * 16)) & 0xffffn));
  const run = longestZeros(parts);
  const text = (list: readonly number[]): string => list.map((part) => part.toString(16)).join(':');
  if (run === undefined) return text(parts);
  return `${text(parts.slice(0, run.begin))}::${text(parts.slice(run.begin + run.length))}`;
}

function longestZeros(parts: readonly number[]): { readonly begin: number; readonly length: number } | undefined {
  let best: { begin: number; length: number } | undefined;
  for (let begin = 0; begin < parts.length; begin++) {
    let length = 0;
    while (parts[begin + length] === 0) length++;
    if (length >= 2 && length > (best?.length ?? 0)) best = { begin, length };
  }
  return best;
}

/** Throws where the text is no address, or one that would be taken for another. */
export function requiredAddress(text: string): Address {
  if (text.includes('%'))
    throw new EvaluationError(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
  const address = parseAddress(text);
  if (address === undefined) {
    const why = /[.:]/.test(text) ? 'unexpected form' : 'unable to parse IP';
    throw new EvaluationError(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ParseAddr(${JSON.stringify(text)}): ${why}`,
    );
  }
  if (isMapped(address)) throw new EvaluationError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return address;
}

export interface Network {
  readonly address: Address;
  readonly length: number;
}

export function parseNetwork(text: string): Network | undefined {
  const [, host = '', length = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = parseAddress(host);
  if (address === undefined || Number(length) > bits[address.family] || isMapped(address)) return undefined;
  return { address, length: Number(length) };
}

export function masked({ address, length }: Network): Network {
  const { family, number } = address;
  const host = BigInt(bits[family] - length);
  return { address: { family, number: (number >> host) << host }, length };
}

export function isWithin(address: Address, network: Network): boolean {
  if (address.family !== network.address.family) return false;
  const host = BigInt(bits[address.family] - network.length);
  return address.number >> host === network.address.number >> host;
}
