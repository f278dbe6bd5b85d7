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
  const text = printed(() => script(shell, 'signalbox', 'signalbox'));
  return shell === 'bash' ? mendedForBash(text) : text;
}

/** Without the package bash-completion the words are taken as bash has split them. */
const wordsOfBash = `    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n "=:" cur prev words cword
    else
        words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
        cur=\${words[cword]} prev=\${words[cword - 1]}
    fi`;

/** What the library's script lacks: loading it twice, a bash without its completion package, and completion of files. */
function mendedForBash(text: string): string {
  return text
    .replaceAll(/^readonly /gm, '')
    .replace(/^ *_get_comp_words_by_ref .*$/m, () => wordsOfBash)
    .replace('complete -F', 'complete -o default -F');
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
