/** A bug in this program, never a user's mistake. */
export class InvariantError extends Error {
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}, options?: ErrorOptions) {
    super(`invariant broken: ${message} ${JSON.stringify(facts)}`, options);
    this.name = 'InvariantError';
    this.facts = facts;
  }
}

/** States what must hold: `assert(revision > last, 'revisions only grow', { revision, last })`. */
export function assert(holds: boolean, message: string, facts?: Readonly<Record<string, unknown>>): asserts holds {
  if (!holds) throw new InvariantError(message, facts);
}

/** For values that the types allow to be absent but the program's logic does not. */
export function present<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new InvariantError(`${what} is present`);
  return value;
}
