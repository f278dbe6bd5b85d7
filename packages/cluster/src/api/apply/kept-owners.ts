const kept = new WeakSet<object>();

/** Notes a frozen list of owners that was found or decoded here, so that it is not looked at again when an object brings it back. */
export function keepOwners(owners: object): void {
  kept.add(owners);
}

export function areKeptOwners(list: object): boolean {
  return kept.has(list);
}
