/** Names of properties as expressions write them: what is no identifier, or is a word of the language, is escaped. */

const words: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** Undefined when no expression can name it. */
export function escapeName(name: string): string | undefined {
  if (words.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (found) => escapes[found] ?? found);
}

const characters: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/** The property that an identifier means; undefined when it escapes something that is not to be escaped. */
export function unescapeName(identifier: string): string | undefined {
  if (!identifier.includes('__')) return identifier;
  const whole = /^__(.+)__$/.exec(identifier)?.[1];
  if (whole !== undefined && words.has(whole)) return whole;
  let isKnown = true;
  const name = identifier.replace(/__([^_]+)__/g, (found, word: string) => {
    const character = characters[word];
    if (character === undefined) isKnown = false;
    return character ?? found;
  });
  return isKnown ? name : undefined;
}
