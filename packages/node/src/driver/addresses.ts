/** The addresses of the node's pods: 10.64.0.2 and on, each given back when its pod has gone. */
export interface Addresses {
  /** Throws when all are taken. */
  take(): string;
  /** One that is in use already. */
  reserve(address: string): void;
  /** False when somebody else has it, or it is none of these. */
  claim(address: string): boolean;
  give(address: string): void;
}

/** As many as the last two numbers can tell apart, without the network's own, the bridge's, the gateway's and the broadcast address. */
const least = 2;
const most = 2 ** 16 - 3;

export function createAddresses(prefix = '10.64'): Addresses {
  const taken = new Set<number>();
  let next = least;
  const numberOf = (address: string): number | undefined => {
    const [a, b, c, d] = address.split('.');
    return `${a}.${b}` === prefix ? Number(c) * 256 + Number(d) : undefined;
  };
  return {
    take() {
      // Going on from the last one keeps an address unused for as long as can be: others may still know it.
      for (let tries = least; tries <= most; tries++) {
        const number = next;
        next = next === most ? least : next + 1;
        if (taken.has(number)) continue;
        taken.add(number);
        return `${prefix}.${number >> 8}.${number & 255}`;
      }
      throw new Error(`all addresses of ${prefix}.0.0/16 are in use`);
    },
    reserve(address) {
      const number = numberOf(address);
      if (number !== undefined) taken.add(number);
    },
    claim(address) {
      const number = numberOf(address);
      if (number === undefined || taken.has(number)) return false;
      taken.add(number);
      return true;
    },
    give(address) {
      const number = numberOf(address);
      if (number !== undefined) taken.delete(number);
    },
  };
}
