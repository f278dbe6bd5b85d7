import type { Attack } from './attack.ts';

/** All of them, in the order in which they run. */
export const attacks: readonly Attack[] = [];
