/** `1 node`, `3 nodes`; `0 replicas`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** What is said of one, of so many: `is not ready` of two is `are not ready`. */
export function agreeing(count: number, said: string): string {
  if (count === 1) return said;
  return said.replace(/^[a-z]+/, (verb) => plurals[verb] ?? verb);
}

/** Verbs that sentences about several begin with. What is not here is the same in both: `may not be evicted`, `will be driven out`. */
const plurals: Readonly<Record<string, string>> = {
  ...{ is: 'are', has: 'have', does: 'do' },
  ...{ waits: 'wait', stays: 'stay', runs: 'run', uses: 'use', serves: 'serve', keeps: 'keep', drives: 'drive' },
};
