/** What was made, or why it could not be. */
export type Made<T> = { readonly ok: true; readonly value: T } | Refused;

export interface Refused {
  readonly ok: false;
  /** As clients know it: `CreateContainerConfigError`, `FailedMount`. */
  readonly reason: string;
  readonly message: string;
}

export function made<T>(value: T): Made<T> {
  return { ok: true, value };
}

export function badConfig(message: string): Refused {
  return { ok: false, reason: 'CreateContainerConfigError', message };
}
