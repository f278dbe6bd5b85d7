import type { Attack } from './attack.ts';
import { damagedFiles } from './damaged-files.ts';
import { http } from './http.ts';
import { kill9 } from './kill-9.ts';
import { createFlood, patchFlood } from './memory.ts';
import { mutation } from './mutation.ts';
import { overload } from './overload.ts';

/** All of them, in the order in which they run. */
export const attacks: readonly Attack[] = [mutation, http, overload, kill9, damagedFiles, patchFlood, createFlood];
