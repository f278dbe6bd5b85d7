import { describeError } from './errors.ts';

/** From the least important up. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export function isLogLevel(text: unknown): text is LogLevel {
  return logLevels.some((level) => level === text);
}

/** Something that a command which goes on for long has to say. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  /** Which part says it; absent: the command itself. */
  readonly component?: string;
  readonly error?: unknown;
  /** What programs look for: of the JSON form only, where people find it in the message. */
  readonly facts?: LogFacts;
  /** How a person reads it, where that is not the usual form of its level. */
  readonly text?: string;
}

export interface LogFacts {
  readonly [name: string]: LogFacts | string;
}

/** Takes what a command says. A secret's value is never in it: what is reported has none. */
export interface Log {
  write(line: LogLine): void;
}

export interface LogOptions {
  /** What is less important is left out. */
  readonly logLevel: LogLevel;
  readonly logFormat: 'text' | 'json';
}

export interface TextLogOptions {
  readonly level: LogLevel;
  /** The usual form. */
  text(line: LogLine): string;
  print(line: string): void;
}

/** Lines for people. */
export function createTextLog({ level, text, print }: TextLogOptions): Log {
  return {
    write(line) {
      if (logLevels.indexOf(line.level) >= logLevels.indexOf(level)) print(line.text ?? text(line));
    },
  };
}

/** What was said, where, and why: `fleet: cannot report on pod a/b: the disk is full` */
export function described({ component, message, error }: LogLine): string {
  const where = component === undefined ? '' : `${component}: `;
  const why = error === undefined ? '' : `: ${reasonOf(error)}`;
  return `${where}${message}${why}`;
}

/** An error on one line. */
export function reasonOf(error: unknown): string {
  return describeError(error).join('; ');
}

/** Runs a command. Where the log is JSON its failure is a line of it, with exit code 1; text is left to the command line. */
export async function loggingFailure(
  log: Log,
  { logFormat }: LogOptions,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (logFormat === 'text') throw error;
    for (const message of describeError(error)) log.write({ level: 'error', message });
    return 1;
  }
}
