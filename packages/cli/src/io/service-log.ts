import { toTimestamp } from '@signalbox/cluster';
import { type Io, writeLine } from './io.ts';
import { createTextLog, described, type Log, type LogLine, type LogOptions } from './log.ts';
import { tellingOutagesOnce } from './outages.ts';

/** The log of a command that does nothing but run: each line for people has its time. */
export async function openServiceLog(component: string, { logFormat, logLevel }: LogOptions, io: Io): Promise<Log> {
  if (logFormat === 'json') {
    const { createJsonLog } = await import('./json-log.ts');
    return tellingOutagesOnce(createJsonLog({ level: logLevel, component, io }), io.clock);
  }
  const timed = (line: LogLine): string => `${toTimestamp(io.clock.nowMs())} ${described(line)}`;
  // In the background the log file says when.
  const text = io.background === undefined ? timed : described;
  const log = createTextLog({ level: logLevel, text, print: (line) => writeLine(io.stderr, line) });
  return tellingOutagesOnce(log, io.clock);
}
