import { type Command, CommanderError } from 'commander';
import { describeError } from './io/errors.ts';
import { colorsFor, type Io, writeLine } from './io/io.ts';
import { createProgram } from './program.ts';

/** Runs one command line, without the program's name. Resolves with the exit code: 0 done, 1 it failed, 2 wrong usage. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = createProgram(io, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...understandable(argv, program)], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const colors = colorsFor(io.stderr, io);
    for (const line of describeError(error)) writeLine(io.stderr, `${colors.red('error:')} ${line}`);
    return 1;
  }
}

/** Without a word: help. Help for a command that there is not would end well without helping, so the wrong word is left alone. */
function understandable(argv: readonly string[], program: Command): readonly string[] {
  if (argv.length === 0) return ['--help'];
  const named = argv[0] === 'help' ? argv[1] : argv[0];
  if (named === undefined || named === 'help' || named.startsWith('-')) return argv;
  return program.commands.some((command) => command.name() === named) ? argv : [named];
}
