/** When V8 collects garbage. A process says it of itself; nothing in this package does so unasked. */
import { type EngineFlag, setEngineFlag } from './engine-flags.ts';

const delay = { usual: '--gc-memory-reducer-start-delay-ms=8000' };

/**
 * Garbage is collected when it is much, and not also every few seconds where little happens. For who makes a little of it all the time:
 * a large fleet at rest takes a sixth to a quarter less CPU then, and the process some ten megabytes more.
 */
export function collectWhenMuch(engine: string, say: (flag: EngineFlag) => void = setEngineFlag): void {
  // Of Node.js 20; later engines were not measured.
  if (engine.startsWith('11.')) say({ ...delay, set: '--gc-memory-reducer-start-delay-ms=2000000000' });
}
