/** What two worlds do not have in common, field by field. Pure. */
import type { Alike } from './alike.ts';

export interface Difference {
  /** `Pod shop/checkout-<hash>-<any>` */
  readonly of: string;
  /** `spec.containers[0].image`; empty where a whole object is missing. */
  readonly path: string;
  /** JSON; undefined where there is nothing. */
  readonly there: string | undefined;
  readonly here: string | undefined;
}

/** `there` is upstream's, `here` is ours. Each difference once, however many objects of one name have it. */
export function differencesOf(there: readonly Alike[], here: readonly Alike[]): readonly Difference[] {
  const [theirs, ours] = [byName(there), byName(here)];
  const found = [...new Set([...theirs.keys(), ...ours.keys()])].sort().flatMap((called) => {
    const [a, b] = [theirs.get(called) ?? [], ours.get(called) ?? []];
    if (a.length !== b.length) return [missing(called, a.length, b.length)];
    return a.flatMap((object, index) => [...fields(object, b[index], { of: called, path: '' })]);
  });
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

/** One line each. */
export function formatDifference({ of, path, there, here }: Difference): string {
  return `${of}${path === '' ? '' : `: ${path}`}: upstream ${there ?? 'nothing'}, here ${here ?? 'nothing'}`;
}

export interface Known {
  /** What the line of a difference begins with, and a `*` for anything. */
  readonly what: string;
  readonly why: string;
  /** Whether it happens hangs on chance. */
  readonly comesAndGoes?: boolean;
}

/** What nobody has explained, and explanations of what does not happen. Both are to be empty. */
export function unexplained(
  differences: readonly Difference[],
  known: readonly Known[],
): { readonly lines: readonly string[]; readonly needless: readonly string[] } {
  const lines = differences.map(formatDifference);
  const patterns = known.map((each) => ({ ...each, matches: startOf(each.what) }));
  return {
    lines: lines.filter((line) => !patterns.some(({ matches }) => matches.test(line))),
    needless: patterns
      .filter(({ matches, comesAndGoes }) => comesAndGoes !== true && !lines.some((line) => matches.test(line)))
      .map(({ what }) => what),
  };
}

function startOf(what: string): RegExp {
  return new RegExp(
    `^${what
      .split('*')
      .map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'))
      .join('.*')}`,
  );
}

/** Those of one name in an order that their contents decide. */
function byName(objects: readonly Alike[]): ReadonlyMap<string, readonly unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const { called, object } of objects) groups.set(called, [...(groups.get(called) ?? []), object]);
  for (const group of groups.values()) group.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return groups;
}

function missing(of: string, there: number, here: number): Difference {
  return { of, path: '', there: countOf(there), here: countOf(here) };
}

function countOf(count: number): string | undefined {
  return count === 0 ? undefined : `${count}`;
}

interface Place {
  readonly of: string;
  readonly path: string;
}

function* fields(there: unknown, here: unknown, { of, path }: Place): Iterable<Difference> {
  if (Array.isArray(there) && Array.isArray(here)) {
    for (let index = 0; index < Math.max(there.length, here.length); index++)
      yield* fields(there[index], here[index], { of, path: `${path}[${index}]` });
    return;
  }
  if (isRecord(there) && isRecord(here)) {
    for (const name of new Set([...Object.keys(there), ...Object.keys(here)]))
      yield* fields(there[name], here[name], { of, path: path === '' ? name : `${path}.${name}` });
    return;
  }
  const [a, b] = [there, here].map((value) => JSON.stringify(value));
  if (a !== b) yield { of, path, there: a, here: b };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
