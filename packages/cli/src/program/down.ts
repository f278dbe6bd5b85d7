import { type Command, Option } from 'commander';
import type { Context } from './context.ts';
import { dataOption, parseTimeout } from './options.ts';

/** `signalbox down`. */
export function addDown(program: Command, { io, finish }: Context): void {
  program
    .command('down')
    .description('stop the cluster of a folder; what is in it stays')
    .addOption(dataOption())
    .addOption(
      new Option('--timeout <duration>', 'how long it may take to stop in order')
        .argParser(parseTimeout)
        .default(30_000, '30s'),
    )
    .option('--force', 'kill it when the time is up')
    .addHelpText('after', help)
    .action(async ({ data, timeout, force }: DownFlags) => {
      const { down } = await import('../commands/down.ts');
      finish(await down({ data, timeoutMs: timeout, kill: force === true }, io));
    });
}

interface DownFlags {
  readonly data: string;
  readonly timeout: number;
  readonly force?: true;
}

const help = `
Examples:
  signalbox down                           the cluster in .signalbox, as Ctrl-C would
  signalbox down --data /var/lib/cluster --timeout 5s --force

The process is found by the lock in the folder, and is sure to be the one that has taken it. The next "signalbox up"
goes on with everything that was acknowledged, also after --force.
Exit codes: 0 nothing runs there any more, or nothing did; 1 it goes on; 2 wrong usage.`;
