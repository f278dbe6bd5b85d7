import { equal } from '../../base/equal.ts';
import { isObject, type JsonObject, own, put } from '../record.ts';
import { elementStep } from './list-element.ts';
import { anyShape, type ListShape, type MapShape, type Shape, shapeFor } from './shape.ts';

/** What is there with what is applied laid over it. Parts that do not change are shared with `live`. */
export function merge(live: unknown, applied: unknown, shape: Shape): unknown {
  if (applied === undefined) return live;
  if (live === undefined || live === null) return applied;
  const form = shapeFor(shape, applied ?? live);
  if (form.is === 'map' && isObject(live)) {
    // Null has nothing in it: it takes away nothing either.
    if (applied === null) return Object.keys(live).length === 0 ? applied : live;
    if (isObject(applied)) return mergeMap(live, applied, form);
  }
  if (form.is === 'list' && Array.isArray(live)) {
    if (applied === null) return live.length === 0 ? applied : live;
    if (Array.isArray(applied)) return mergeList(live, applied, form);
  }
  return equal(live, applied) ? live : applied;
}

function mergeMap(live: JsonObject, applied: JsonObject, shape: MapShape): JsonObject {
  let next: Record<string, unknown> | undefined;
  for (const name of Object.keys(applied)) {
    const before = own(live, name);
    const after = merge(before, applied[name], shape.at(name) ?? anyShape);
    if (after === before && before !== undefined) continue;
    next ??= { ...live };
    put(next, name, after);
  }
  return next ?? live;
}

/**
 * The applied elements keep their order among themselves, and what only others have stays where it was: an applied element
 * that is new comes right before the next one that both have.
 */
function mergeList(live: readonly unknown[], applied: readonly unknown[], shape: ListShape): readonly unknown[] {
  const liveSteps = live.map((element) => elementStep(shape, element));
  const appliedSteps = applied.map((element) => elementStep(shape, element));
  const current = new Map<string, unknown>();
  for (const [index, step] of liveSteps.entries()) if (!current.has(step)) current.set(step, live[index]);
  const wanted = new Set(appliedSteps);
  const merged: unknown[] = [];
  let done = 0;
  const take = (): void => {
    merged.push(merge(current.get(appliedSteps[done] ?? ''), applied[done], shape.items));
    done += 1;
  };
  for (const [index, step] of liveSteps.entries()) {
    if (!wanted.has(step)) merged.push(live[index]);
    else if (appliedSteps.slice(done).find((each) => current.has(each)) === step) {
      while (appliedSteps[done] !== step) take();
      take();
    }
  }
  while (done < applied.length) take();
  const isSame = merged.length === live.length && merged.every((element, index) => element === live[index]);
  return isSame ? live : merged;
}
