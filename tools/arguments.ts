import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Reads the arguments of a tool; a wrong one ends it with one line and the usage, exit code 2. */
export function readArguments<T extends ParseArgsConfig>(config: T, usage: string): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\nusage: ${usage}\n`);
    process.exit(2);
  }
}
