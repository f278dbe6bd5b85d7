import { inQuotes, literal } from './yaml.ts';

/*
 * Config reloader and agent put the values of their environment into a whole file before they read it, whoever wrote what
 * stands in it. Their environment may hold secrets, so what tenants write may name the few variables that tell one pod
 * from another, and everything else that looks like a variable is written such that it is read as the text it is.
 */

/** What a text may name. A variable comes with a value such as it has in a pod, by which the text is checked. */
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

export type Variables = Readonly<Record<string, string>>;

/** The same value with everything literal in its texts that would be expanded and may not be. */
export function settled<T>(value: T, expansion: Expansion): T {
  return settledValue(value, expansion) as T;
}

/** The text as the agents will read it. */
export function expanded(text: string, { reloader, agent = {} }: Expansion): string {
  return text.replace(/\$(?:\((\w+)\)|\{(\w+)\})/g, (whole, inner: string | undefined, braced: string | undefined) =>
    inner === undefined ? (lookUp(agent, braced) ?? whole) : (lookUp(reloader, inner) ?? whole),
  );
}

/** Somebody's own variables are filled in later: what the text comes to, nobody knows yet. */
export function isUncertain(text: string): boolean {
  return /\$\(\w+\)|\$\{\w/.test(text);
}

function settledValue(value: unknown, expansion: Expansion): unknown {
  if (typeof value === 'string') return settledText(value, expansion);
  if (Array.isArray(value)) return value.map((item) => settledValue(item, expansion));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [
    settledText(key, expansion),
    settledValue(member, expansion),
  ]);
  return Object.fromEntries(members);
}

function settledText(text: string, expansion: Expansion): string {
  if (!text.includes('$')) return text;
  const safe = text.replace(/\$/g, (sign, at: number) => (mayStay(text, at, expansion) ? sign : literal(sign)));
  return expansion.staysText === true && isUncertain(safe) ? inQuotes(safe) : safe;
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

function lookUp(variables: Variables, name: string | undefined): string | undefined {
  return name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
}
