import type { FieldPath } from '../../../../api/issue.ts';

/**
 * A path that is built only when something is wrong there. Almost every pod is right, and building the paths of all its
 * parts costs more than checking them.
 */
export type Place = () => FieldPath;

/** The same, some steps deeper: `inside(place, 'containers', 0)`. */
export function inside(place: Place, ...steps: readonly (string | number)[]): Place {
  return () => place()(...steps);
}
