/**
 * Arguments of Node.js for a process that works in bursts and rests in between: new objects get four MiB instead of sixteen, which a
 * burst would fill and nobody would give back. It collects more often for it.
 */
export const quietProcess: readonly string[] = ['--max-semi-space-size=4'];
