/** Texts as numbers: equal lines have the same one. Half a million lines of a configuration are mostly the same few. */
export interface NumberedLines {
  /** One number for each line of the text. */
  numbersOf(text: string): Int32Array;
  /** The line that has the number. */
  lineOf(number: number): string;
}

export function createNumberedLines(): NumberedLines {
  const numbers = new Map<string, number>();
  const lines: string[] = [];
  return {
    numbersOf(text) {
      const found = new Int32Array(countLines(text));
      let start = 0;
      for (let index = 0; index < found.length; index++) {
        const end = text.indexOf('\n', start);
        const line = text.slice(start, end < 0 ? text.length : end);
        let number = numbers.get(line);
        if (number === undefined) {
          number = lines.push(line) - 1;
          numbers.set(line, number);
        }
        found[index] = number;
        start = end + 1;
      }
      return found;
    },
    lineOf: (number) => lines[number] ?? '',
  };
}

/** A line break ends a line, and begins none. */
export function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
