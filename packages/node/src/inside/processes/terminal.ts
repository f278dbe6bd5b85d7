/**
 * A terminal for a process: `script` of util-linux makes it, passes bytes both ways, and hands on every other descriptor. That is
 * a program which every machine has, instead of a native module which has to be built for each.
 */
import { readlink } from 'node:fs/promises';
import { run } from '../run.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The command in a terminal of its own; it is interpreted by a shell, so every word is quoted. */
export function inTerminal(argv: readonly string[]): readonly string[] {
  const words = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return ['script', '--quiet', '--return', '--flush', '--command', `exec ${words}`, '/dev/null'];
}

/** `pid` is a process in it; what runs there hears of it by SIGWINCH. */
export async function resizeTerminal(pid: number, { columns, rows }: TerminalSize): Promise<void> {
  const terminal = await readlink(`/proc/${pid}/fd/0`).catch(() => '');
  if (terminal.startsWith('/dev/')) await run(['stty', '-F', terminal, 'cols', String(columns), 'rows', String(rows)]);
}
