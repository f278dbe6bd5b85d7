import { toTimestamp } from '@signalbox/cluster';
import { type Io, writeLine } from './io.ts';
import { createTextLog, described, type Log, type LogLine, type LogOptions } from './log.ts';

/** The log of a command that does nothing but run: each line for people has its time. */
export async function openServiceLog(component: string, { logFormat, logLevel }: LogOptions, io: Io): Promise<Log> {
  if (logFormat === 'json') {
    const { createJsonLog } = await import('./json-log.ts');
    return createJsonLog({ level: logLevel, component, io });
  }
  const timed = (line: LogLine): string => `${toTimestamp(io.clock.nowMs())} ${described(line)}`;
  // In the background the log file says when.
  const text = io.background === undefined ? timed : described;
  return createTextLog({ level: logLevel, text, print: (line) => writeLine(io.stderr, line) });
}
