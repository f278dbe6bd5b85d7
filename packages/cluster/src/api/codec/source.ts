/** Text from a person that cannot be read, with the place where the reading stopped. */
export class SourceError extends Error {
  /** The file's name, or what stands for it. */
  readonly source: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** The sentence without the place. */
  readonly reason: string;

  constructor(
    place: { readonly source: string; readonly line: number; readonly column: number },
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`${place.source}:${place.line}:${place.column}: ${reason}`, options);
    this.name = 'SourceError';
    this.source = place.source;
    this.line = place.line;
    this.column = place.column;
    this.reason = reason;
  }
}

/** Line and column, both from 1, of an offset in a text. */
export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) line++;
  return { line, column: offset - lineStart + 1 };
}
