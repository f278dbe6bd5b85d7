/** What a stranger does to the program: real processes, real sockets, real files. Values in a list, as everything that extends. */
export interface Attack {
  /** As it is named on the command line. */
  readonly name: string;
  /** What it does and what must hold, in one line. */
  readonly summary: string;
  run(options: AttackOptions): Promise<AttackResult>;
}

export interface AttackOptions {
  readonly seed: number;
  /** `short` is what CI runs: seconds. `long` is minutes. */
  readonly effort: 'short' | 'long';
  readonly signal: AbortSignal;
  /** Progress, a line at a time. */
  readonly log: (line: string) => void;
}

export interface AttackResult {
  /** How many things were tried; an attack that tried nothing has failed. */
  readonly cases: number;
  /** What must not be, one line each, with how to repeat it. */
  readonly findings: readonly string[];
  /** What was measured, by a name that carries its unit, e.g. `acknowledgedWrites`, `rssMbMax`. */
  readonly figures: Readonly<Record<string, number | string>>;
}
