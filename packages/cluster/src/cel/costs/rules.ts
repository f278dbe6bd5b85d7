/** What calls cost, in upstream's units: at definition time as a range, and when they run. */
import type { Type } from '../types/type.ts';
import { byteCount, characterCount } from '../values/text.ts';
import { List, Mapping, Optional, type Value } from '../values/value.ts';
import { either, exactly, one, plus, type Range, scaled, times, unknownSize, zero } from './range.ts';

export const traversal = 0.1;
export const patternLength = 0.25;

export interface Costs {
  /** The arguments, with the target first, and what came of them. */
  run(args: readonly Value[], result: Value): number;
  estimate(call: EstimatedCall): Estimate;
}

export interface EstimatedCall {
  /** The target first. */
  readonly args: readonly EstimatedValue[];
}

export interface EstimatedValue {
  readonly type: Type;
  /** Of characters, bytes, elements or entries. */
  readonly size: Range;
  /** The value itself, where it stands in the expression. */
  readonly constant?: Value;
  /** Of the elements of a list. */
  element(): EstimatedValue | undefined;
}

export interface Estimate {
  readonly cost: Range;
  /** Of what comes of it. */
  readonly size?: Range;
}

/** Of values without a size it is one. */
export function actualSize(value: Value | undefined): number {
  if (typeof value === 'string') return characterCount(value);
  if (value instanceof List) return value.length;
  if (value instanceof Mapping) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Optional && value.value !== undefined) return actualSize(value.value);
  if (value !== undefined && value !== null && typeof value === 'object' && 'size' in value) return Number(value.size);
  return 1;
}

export function sizeOf(call: EstimatedCall, index: number): Range {
  return call.args[index]?.size ?? unknownSize;
}

export function fixed(cost: number): Costs {
  return { run: () => cost, estimate: () => ({ cost: exactly(cost) }) };
}

interface Traversal {
  /** How many times a text is gone through. */
  readonly times?: number;
  /** Whether what comes of it is as long. */
  readonly keepsSize?: boolean;
}

/** Goes through its first argument. */
export function traverses({ times: count = 1, keepsSize = false }: Traversal = {}): Costs {
  const factor = count * traversal;
  return {
    run: ([first]) => Math.ceil(actualSize(first) * factor),
    estimate: (call) => ({ cost: scaled(sizeOf(call, 0), factor), ...(keepsSize && { size: sizeOf(call, 0) }) }),
  };
}

function patternCost(length: Range, pattern: Range): Range {
  return times(scaled(plus(length, one), traversal), scaled(pattern, patternLength));
}

/** Looks for a pattern, its second argument. */
export function matches({ givesParts = false }: { readonly givesParts?: boolean } = {}): Costs {
  return {
    run: ([subject, pattern]) =>
      Math.ceil((1 + actualSize(subject)) * traversal) * Math.ceil(actualSize(pattern) * patternLength),
    estimate: (call) => ({
      cost: patternCost(sizeOf(call, 0), sizeOf(call, 1)),
      ...(givesParts && { size: { min: 0, max: sizeOf(call, 0).max } }),
    }),
  };
}

export const contains: Costs = {
  run: ([subject, part]) => Math.ceil(actualSize(subject) * traversal) * Math.ceil(actualSize(part) * traversal),
  estimate: (call) => ({ cost: times(scaled(sizeOf(call, 0), traversal), scaled(sizeOf(call, 1), traversal)) }),
};

/** Upstream estimates by the prefix, and counts the whole text when it runs. */
export const beginsOrEnds: Costs = {
  run: ([subject]) => Math.ceil(actualSize(subject) * traversal),
  estimate: (call) => ({ cost: scaled(sizeOf(call, 1), traversal) }),
};

/** Equality and order: as far as the shorter of the two goes. */
export const compares: Costs = {
  run: ([left, right]) => Math.ceil(Math.min(actualSize(left), actualSize(right)) * traversal),
  estimate(call) {
    const [left, right] = call.args;
    if (left?.type.kind === 'opaque' && left.type.name === right?.type.name && left.type.name !== 'kubernetes.URL')
      return { cost: left.type.name === 'kubernetes.NamedFormat' ? { min: 1, max: 7 } : one };
    const max = Math.min(sizeOf(call, 0).max, sizeOf(call, 1).max);
    return { cost: scaled({ min: max > 0 ? 1 : 0, max }, traversal) };
  },
};

export const looksThrough: Costs = {
  run: ([, list]) => actualSize(list),
  estimate: (call) => ({ cost: sizeOf(call, 1) }),
};

export const joinsTexts: Costs = {
  run: ([left, right]) => Math.ceil((actualSize(left) + actualSize(right)) * traversal),
  estimate(call) {
    const size = plus(sizeOf(call, 0), sizeOf(call, 1));
    return { cost: scaled(size, traversal), size };
  },
};

export const joinsLists: Costs = {
  run: () => 1,
  estimate: (call) => ({ cost: one, size: plus(sizeOf(call, 0), sizeOf(call, 1)) }),
};

export const toBytes: Costs = {
  run: ([value]) => Math.ceil(actualSize(value) * traversal),
  estimate(call) {
    const { min, max } = sizeOf(call, 0);
    return { cost: scaled({ min, max }, traversal), size: { min, max: max * 4 } };
  },
};

