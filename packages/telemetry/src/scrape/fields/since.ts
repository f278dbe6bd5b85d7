import type { Place } from '../checks.ts';

/** From which version on an agent reads something. An older one refuses it, and its whole file with it. */
export interface Since<At extends Place> {
  /** As the owner is told: `Prometheus 2.45`. */
  readonly minimum: string;
  isRead(place: At): boolean;
}

/** The value, unless its reader is too old for it: then the object's owner is told, where something `isSaid`. */
export function whereRead<Value, At extends Place>(
  value: Value | undefined,
  since: Since<At>,
  { place, isSaid = value !== undefined }: { readonly place: At; readonly isSaid?: boolean },
): Value | undefined {
  if (since.isRead(place)) return value;
  if (isSaid && value !== undefined)
    place.leaf.warn('UnsupportedField', place.at, `needs ${since.minimum} or newer, so the field has no effect`);
  return undefined;
}
