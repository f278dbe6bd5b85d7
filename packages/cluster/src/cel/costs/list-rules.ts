/** What functions of lists cost that compare elements with each other, or make lists. */
import { List } from '../values/value.ts';
import { exactly, one, plus, type Range, scaled, times, unknownSize } from './range.ts';
import { actualSize, type Costs, type Estimate, type EstimatedCall, sizeOf, traversal } from './rules.ts';

/** What is compared with what, all with all. */
export function comparesAll(factor: number): Costs {
  return {
    run: ([left, right]) => Math.floor(actualSize(left) * actualSize(right) * factor) + 1,
    estimate: (call) => ({ cost: plus(scaled(times(sizeOf(call, 0), sizeOf(call, 1)), factor), one) }),
  };
}

const newList = 11;

/** Makes a list: what it costs by how long that is. */
function makesList(factor: number, size: Range): Estimate {
  return { cost: plus(scaled(size, factor), exactly(newList)), size };
}

function constantOf(call: EstimatedCall, { index, rest }: { readonly index: number; readonly rest: number }): number {
  const constant = call.args[index]?.constant;
  return typeof constant === 'bigint' ? Math.max(0, Number(constant)) : rest;
}

export const slices: Costs = {
  run: (_, result) => actualSize(result) + newList,
  estimate(call) {
    const begin = constantOf(call, { index: 1, rest: 0 });
    const end = constantOf(call, { index: 2, rest: sizeOf(call, 0).max });
    return makesList(1, exactly(Math.max(0, end - begin)));
  },
};

export const counts: Costs = {
  run: (_, result) => actualSize(result) + newList,
  estimate: (call) => makesList(1, exactly(constantOf(call, { index: 0, rest: unknownSize.max }))),
};

export const reverses: Costs = {
  run: (_, result) => actualSize(result) + newList,
  estimate: (call) => makesList(1, sizeOf(call, 0)),
};

export const flattens: Costs = {
  run: ([list, depth]) => actualSize(list) * (typeof depth === 'bigint' ? Number(depth) : 1) + newList,
  estimate(call) {
    const depth = call.args.length > 1 ? constantOf(call, { index: 1, rest: unknownSize.max }) : 1;
    return makesList(depth, sizeOf(call, 0));
  },
};

interface Comparing {
  /** The argument whose elements are compared. */
  readonly keys: number;
  /** Upstream forgets in one estimate that texts take longer. */
  readonly overlooksTexts?: boolean;
}

/** Compares the elements of a list with each other. */
export function comparesItself({ keys, overlooksTexts = false }: Comparing): Costs {
  const factorOf = (isText: boolean): number => (isText ? 2 + traversal : 2);
  return {
    run(args) {
      const list = args[keys];
      const size = actualSize(list);
      const first = list instanceof List && list.length > 0 ? list.at(0) : undefined;
      const isText = typeof first === 'string' || first instanceof Uint8Array;
      return Math.floor(size * size * factorOf(isText)) + newList;
    },
    estimate(call) {
      const size = sizeOf(call, keys);
      const kind = call.args[keys]?.element()?.type.kind;
      const isText = !overlooksTexts && (kind === 'string' || kind === 'bytes');
      return makesList(factorOf(isText), times(size, size));
    },
  };
}
