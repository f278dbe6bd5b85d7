import type { Command } from 'commander';
import type { Context } from './context.ts';

export interface CompletionContext extends Context {
  readonly listed: () => Command;
}

/** `signalbox completion`, and what its script calls; `listed` makes the commands to complete. */
export function addCompletion(program: Command, { io, finish, listed }: CompletionContext): void {
  program
    .command('completion')
    .description('print the script that completes commands and options in a shell')
    .addArgument(program.createArgument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish', 'powershell']))
    .addHelpText('after', help)
    .action(async (shell: 'bash' | 'zsh' | 'fish' | 'powershell') => {
      const { completionScript } = await import('../commands/completion.ts');
      io.stdout.write(completionScript(shell));
      finish(0);
    });
  // What the script calls at each press of the key: `signalbox complete -- up --no`.
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const { completions } = await import('../commands/completion.ts');
      io.stdout.write(completions(listed(), words));
      finish(0);
    });
}

const help = `
Examples:
  source <(signalbox completion bash)                               in ~/.bashrc
  source <(signalbox completion zsh)                                in ~/.zshrc
  signalbox completion fish > ~/.config/fish/completions/signalbox.fish
  signalbox completion powershell | Out-String | Invoke-Expression  in $PROFILE`;
