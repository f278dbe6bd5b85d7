/** Which places of a program make hidden classes over and over, by V8's own word (decision 465). Pure. */

/** One line of what `node --log-maps` writes: a class was made from another at a place of the program. */
const transition = /^map,Transition,\d+,0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,(\d+),\d+,/;
/** Before each module that esbuild put into a file. */
const moduleName = /^\/\/ (\S+\.[cm]?[jt]s)$/;

export interface Maker {
  /** Its module and the line of the program. */
  readonly at: string;
  readonly times: number;
}

/** Those lines of a bundled program that made at least so many, most first. */
export function makersOf(
  log: readonly string[],
  { program, least }: { readonly program: readonly string[]; readonly least: number },
): readonly Maker[] {
  const times = new Map<number, number>();
  for (const each of log) {
    const line = Number(transition.exec(each)?.[1] ?? 0);
    if (line > 0) times.set(line, (times.get(line) ?? 0) + 1);
  }
  const many = [...times].filter(([, count]) => count >= least).sort(([, a], [, b]) => b - a);
  return many.map(([line, count]) => ({ at: placeOf(line, program), times: count }));
}

function placeOf(line: number, program: readonly string[]): string {
  const name = program.slice(0, line).findLast((each) => moduleName.test(each));
  return `${moduleName.exec(name ?? '')?.[1] ?? '?'}: ${program[line - 1]?.trim() ?? ''}`;
}
