import type { Readable, Writable } from 'node:stream';

/** What a client has of a session in a container, whichever protocol it speaks. Those that it did not ask for are not there. */
export interface Channels {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** Of the client's terminal; the last one is told to who comes late. */
  onResize(listener: (size: TerminalSize) => void): void;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Says how it ended, and closes. */
  finish(status: object): void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Which of them the client asked for. */
export interface Wanted {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Query options of kubelets. With a terminal, errors come with the output. */
export function wantedOf(query: URLSearchParams): Wanted {
  const is = (name: string): boolean => ['1', 'true'].includes(query.get(name) ?? '');
  const tty = is('tty');
  return { stdin: is('input'), stdout: is('output'), stderr: is('error') && !tty, tty };
}

/** Remembers the last size until somebody listens. */
export function createSizes(): {
  readonly take: (text: string) => void;
  readonly listen: Channels['onResize'];
} {
  let last: TerminalSize | undefined;
  let told: ((size: TerminalSize) => void) | undefined;
  return {
    take(text) {
      const size = sizeOf(text);
      if (size === undefined) return;
      last = size;
      told?.(size);
    },
    listen(listener) {
      told = listener;
      if (last !== undefined) listener(last);
    },
  };
}

function sizeOf(text: string): TerminalSize | undefined {
  try {
    const { Width: columns, Height: rows } = JSON.parse(text) as { readonly Width: unknown; readonly Height: unknown };
    return isSize(columns) && isSize(rows) ? { columns, rows } : undefined;
  } catch {
    return undefined;
  }
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 65_536;
}
