/** Hands out addresses of one IPv4 range, each to one holder at a time; those given back longest ago come first. */
export interface AddressPool {
  take(): string;
  /** Marks an address as held already, e.g. by a pod that ran before a restart. */
  reserve(address: string): void;
  give(address: string): void;
}

/** `createAddressPool('10.128.0.0', 9)`. The network's own and its last address are left out. */
export function createAddressPool(network: string, prefixLength: number): AddressPool {
  const base = toNumber(network);
  const size = 2 ** (32 - prefixLength);
  const held = new Set<number>();
  let next = 1;
  return {
    take() {
      for (let tries = 0; tries < size; tries++) {
        const offset = next;
        next = next + 1 >= size - 1 ? 1 : next + 1;
        if (held.has(offset)) continue;
        held.add(offset);
        return toText(base + offset);
      }
      throw new Error(`no address is left in ${network}/${prefixLength}`);
    },
    reserve: (address) => held.add(toNumber(address) - base),
    give: (address) => held.delete(toNumber(address) - base),
  };
}

const dot = 0x2e;
const zero = 0x30;
const nine = 0x39;

/** Of what is no such address it is none. */
function toNumber(address: string): number {
  let sum = 0;
  let part = 0;
  // Each pod that goes gives one back.
  for (let at = 0; at < address.length; at++) {
    const code = address.charCodeAt(at);
    if (code === dot) {
      sum = sum * 256 + part;
      part = 0;
    } else if (code < zero || code > nine) return Number.NaN;
    else part = part * 10 + (code - zero);
  }
  return sum * 256 + part;
}

function toText(address: number): string {
  return `${(address >>> 24) & 255}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}
