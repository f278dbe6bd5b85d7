/** The addresses of the node's pods, each given back when its pod has gone: 10.64.0.2 and on, of the part that is the node's. */
export interface Addresses {
  /** Resolves when it is known which are the node's; at the latest after a while: then all are. */
  known(): Promise<void>;
  /** Throws when all are taken. */
  take(): string;
  /** One that is in use already. */
  reserve(address: string): void;
  /** False when somebody else has it, or it is none of these. */
  claim(address: string): boolean;
  give(address: string): void;
}

export interface AddressesOptions {
  /** The node's own part of the network, as the control plane says it; undefined: it does not. */
  readonly podCidr: () => string | undefined;
  readonly known: () => Promise<void>;
}

/** As many as the last two numbers can tell apart, without the network's own, the bridge's, the gateway's and the broadcast address. */
const least = 2;
const most = 2 ** 16 - 3;

export function createAddresses({ podCidr, known }: AddressesOptions, prefix = '10.64'): Addresses {
  const taken = new Set<number>();
  let next = least;
  const numberOf = (address: string): number | undefined => {
    const [a, b, c, d] = address.split('.');
    return `${a}.${b}` === prefix ? Number(c) * 256 + Number(d) : undefined;
  };
  const range = (): Range => rangeOf(podCidr() ?? '', numberOf) ?? { first: least, last: most };
  return {
    known,
    take() {
      const { first, last } = range();
      // Going on from the last one keeps an address unused for as long as can be: others may still know it.
      for (let tries = first; tries <= last; tries++) {
        const number = next < first || next > last ? first : next;
        next = number + 1;
        if (taken.has(number)) continue;
        taken.add(number);
        return `${prefix}.${number >> 8}.${number & 255}`;
      }
      throw new Error(`all addresses of ${podCidr() ?? `${prefix}.0.0/16`} are in use`);
    },
    reserve(address) {
      const number = numberOf(address);
      if (number !== undefined) taken.add(number);
    },
    claim(address) {
      const number = numberOf(address);
      const { first, last } = range();
      if (number === undefined || number < first || number > last || taken.has(number)) return false;
      taken.add(number);
      return true;
    },
    give(address) {
      const number = numberOf(address);
      if (number !== undefined) taken.delete(number);
    },
  };
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Without what is usually a network's own: its first two addresses and the last. Undefined: it is no part of the network. */
function rangeOf(cidr: string, numberOf: (address: string) => number | undefined): Range | undefined {
  const [address = '', bits = ''] = cidr.split('/');
  const begin = numberOf(address);
  if (begin === undefined || Number(bits) < 16 || Number(bits) > 30) return undefined;
  return { first: Math.max(least, begin + 2), last: Math.min(most, begin + 2 ** (32 - Number(bits)) - 2) };
}
