import type { Command } from 'commander';
import type { Context } from './context.ts';

/** `signalbox backup`, `signalbox restore`, `signalbox check`: what keeps a cluster's data. */
export function addDataCommands(program: Command, context: Context): void {
  addBackup(program, context);
  addRestore(program, context);
  addCheck(program, context);
}

interface BackupFlags {
  readonly data?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

function addBackup(program: Command, { io, finish }: Context): void {
  program
    .command('backup')
    .description('save a cluster to a file, while it runs or from its folder')
    .argument('<file>', 'the file to write; it holds every secret, so only you can read it')
    .option('--data <dir>', 'take it from this data folder, in which nothing runs (default: ask the running server)')
    .option(
      '--kubeconfig <file>',
      'how to reach the server (default: KUBECONFIG, then what "up" wrote here, then as kubectl)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addHelpText('after', backupHelp)
    .action(async (file: string, { data, kubeconfig, context }: BackupFlags) => {
      const { backup } = await import('../commands/backup.ts');
      finish(await backup({ file, data, kubeconfig, context }, io));
    });
}

interface RestoreFlags {
  readonly data: string;
  readonly replace?: true;
}

function addRestore(program: Command, { io, finish }: Context): void {
  program
    .command('restore')
    .description('make a data folder of a backup')
    .argument('<file>', 'what "signalbox backup" wrote')
    .requiredOption('--data <dir>', 'the folder to make; it must not hold anything yet')
    .option('--replace', 'put what the folder holds aside, beside it')
    .addHelpText('after', restoreHelp)
    .action(async (file: string, { data, replace }: RestoreFlags) => {
      const { restore } = await import('../commands/restore.ts');
      finish(await restore({ file, data, replace: replace === true }, io));
    });
}

interface CheckFlags {
  readonly data: string;
}

function addCheck(program: Command, { io, finish }: Context): void {
  program
    .command('check')
    .description('read all of a data folder and say whether it is whole')
    .option('--data <dir>', 'the data folder', '.signalbox')
    .addHelpText('after', checkHelp)
    .action(async ({ data }: CheckFlags) => {
      const { check } = await import('../commands/check.ts');
      finish(await check({ data }, io));
    });
}

const backupHelp = `
Examples:
  signalbox backup monday.backup                    the cluster that "signalbox up" runs from this folder
  signalbox backup monday.backup --data .signalbox  the same when it does not run
  zcat monday.backup | head -1                      which revision it holds, and of when

It holds all objects as they were at one moment, and the certificates and keys beside them; over the network it is
given to members of system:masters alone. The file appears when it is complete, with a checksum in it, readable by
you alone (0600).
Exit codes: 0 done; 1 nothing was saved, with the reason; 2 wrong usage.`;

const restoreHelp = `
Examples:
  signalbox restore monday.backup --data restored && signalbox up --data restored
  signalbox restore monday.backup --data .signalbox --replace    the old folder stays beside it

The backup is read to its end before anything is written. Versions go on far above all that were ever given out, so that
clients which saw what came after the backup list everything again instead of waiting for changes that are gone.
Exit codes: 0 done; 1 nothing was changed, with the reason; 2 wrong usage.`;

const checkHelp = `
Examples:
  signalbox check                     the folder .signalbox
  signalbox check --data /var/lib/signalbox

Every page of the file, every record with its checksum, keys, uids and revisions. It changes nothing, and refuses
while a process is at work in the folder. Findings go to stdout, one per line; the mend is a backup.
Exit codes: 0 it is whole; 1 it is not, or cannot be read; 2 wrong usage.`;
