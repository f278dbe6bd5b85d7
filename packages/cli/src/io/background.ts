import type { Output } from './io.ts';

/** What it says to the process that waits for it. */
export type BackgroundMessage =
  | { readonly is: 'text'; readonly to: 'stdout' | 'stderr'; readonly text: string }
  /** Everything was tried: the exit code of the one that waits. This process goes on. */
  | { readonly is: 'settled'; readonly code: number };

/** The side of a command in the background that stays. */
export interface Background {
  readonly log: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Lets the one that waits go, with this exit code. */
  settle(code: number): void;
  /** Resolves when everything has been handed over. */
  flushed(): Promise<void>;
}

/** A command that was started in a session of its own. */
export interface Launched {
  readonly pid: number;
  /** In the order in which it said them; ends when it settles or ends. */
  readonly messages: AsyncIterable<BackgroundMessage>;
  /** The exit code when it ended; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  kill(signal: 'SIGTERM' | 'SIGHUP' | 'SIGKILL'): void;
  /** Lets it go on alone. */
  release(): void;
}

export interface LaunchOptions {
  /** Where what it prints goes besides. */
  readonly log: string;
  readonly takesInput: boolean;
  /** For Node.js itself, before what it was started with here. */
  readonly runtime?: readonly string[];
  /** Another command than this one. */
  readonly argv?: readonly string[];
}

/** Starts this program as a process in the background, with this same command line. */
export type Launch = (options: LaunchOptions) => Launched;
