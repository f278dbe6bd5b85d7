import { noOverload } from '../library/overload.ts';
import { EvaluationError, type Value } from '../values/value.ts';
import type { Frame, Run } from './frame.ts';

/** An error on one side counts only where the other side does not settle it. */
function settled(left: Run, right: Run, { by }: { readonly by: boolean }): Run {
  return (frame) => {
    let problem: unknown;
    try {
      const value = left(frame);
      if (value === by) return by;
      if (typeof value !== 'boolean') problem = noOverload();
    } catch (error) {
      problem = passing(error);
    }
    let value: Value;
    try {
      value = right(frame);
    } catch (error) {
      const second = passing(error);
      // Of two the first one is told.
      throw problem ?? second;
    }
    if (value === by) return by;
    if (problem !== undefined) throw problem;
    if (typeof value !== 'boolean') throw noOverload();
    return !by;
  };
}

function passing(error: unknown): unknown {
  // A cost that is exceeded, and a bug, are no matter of logic.
  if (!(error instanceof EvaluationError)) throw error;
  return error;
}

export function both(left: Run, right: Run): Run {
  return settled(left, right, { by: false });
}

export function either(left: Run, right: Run): Run {
  return settled(left, right, { by: true });
}

export function choice(...[condition, yes, no]: readonly [Run, Run, Run]): Run {
  return (frame: Frame): Value => {
    const value = condition(frame);
    if (typeof value !== 'boolean') throw noOverload();
    return value ? yes(frame) : no(frame);
  };
}
