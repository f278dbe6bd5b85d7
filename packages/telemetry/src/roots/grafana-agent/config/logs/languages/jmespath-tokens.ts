/** The words of JMESPath. */

export type Kind = 'end' | 'literal' | 'name' | 'number' | 'quoted' | 'raw' | 'space' | (string & {});

export interface Token {
  /** A sign stands for itself. */
  readonly kind: Kind;
  readonly text: string;
}

const patterns: readonly (readonly [Kind, RegExp])[] = [
  ['space', /[ \t\n\r]+/y],
  ['name', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['number', /(?:-|\d)\d*/y],
  ['quoted', /"(?:[^"\\]|\\[\s\S])*"/y],
  ['raw', /'(?:\\'|\\(?!')|[^'\\])*'/y],
  ['literal', /`(?:[^`\\]|\\[\s\S])*`/y],
  ['sign', /\[[?\]]|\|\||&&|[<>!=]=|[.*,:{}\](@)[|<>!&]/y],
];

/** Text: what is none of them. */
export function tokensOf(text: string): readonly Token[] | string {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at);
    if (token === undefined) return `unexpected ${JSON.stringify(text.slice(at, at + 10))}`;
    if (token.kind === 'quoted' && !isJson(token.text)) return `${token.text} is no JSON string`;
    if (token.kind !== 'space') tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(text: string, at: number): Token | undefined {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) return { kind: kind === 'sign' ? found : kind, text: found };
  }
  return undefined;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
