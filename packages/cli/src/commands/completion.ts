import { type RootCommand, script } from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/**
 * The library prints with console.log, to nowhere else; what it prints is taken from there while it runs, which is
 * synchronous.
 */
function printed(work: () => void): string {
  const { log } = console;
  let text = '';
  console.log = (line: string) => {
    text += `${line}\n`;
  };
  try {
    work();
  } finally {
    console.log = log;
  }
  return text;
}

/** The script that a shell loads to complete our commands. */
export function completionScript(shell: Shell): string {
  return printed(() => script(shell, 'signalbox', 'signalbox'));
}

const pathOptions: ReadonlySet<string> = new Set(['-f', '--file', '--data', '--kubeconfig']);
/** Asks the shell to complete files, which the library never does. */
const anyFile = ':0\n';

/** What may stand at the end of `words`, as the script asks for it. */
export function completions(program: Command, words: readonly string[]): string {
  if (pathOptions.has(words.at(-2) ?? '')) return anyFile;
  return printed(() => suggestionsOf(program).parse([...words]));
}

let suggestions: RootCommand | undefined;

/** The library keeps what it was told for the whole process, so it is told once. */
function suggestionsOf(program: Command): RootCommand {
  suggestions ??= tab(program, { completionCommandName: 'completion' });
  return suggestions;
}
