import { inQuotes, literal } from './yaml.ts';
import { isFixed } from './yaml-block.ts';

/*
 * Config reloader and agent put the values of their environment into a whole file before they read it, whoever wrote what
 * stands in it. Their environment may hold secrets, so what tenants write may name the few variables that tell one pod
 * from another, and everything else that looks like a variable is written such that it is read as the text it is.
 */

/** What a text may name. A variable comes with values such as it has in pods, by which the text is checked. */
export interface Expansion {
  /** `$(NAME)`, filled in by the config reloader. */
  readonly reloader: Variables;
  /** `${NAME}`, filled in by the agent; undefined: nobody looks for it. */
  readonly agent: Variables | undefined;
  /**
   * Whoever reads the text takes nothing but text, not even a number that looks like one, and refuses the whole file: what
   * variables are in stands in quotes.
   */
  readonly staysText?: true;
}

/** Where a value differs between pods, each that may decide whether a text is understood; the others have just one. */
export type Variables = Readonly<Record<string, readonly [string, ...string[]]>>;

/** Whose texts name what they like, since their author gives the pods their environment: whatever is expanded there. */
export type AnyVariable = 'any' | 'any of the reloader';

/** Numbers such as shards have: the least and the greatest of each length, between which a text changes little. */
export const sampleNumbers: readonly [string, ...string[]] = ['0', '9', '10', '99', '100', '999'];

/**
 * The same value with everything literal in its texts that would be expanded and may not be. In the key of a map nothing
 * may: two keys could become the same one, and no file is taken in with a key that stands twice.
 */
export function settled<T>(value: T, expansion: Expansion): T {
  return settledValue(value, expansion) as T;
}

/**
 * The value as the agents will read its texts, once for each of the values that decide. None: nobody knows yet, since
 * somebody's own variables are filled in later.
 */
export function readings<T>(value: T, expansion: Expansion | AnyVariable): readonly T[] {
  if (typeof expansion === 'string') return someText(value, unknownIn[expansion]) ? [] : [value];
  if (!someText(value, unknownIn.any)) return [value];
  const { reloader, agent = {} } = expansion;
  const count = Math.max(1, ...[reloader, agent].flatMap(Object.values).map(({ length }) => length));
  return Array.from({ length: count }, (_, sample) => expandedValue(value, { reloader, agent, sample }) as T);
}

/** The digits that the agent leaves to relabelling rules are no variable. */
const unknownIn: Readonly<Record<AnyVariable, RegExp>> = {
  any: /\$\(\w+\)|\$\{(?!\d+\})\w/,
  'any of the reloader': /\$\(\w+\)/,
};

function someText(value: unknown, pattern: RegExp): boolean {
  if (typeof value === 'string') return value.includes('$') && pattern.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some((part) => someText(part, pattern));
}

interface Pod {
  readonly reloader: Variables;
  readonly agent: Variables;
  readonly sample: number;
}

function expandedValue(value: unknown, pod: Pod): unknown {
  if (typeof value === 'string') return expandedText(value, pod);
  if (Array.isArray(value)) return value.map((item) => expandedValue(item, pod));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expandedValue(member, pod)]));
}

function expandedText(text: string, { reloader, agent, sample }: Pod): string {
  return text.replace(/\$(?:\((\w+)\)|\{(\w+)\})/g, (whole, inner: string | undefined, braced: string | undefined) => {
    const values = inner === undefined ? lookUp(agent, braced) : lookUp(reloader, inner);
    return values === undefined ? whole : (values[sample] ?? values[0]);
  });
}

function settledValue(value: unknown, expansion: Expansion): unknown {
  if (typeof value === 'string') return settledText(value, expansion);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => settledItem(item, expansion));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  // Most of what is written stays as it is, and then the same object.
  const before = value as Readonly<Record<string, unknown>>;
  const settledMembers: Record<string, unknown> = {};
  let isSame = true;
  for (const key of Object.keys(before)) {
    const [name, member] = [literal(key), settledValue(before[key], expansion)];
    isSame &&= name === key && member === before[key];
    settledMembers[name] = member;
  }
  return isSame ? value : settledMembers;
}

/** Rules that stand in every job are the same frozen objects, and most stay as they are. */
function settledItem(item: unknown, expansion: Expansion): unknown {
  if (typeof item !== 'object' || item === null) return settledValue(item, expansion);
  if (settledUnder.get(item) === expansion) return item;
  const found = settledValue(item, expansion);
  if (found === item && isFixed(item)) settledUnder.set(item, expansion);
  return found;
}

const settledUnder = new WeakMap<object, Expansion>();

function settledText(text: string, expansion: Expansion): string {
  if (!text.includes('$')) return text;
  const safe = text.replace(/\$/g, (sign, at: number) => (mayStay(text, at, expansion) ? sign : literal(sign)));
  return expansion.staysText === true && someText(safe, unknownIn.any) ? inQuotes(safe) : safe;
}

const reloaders = /\$\((\w+)\)/y;
const agents = /\$\{(\w+)\}/y;
const signs = /\$[${]/y;

function mayStay(text: string, at: number, { reloader, agent }: Expansion): boolean {
  const inner = matchAt(reloaders, text, at);
  if (inner !== undefined) return lookUp(reloader, inner[1]) !== undefined;
  if (agent === undefined) return true;
  const braced = matchAt(agents, text, at)?.[1];
  // The agent leaves `${1}` to the relabelling rules that it stands in.
  if (braced !== undefined) return /^\d+$/.test(braced) || lookUp(agent, braced) !== undefined;
  // Of two dollar signs the agent takes one away, and a sign before a variable may begin another one with its value.
  return matchAt(signs, text, at) === undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function lookUp(variables: Variables, name: string | undefined): Variables[string] | undefined {
  return name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
}
