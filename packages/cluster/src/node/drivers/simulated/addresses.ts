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

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function toText(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}
