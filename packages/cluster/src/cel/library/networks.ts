import { fixed, holds, traverses } from '../costs/rules.ts';
import { bool, int, opaque, string, type Type } from '../types/type.ts';
import { EvaluationError, Opaque, type Value } from '../values/value.ts';
import {
  type Address,
  bits,
  formatAddress,
  isMapped,
  isWithin,
  masked,
  type Network,
  parseAddress,
  parseNetwork,
  requiredAddress,
} from './addresses.ts';
import { fn, instance, member, type Overload, text } from './overload.ts';

export const ipType: Type = opaque('net.IP');
export const cidrType: Type = opaque('net.CIDR');

class Ip extends Opaque {
  readonly typeName = 'net.IP';
  readonly address: Address;

  constructor(address: Address) {
    super();
    this.address = address;
  }

  /** In bytes. */
  get size(): number {
    return Math.ceil(bits[this.address.family] / 8);
  }

  override equals(other: Opaque): boolean {
    if (!(other instanceof Ip)) return false;
    return other.address.family === this.address.family && other.address.number === this.address.number;
  }
}

class Cidr extends Opaque {
  readonly typeName = 'net.CIDR';
  readonly network: Network;

  constructor(network: Network) {
    super();
    this.network = network;
  }

  get size(): number {
    return Math.ceil(this.network.length / 8);
  }

  override equals(other: Opaque): boolean {
    if (!(other instanceof Cidr) || other.network.length !== this.network.length) return false;
    return new Ip(other.network.address).equals(new Ip(this.network.address));
  }
}

function address(value: Value | undefined): Address {
  return instance(value, Ip).address;
}

function network(value: Value | undefined): Network {
  return instance(value, Cidr).network;
}

function requiredNetwork(source: string): Network {
  const found = parseNetwork(source);
  if (found !== undefined) return found;
  throw new EvaluationError(
    `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(source)}): no '/'`,
  );
}

/** The first bits of an address, as a number. */
function leading({ family, number }: Address, count: number): bigint {
  return number >> BigInt(bits[family] - count);
}

const isUnspecified = ({ number }: Address): boolean => number === 0n;
const isLoopback = (ip: Address): boolean => (ip.family === 4 ? leading(ip, 8) === 127n : ip.number === 1n);
const isMulticast = (ip: Address): boolean => (ip.family === 4 ? leading(ip, 4) === 0xen : leading(ip, 8) === 0xffn);
const isLinkLocalMulticast = (ip: Address): boolean =>
  ip.family === 4 ? leading(ip, 24) === 0xe00000n : (leading(ip, 16) & 0xff0fn) === 0xff02n;
const isLinkLocalUnicast = (ip: Address): boolean =>
  ip.family === 4 ? leading(ip, 16) === 0xa9fen : leading(ip, 10) === 0x3fan;
const isBroadcast = ({ family, number }: Address): boolean => family === 4 && number === 0xffffffffn;
const isGlobalUnicast = (ip: Address): boolean =>
  ![isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast, isBroadcast].some((is) => is(ip));

function asked(name: string, is: (ip: Address) => boolean): Overload {
  return member(name, { parameters: [ipType], result: bool, costs: fixed(1) }, ([x]) => is(address(x)));
}

const reads = traverses();
const costs = fixed(1);

const addresses: readonly Overload[] = [
  fn('ip', { parameters: [string], result: ipType, costs: reads }, ([x]) => new Ip(requiredAddress(text(x)))),
  fn('isIP', { parameters: [string], result: bool, costs: reads }, ([x]) => {
    const found = parseAddress(text(x));
    return found !== undefined && !isMapped(found);
  }),
  fn(
    'ip.isCanonical',
    { parameters: [string], result: bool, costs: traverses({ times: 2 }) },
    ([x]) => formatAddress(requiredAddress(text(x))) === text(x),
  ),
  fn('string', { parameters: [ipType], result: string }, ([x]) => formatAddress(address(x))),
  member('family', { parameters: [ipType], result: int, costs }, ([x]) => BigInt(address(x).family)),
  asked('isUnspecified', isUnspecified),
  asked('isLoopback', isLoopback),
  asked('isLinkLocalMulticast', isLinkLocalMulticast),
  asked('isLinkLocalUnicast', isLinkLocalUnicast),
  asked('isGlobalUnicast', isGlobalUnicast),
];

function hasNetwork(outer: Network, inner: Network): boolean {
  return outer.length <= inner.length && isWithin(inner.address, outer);
}

export const networks: readonly Overload[] = [
  ...addresses,
  fn('cidr', { parameters: [string], result: cidrType, costs: reads }, ([x]) => new Cidr(requiredNetwork(text(x)))),
  fn('isCIDR', { parameters: [string], result: bool, costs: reads }, ([x]) => parseNetwork(text(x)) !== undefined),
  fn('string', { parameters: [cidrType], result: string }, ([x]) => {
    const { address: host, length } = network(x);
    return `${formatAddress(host)}/${length}`;
  }),
  member(
    'containsIP',
    { parameters: [cidrType, string], result: bool, costs: holds({ reads: true, masks: false }) },
    ([x, y]) => isWithin(requiredAddress(text(y)), network(x)),
  ),
  member(
    'containsIP',
    { parameters: [cidrType, ipType], result: bool, costs: holds({ reads: false, masks: false }) },
    ([x, y]) => isWithin(address(y), network(x)),
  ),
  member(
    'containsCIDR',
    { parameters: [cidrType, string], result: bool, costs: holds({ reads: true, masks: true }) },
    ([x, y]) => hasNetwork(network(x), requiredNetwork(text(y))),
  ),
  member(
    'containsCIDR',
    { parameters: [cidrType, cidrType], result: bool, costs: holds({ reads: false, masks: true }) },
    ([x, y]) => hasNetwork(network(x), network(y)),
  ),
  member('ip', { parameters: [cidrType], result: ipType, costs }, ([x]) => new Ip(network(x).address)),
  member('prefixLength', { parameters: [cidrType], result: int, costs }, ([x]) => BigInt(network(x).length)),
  member('masked', { parameters: [cidrType], result: cidrType, costs }, ([x]) => new Cidr(masked(network(x)))),
];
