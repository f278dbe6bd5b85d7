/** Whether a container has ended before it had begun: what our helpers say in its place. */

export interface EarlyEnd {
  readonly exitCode: number;
  /** All that was said, when it was little. */
  readonly said: string;
}

/** What runtimes tell of a container whose program cannot be started. */
export const notStartedCode = 128;

const program = /^(?:bwrap: execvp|setpriv: failed to execute) (.+): (.+)$/;
const sandbox = /^(?:bwrap|nsenter|setpriv): (.+)$/;

/** Undefined: it was the program itself. */
export function startFailure({ exitCode, said }: EarlyEnd): string | undefined {
  const [line = '', ...more] = said.trimEnd().split('\n');
  if (![1, 126, 127].includes(exitCode) || more.length > 0) return undefined;
  const [, name, reason] = program.exec(line) ?? [];
  if (name !== undefined)
    return /^No such file/.test(reason ?? '') && !name.includes('/')
      ? `exec: "${name}": executable file not found in $PATH`
      : `exec: "${name}": ${(reason ?? '').toLowerCase()}`;
  return sandbox.test(line) ? `the sandbox cannot be made: ${line}` : undefined;
}
