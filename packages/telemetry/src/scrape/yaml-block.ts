/*
 * Maps and lists in block style, byte for byte as the library writes them, in a tenth of its time: ten thousand jobs are
 * mostly the same few keys and words. How a word or a key has to stand there is asked of the library, and remembered.
 */

/** What the library makes of a value, with the line break at its end. */
export type Write = (value: unknown) => string;

/** Undefined: the value has something in it that only the library can write, such as a key of several lines. */
export type WriteBlock = (value: object) => string | undefined;

/** Monitors have names of their own, so words come and go. */
const rememberedMax = 16_384;

/** Where it begins with a letter, a text of these characters and none of the words below stands there as it is. */
const plain = /^[A-Za-z_(/][\w./;|()+*?$-]*$/;
/** All words that some version of YAML takes for something else have five letters at most. */
const short = /^[A-Za-z]{1,5}$/;

/** It stands there as it is, and is read as it stands there. */
export function isPlain(text: string): boolean {
  return plain.test(text) && !short.test(text);
}

export function createBlockWriter(library: Write): WriteBlock {
  const scalars = new Map<unknown, string>();
  const keys = new Map<string, string>();
  const remember = <K>(all: Map<K, string>, key: K, text: string): string => {
    if (all.size >= rememberedMax) all.clear();
    all.set(key, text);
    return text;
  };
  const scalarText = (value: unknown): string => {
    if (typeof value === 'string' && isPlain(value)) return value;
    return scalars.get(value) ?? remember(scalars, value, library([value]).slice('- '.length, -1));
  };
  const keyText = (key: string): string =>
    keys.get(key) ?? remember(keys, key, library({ [key]: 0 }).slice(0, -': 0\n'.length));

  /** `lead` stands before the first line, `prefix` before all others. False: not all of it could be written. */
  const writeMap = (lines: string[], map: Container, { prefix, lead }: Margin): boolean => {
    let start = lead;
    for (const name of Object.keys(map)) {
      const member = map[name];
      if (member === undefined) continue;
      const key = keyText(name);
      if (isOdd.test(key)) return false;
      if (!isContainer(member)) lines.push(start, key, ': ', scalarText(member), '\n');
      else {
        lines.push(start, key, ':\n');
        const deeper = Array.isArray(member) ? prefix : `${prefix}  `;
        if (!write(lines, member, { prefix: deeper, lead: deeper })) return false;
      }
      start = prefix;
    }
    return true;
  };
  const writeList = (lines: string[], list: readonly unknown[], { prefix, lead }: Margin): boolean => {
    let start = lead;
    for (const item of list) {
      if (!isContainer(item)) lines.push(start, '- ', scalarText(item), '\n');
      else if (!writeItem(lines, item, { prefix, lead: start })) return false;
      start = prefix;
    }
    return true;
  };
  const items = new WeakMap<Container, Item>();
  /** Rules that stand in every job are the same frozen objects, at the same depth. */
  const writeItem = (lines: string[], item: Container, { prefix, lead }: Margin): boolean => {
    const known = items.get(item);
    if (known !== undefined && known.prefix === prefix && lead === prefix) {
      lines.push(known.text);
      return true;
    }
    const start = lines.length;
    const isDone = write(lines, item, { prefix: `${prefix}  `, lead: `${lead}- ` });
    if (isDone && lead === prefix && isFixed(item)) items.set(item, { prefix, text: lines.slice(start).join('') });
    return isDone;
  };
  /** What is empty stands on the line of its key or dash. */
  const write = (lines: string[], value: Container, margin: Margin): boolean => {
    const before = lines.length;
    const isDone = Array.isArray(value) ? writeList(lines, value, margin) : writeMap(lines, value, margin);
    if (!isDone || lines.length > before) return isDone;
    const empty = Array.isArray(value) ? '[]\n' : '{}\n';
    if (margin.lead !== margin.prefix) lines.push(margin.lead, empty);
    else lines.push(lines.pop()?.replace(/\n$/, ' ') ?? '', empty);
    return true;
  };
  return (value) => {
    const lines: string[] = [];
    return write(lines, value as Container, { prefix: '', lead: '' }) ? lines.join('') : undefined;
  };
}

/** The text of an item of a list at its last place. */
interface Item {
  readonly prefix: string;
  readonly text: string;
}

interface Margin {
  readonly prefix: string;
  readonly lead: string;
}

/** Nothing in it can change. */
export function isFixed(value: unknown): boolean {
  return !isContainer(value) || (Object.isFrozen(value) && Object.values(value).every(isFixed));
}

/** In quotes, or of more than a word: what stands after such a key is written in other ways. */
const isOdd = /[\s'":]/;

type Container = Readonly<Record<string, unknown>>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}
