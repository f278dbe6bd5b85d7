/** How many seats a request takes. Pure. */

/** What is known of a list before anything of it is done. */
export interface ListFacts {
  /** Objects of the resource, in all namespaces. */
  readonly stored: number;
  /** At most so many are asked for. */
  readonly limit: number | undefined;
  /** What is stored is looked through for what is asked for. */
  readonly isSelected: boolean;
}

/** As upstream. */
const objectsPerSeat = 100;
const seatsMax = 10;
/** Of its level: lists leave room for others. */
const partMax = 0.15;

/** A list takes a seat for each hundred objects that it looks at; at most ten, and no more than a part of what its level has. */
export function seatsOfList({ stored, limit = Infinity, isSelected }: ListFacts, nominal: number): number {
  const looked = isSelected ? stored : Math.min(stored, limit);
  const most = Math.min(seatsMax, Math.max(1, Math.ceil(partMax * nominal)));
  return Math.min(most, Math.max(1, Math.ceil(looked / objectsPerSeat)));
}
