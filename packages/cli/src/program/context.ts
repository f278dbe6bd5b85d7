import type { Io } from '../io/io.ts';

/** Called with the exit code of the command that ran. */
export type Finish = (code: number) => void;

/** What a command is declared with. */
export interface Context {
  readonly io: Io;
  readonly finish: Finish;
}
