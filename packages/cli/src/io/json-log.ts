import { toTimestamp } from '@signalbox/cluster';
import { pino } from 'pino';
import type { Io } from './io.ts';
import { type Log, type LogLevel, reasonOf } from './log.ts';

export interface JsonLogOptions {
  readonly level: LogLevel;
  /** Who says what no part says: the command. */
  readonly component: string;
  readonly io: Pick<Io, 'stderr' | 'clock'>;
}

/** One object a line on standard error: `{"level":"warn","time":"…","component":"fleet","error":"…","message":"…"}`. */
export function createJsonLog({ level, component: command, io }: JsonLogOptions): Log {
  const { stderr, clock } = io;
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${toTimestamp(clock.nowMs())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (text: string) => stderr.write(text, 'timed') },
  );
  return {
    write({ level: of, component = command, message, error, facts: more }) {
      const facts = {
        component,
        ...more,
        ...(error !== undefined && { error: reasonOf(error), ...stackOf(error, level) }),
      };
      logger[of](facts, message);
    },
  };
}

/** Where a defect is: only for who asks for everything. */
function stackOf(error: unknown, level: LogLevel): { readonly stack?: string } {
  return level === 'debug' && error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {};
}
