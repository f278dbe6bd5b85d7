/** When V8 makes code faster that runs often. A process says it of itself; nothing in this package does so unasked. */
import { type EngineFlag, setEngineFlag } from './engine-flags.ts';

/** Tells the engine a flag. */
type Say = (flag: EngineFlag) => void;

const budget = { usual: '--interrupt-budget=67584' };
const ticks = { usual: '--ticks-before-optimization=3' };

/**
 * Code is to be made faster at its own cost only when it has run for long: fifteen times as long as V8 thinks. What a burst runs a hundred
 * times is not worth it. Not an argument: a Node.js that does not know it would not start.
 */
export function optimizeLater(say: Say = setEngineFlag): void {
  say({ ...budget, set: '--interrupt-budget=1000000' });
}

/** What runs while a process starts, runs a few times: hardly anything of it is to be made faster until {@link optimizeAsUsual}. */
export function optimizeAfterStart(engine: string, say: Say = setEngineFlag): void {
  if (isKnown(engine)) say({ ...ticks, set: '--ticks-before-optimization=30' });
}

/** As V8 does it unasked. */
export function optimizeAsUsual(engine: string, say: Say = setEngineFlag): void {
  if (isKnown(engine)) say({ ...ticks, set: ticks.usual });
}

/** Of Node.js 20, `process.versions.v8`. Later ones have a compiler more between, flags of other names, and say so where they do not know one. */
function isKnown(engine: string): boolean {
  return engine.startsWith('11.');
}
