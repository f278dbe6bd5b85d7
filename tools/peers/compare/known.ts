import type { Known } from './differences.ts';

/** What is known to differ, and why: as docs/differences.md tells it. */
export const known: readonly Known[] = [];
