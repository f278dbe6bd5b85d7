import { traverses } from '../costs/rules.ts';
import { string } from '../types/type.ts';
import { fn, type Overload, text } from './overload.ts';

/** A key as a step of a JSON pointer. */
export function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

export const jsonPatches: readonly Overload[] = [
  fn('jsonpatch.escapeKey', { parameters: [string], result: string, costs: traverses({ keepsSize: true }) }, ([key]) =>
    escapeKey(text(key)),
  ),
];
