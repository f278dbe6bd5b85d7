import { type Later, later } from '../../base/later.ts';

/** What looks for mistakes in policies: most clusters have none, and do not load it. */
export const typeChecker: Later<typeof import('./type-checking.ts')> = later(() => import('./type-checking.ts'));
