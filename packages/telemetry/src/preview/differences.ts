import { equal } from '@signalbox/cluster';
import { compare } from '../world/world.ts';

/** One field that differs. */
export interface Difference {
  /** `spec.template.spec.containers[prometheus].args[3]`; members of lists go by their name where all have one. */
  readonly path: string;
  /** Undefined: it is not there. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Every leaf in which two values differ; what stands on one side only counts whole. Sorted by path. */
export function differences(before: unknown, after: unknown): readonly Difference[] {
  const found: Difference[] = [];
  compareAt('', before, after, found);
  return found.sort((a, b) => compare(a.path, b.path));
}

function compareAt(path: string, before: unknown, after: unknown, found: Difference[]): void {
  if (equal(before, after)) return;
  const [left, right] = [membersOf(before), membersOf(after)];
  if (left === undefined || right === undefined || left.isList !== right.isList) {
    found.push({ path, before, after });
    return;
  }
  const isNamed = left.isNamed && right.isNamed;
  const [a, b] = [left.keyed(isNamed), right.keyed(isNamed)];
  const keys = [...new Set([...a.keys(), ...b.keys()])];
  for (const key of keys) compareAt(pathTo(path, key, left.isList), a.get(key), b.get(key), found);
  // The same members in another order.
  const isMoved = isNamed && a.size === b.size && !equal([...a.keys()], [...b.keys()]);
  if (isMoved && keys.length === a.size) found.push({ path: `${path} (order)`, before: undefined, after: undefined });
}

interface Members {
  readonly isList: boolean;
  /** All of a list have names, each its own. */
  readonly isNamed: boolean;
  keyed(byName: boolean): ReadonlyMap<string, unknown>;
}

function membersOf(value: unknown): Members | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value))
    return { isList: false, isNamed: false, keyed: () => new Map(Object.entries(value).filter(isGiven)) };
  const names = value.map((item: { readonly name?: unknown } | null) => item?.name);
  const isNamed =
    names.length > 0 && names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  return {
    isList: true,
    isNamed,
    keyed: (byName) => new Map(value.map((item, index) => [byName ? String(names[index]) : String(index), item])),
  };
}

function isGiven([, value]: readonly [string, unknown]): boolean {
  return value !== undefined;
}

function pathTo(path: string, key: string, isInList: boolean): string {
  if (isInList || !/^[\w-]+$/.test(key)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}
