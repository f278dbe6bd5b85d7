import type { Attack } from './attack.ts';
import { mutation } from './mutation.ts';

/** All of them, in the order in which they run. */
export const attacks: readonly Attack[] = [mutation];
