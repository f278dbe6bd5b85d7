import { type Command, Option } from 'commander';
import type { Context } from './context.ts';
import { outputOption } from './options.ts';

/** `signalbox clock`. */
export function addClock(program: Command, { io, finish }: Context): void {
  program
    .command('clock')
    .description('tell the time of a cluster, or move it: of one that "signalbox up --virtual" runs')
    .argument('[move]', 'how far, such as +72h, or where to, such as 2027-01-01T00:00:00Z')
    .addOption(new Option('--pace <duration>', 'leave programs outside so much real time at each moment, e.g. 50ms'))
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster (default: KUBECONFIG, then what "up" wrote here, then as kubectl)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(outputOption())
    .addHelpText('after', help)
    .action(async (text: string | undefined, { pace, kubeconfig, context, output }: ClockFlags, command: Command) => {
      const { clock, parseMove } = await import('../commands/clock.ts');
      const move = text === undefined ? undefined : (parseMove(text) ?? refuse(text, command));
      finish(await clock({ move, pace, kubeconfig, context, output }, io));
    });
}

function refuse(text: string, command: Command): never {
  const ways = 'neither a way such as +72h or +11m nor a time such as 2027-01-01T00:00:00Z';
  return command.error(`error: ${JSON.stringify(text)} is ${ways}`, { exitCode: 2 });
}

interface ClockFlags {
  readonly pace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: 'text' | 'json';
}

const help = `
Examples:
  signalbox up --virtual --memory &     a cluster whose time stands still
  signalbox clock                       what time it is there
  signalbox clock +72h                  three days pass, and all that falls due in them happens, in its order
  signalbox clock +10m --pace 50ms      the same while an operator outside has time to react
  curl -X POST …/signalbox/clock?advance=72h    the same for any language; GET tells the time

It answers when everything that fell due is done, and prints the time that it is then. Long ways tell on standard
error how far they are; Ctrl-C stops the time where it is. Time only goes forward, at most ten years at once.
docs/clock.md says what moves with it, and what keeps the time of the computer.
Exit codes: 0 done; 1 the clock is the computer’s, or the cluster cannot be reached; 2 wrong usage.`;
