import { characterCount } from '../values/text.ts';

/** What is wrong with an expression, and where. */
export interface Problem {
  /** Offset in the source, in UTF-16 units. */
  readonly at: number;
  readonly text: string;
}

/** Ends parsing at the first mistake: what follows it would be guesses. */
export class SyntaxProblem extends Error {
  readonly at: number;

  constructor(at: number, text: string) {
    super(text);
    this.at = at;
  }
}

/** As people know them from upstream: place, sentence, the line, and a mark under the place. */
export function formatProblems(source: string, problems: readonly Problem[]): string {
  return [...problems]
    .sort((a, b) => a.at - b.at)
    .map((problem) => formatProblem(source, problem))
    .join('\n');
}

function formatProblem(source: string, { at, text }: Problem): string {
  const before = source.slice(0, at).split('\n');
  const line = before.length;
  const column = characterCount(before.at(-1) ?? '');
  const shown = (source.split('\n')[line - 1] ?? '').replaceAll('\t', ' ');
  return `ERROR: <input>:${line}:${column + 1}: ${text}\n | ${shown}\n | ${'.'.repeat(column)}^`;
}