export const fromBytes: Costs = {
  run: ([value]) => Math.ceil(actualSize(value) * traversal),
  estimate(call) {
    const { min, max } = sizeOf(call, 0);
    return { cost: scaled({ min, max }, traversal), size: { min: Math.floor(min / 4), max } };
  },
};

export const quotes: Costs = {
  run: ([value]) => Math.ceil(actualSize(value) * traversal),
  estimate(call) {
    const { min, max } = sizeOf(call, 0);
    return { cost: scaled({ min, max }, traversal), size: { min: min + 2, max: max * 2 + 2 } };
  },
};

/** Goes through a whole tree of values once. */
function treeCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(byteCount(value) * traversal);
  if (value instanceof Uint8Array) return Math.floor(value.length * traversal);
  let cost = 0;
  if (value instanceof List) {
    for (let index = 0; index < value.length; index++) cost += treeCost(value.at(index));
    return cost;
  }
  if (value instanceof Mapping) {
    for (const key of value.keys()) cost += treeCost(key) + treeCost(value.get(key) ?? null);
    return cost;
  }
  return 1;
}

/** Compares the elements of a list with each other, or looks for a place in a text. */
export const comparesElements: Costs = {
  run: ([value = null]) => treeCost(value),
  estimate(call) {
    const [subject] = call.args;
    const element = subject?.element();
    const size = sizeOf(call, 0);
    if (element === undefined) return { cost: scaled(size, traversal) };
    const isText = element.type.kind === 'string' || element.type.kind === 'bytes';
    return { cost: times(size, isText ? plus(one, scaled(element.size, traversal)) : one) };
  },
};

export const splits: Costs = {
  run: ([subject]) => Math.ceil(actualSize(subject) * 2 * traversal),
  estimate(call) {
    const size = sizeOf(call, 0);
    const limit = call.args[2]?.constant;
    const max = typeof limit === 'bigint' && limit >= 0n ? Number(limit) : size.max;
    return { cost: scaled(size, 2 * traversal), size: { min: 0, max } };
  },
};

export const joins: Costs = {
  run: (_, result) => Math.ceil(actualSize(result) * 2 * traversal),
  estimate(call) {
    const count = sizeOf(call, 0);
    let size = times(count, call.args[0]?.element()?.size ?? zero);
    if (call.args.length > 1) {
      const separators = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
      size = plus(size, times(sizeOf(call, 1), separators));
    }
    return { cost: scaled(size, traversal), size };
  },
};

export const replaces: Costs = {
  run: ([subject]) => Math.ceil(actualSize(subject) * 2 * traversal),
  estimate(call) {
    const subject = sizeOf(call, 0);
    const part = sizeOf(call, 1);
    const by = sizeOf(call, 2);
    return {
      cost: scaled(subject, 2 * traversal),
      size: {
        min: replaced(subject.min, { part: part.max, by: by.min, isLess: part.max <= by.min }),
        max: replaced(subject.max, { part: part.min, by: by.max, isLess: by.max <= part.min }),
      },
    };
  },
};

/** How long a text is after the longest or the shortest replacements. */
function replaced(
  length: number,
  { part, by, isLess }: { readonly part: number; readonly by: number; readonly isLess: boolean },
): number {
  // An empty part is found around each character.
  if (part === 0) return Math.min(unknownSize.max, (length + 1) * by + length);
  return isLess ? length : Math.min(unknownSize.max, Math.ceil(length / part) * by);
}

/** A choice costs what it chooses: the condition, and one of both. */
export function choiceSize(call: EstimatedCall): Range {
  return either(sizeOf(call, 1), sizeOf(call, 2));
}

const addressBytes: Range = { min: 4, max: 16 };

/** Whether a network has an address, or another network, in it. A text is read first. */
export function holds({ reads, masks }: { readonly reads: boolean; readonly masks: boolean }): Costs {
  return {
    run([network, other]) {
      const size = actualSize(network);
      const masking = masks ? Math.ceil(size * traversal) + 1 : 0;
      return Math.ceil(2 * size * traversal) + masking + (reads ? Math.ceil(actualSize(other) * traversal) : 0);
    },
    estimate(call) {
      const compared = scaled(plus(addressBytes, addressBytes), traversal);
      const masked = masks ? plus(scaled(addressBytes, traversal), one) : zero;
      const read = reads ? scaled(sizeOf(call, 1), traversal) : zero;
      return { cost: plus(plus(compared, masked), read) };
    },
  };
}

const namePatternMax = 128;

/** Judges a text by a named format. */
export const validates: Costs = {
  run([format, subject]) {
    const pattern =
      format !== null && typeof format === 'object' && 'patternSize' in format ? Number(format.patternSize) : 1;
    return Math.ceil((1 + actualSize(subject)) * traversal) * Math.ceil(pattern * patternLength);
  },
  estimate: (call) => ({ cost: scaled(scaled(sizeOf(call, 1), traversal), namePatternMax * patternLength) }),
};

/** A selector of fields or labels is read into a list of requirements. */
export const readsSelector: Costs = {
  run: ([, selector]) => selectorCost(exactly(actualSize(selector))).max,
  estimate: (call) => ({ cost: selectorCost(sizeOf(call, 1)) }),
};

function selectorCost(length: Range): Range {
  return plus(plus(exactly(10), scaled(length, traversal)), scaled(scaled(length, 0.5), 50));
}
