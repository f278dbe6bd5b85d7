import type { FlagNames } from './upstream-flags.ts';

/** A command line of one of upstream's programs, read as that program reads it. */
export type GivenFlags =
  | { readonly is: 'given'; readonly values: FlagValues }
  | { readonly is: 'help' }
  | { readonly is: 'version' }
  /** With upstream's sentence. */
  | { readonly is: 'refused'; readonly message: string };

/** What was given for each flag, in the order of the command line. Those of switches are `true` or `false`. */
export type FlagValues = ReadonlyMap<string, readonly string[]>;

export interface Dialect {
  readonly flags: FlagNames;
  unknown(name: string): string;
  missing(name: string): string;
  notBoolean(name: string, value: string): string;
  surplus(words: readonly string[]): string;
}

/** Of kube-apiserver, which takes `_` in names as well. */
export const apiServerDialect = (flags: FlagNames): Dialect => ({
  flags,
  unknown: (name) => (name.length === 1 ? `unknown shorthand flag: '${name}' in -${name}` : `unknown flag: --${name}`),
  missing: (name) => `flag needs an argument: --${name}`,
  notBoolean: (name, value) =>
    `invalid argument "${value}" for "--${name}" flag: strconv.ParseBool: parsing "${value}": invalid syntax`,
  surplus: (words) =>
    `"kube-apiserver" does not take any arguments, got [${words.map((word) => `"${word}"`).join(' ')}]`,
});

export const etcdDialect = (flags: FlagNames): Dialect => ({
  flags,
  unknown: (name) => `flag provided but not defined: -${name}`,
  missing: (name) => `flag needs an argument: -${name}`,
  notBoolean: (name, value) => `invalid boolean value "${value}" for -${name}: parse error`,
  surplus: (words) => `"${words[0] ?? ''}" is not a valid command line flag`,
});

/** Pure. */
export function parseGivenFlags(argv: readonly string[], dialect: Dialect): GivenFlags {
  const values = new Map<string, string[]>();
  const rest = [...argv];
  const surplus: string[] = [];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      surplus.push(...rest);
      break;
    }
    const [, spelled = '', inline] = /^--?([^=-][^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (spelled === '') {
      surplus.push(word);
      continue;
    }
    const name = spelled.replaceAll('_', '-');
    if (name === 'help' || name === 'h') return { is: 'help' };
    if (name === 'version' && inline !== 'false') return { is: 'version' };
    const read = readValue(name, { inline, next: () => rest.shift(), dialect });
    if ('message' in read) return { is: 'refused', message: read.message };
    values.set(name, [...(values.get(name) ?? []), read.value]);
  }
  return surplus.length === 0 ? { is: 'given', values } : { is: 'refused', message: dialect.surplus(surplus) };
}

interface Reading {
  readonly inline: string | undefined;
  next(): string | undefined;
  readonly dialect: Dialect;
}

const trues: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const falses: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function readValue(
  name: string,
  { inline, next, dialect }: Reading,
): { readonly value: string } | { readonly message: string } {
  const { withValue, switches } = dialect.flags;
  if (switches.has(name)) {
    const text = inline ?? 'true';
    if (!trues.has(text) && !falses.has(text)) return { message: dialect.notBoolean(name, text) };
    return { value: String(trues.has(text)) };
  }
  if (!withValue.has(name)) return { message: dialect.unknown(name) };
  const value = inline ?? next();
  return value === undefined ? { message: dialect.missing(name) } : { value };
}
