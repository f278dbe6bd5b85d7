import type { Command } from 'commander';
import type { Context } from './context.ts';
import { dataOption, outputOption } from './options.ts';

/** `signalbox status`. */
export function addStatus(program: Command, { io, finish }: Context): void {
  program
    .command('status')
    .description('tell whether the cluster of a folder runs, where, since when, and how it is')
    .addOption(dataOption())
    .addOption(outputOption())
    .addHelpText('after', help)
    .action(async (flags: StatusFlags) => {
      const { status } = await import('../commands/status.ts');
      finish(await status(flags, io));
    });
}

interface StatusFlags {
  readonly data: string;
  readonly output: 'text' | 'json';
}

const help = `
Examples:
  signalbox status                         of the cluster in .signalbox
  signalbox status --data /var/lib/cluster
  signalbox status > /dev/null || signalbox up --detach
  signalbox status -o json | jq .pods

It finds what "signalbox up" has started, in the background or in another terminal. A cluster in memory has no folder.
Exit codes: 0 it runs and its API answers; 1 it does not; 2 wrong usage.`;
