import { CommanderError } from 'commander';
import { describeError } from './errors.ts';
import { colorsFor, type Io, writeLine } from './io.ts';
import { createProgram } from './program.ts';

/** Runs one command line, without the program's name. Resolves with the exit code: 0 done, 1 it failed, 2 wrong usage. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = createProgram(io, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const colors = colorsFor(io.stderr, io);
    for (const line of describeError(error)) writeLine(io.stderr, `${colors.red('error:')} ${line}`);
    return 1;
  }
}
