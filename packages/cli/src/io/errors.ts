import { isStatusError } from '@signalbox/cluster';

/** The command failed for reasons that its user can mend: one clear line each. Exit code 1. */
export class CommandError extends Error {
  readonly lines: readonly string[];

  constructor(lines: string | readonly string[], options?: ErrorOptions) {
    const all = typeof lines === 'string' ? [lines] : lines;
    super(all.join('\n'), options);
    this.name = 'CommandError';
    this.lines = all;
  }
}

/** The lines that a person sees instead of a stack trace. */
export function describeError(error: unknown): readonly string[] {
  if (error instanceof CommandError) return error.lines;
  if (error instanceof AggregateError) return error.errors.flatMap(describeError);
  const line = oneLine(error instanceof Error ? error.message : String(error));
  // Servers say no more than that.
  return isStatusError(error, 'Unauthorized')
    ? [`${line}: the API server does not know the credentials of this kubeconfig, or they have expired`]
    : [line];
}

/** Text of any kind on one line. */
export function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}
