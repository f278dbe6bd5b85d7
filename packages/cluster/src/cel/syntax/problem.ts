import { characterCount } from '../values/text.ts';

/** What is wrong with an expression, and where. */
export interface Problem {
  /** Offset in the source, in UTF-16 units. */
  readonly at: number;
  readonly text: string;
}

/** Ends parsing at the first mistake after which all that follows would be guesses. */
export class SyntaxProblem extends Error {
  readonly at: number;
  /** What was found wrong before it, and could be passed over. */
  readonly before: readonly Problem[];

  constructor(at: number, text: string, before: readonly Problem[] = []) {
    super(text);
    this.at = at;
    this.before = before;
  }

  get problems(): readonly Problem[] {
    return [...this.before, { at: this.at, text: this.message }];
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
  if (source === '') return `ERROR: <input>:1:0: ${text}`;
  const before = source.slice(0, at).split('\n');
  const line = before.length;
  const column = characterCount(before.at(-1) ?? '');
  const shown = (source.split('\n')[line - 1] ?? '').replaceAll('\t', ' ');
  const characters = Array.from(shown);
  const dots = Array.from({ length: column }, (_, index) => (isWide(characters[index]) ? '．' : '.')).join('');
  return `ERROR: <input>:${line}:${column + 1}: ${text}\n | ${shown}\n | ${dots}${isWide(characters[column]) ? '＾' : '^'}`;
}

/** Upstream takes all that is not ASCII for twice as wide. */
function isWide(character = ' '): boolean {
  return character > '\x7f';
}
