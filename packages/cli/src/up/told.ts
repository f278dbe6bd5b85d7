import { colorsFor, type Io } from '../io/io.ts';
import { createTextLog, described, type Log, type LogLine, type LogOptions } from '../io/log.ts';
import { createLines, createProgress, type Progress } from './progress.ts';

/** How `up` tells what happens. */
export interface Told {
  readonly log: Log;
  readonly progress: Progress;
}

/** As text, lines stand above what moves on a terminal; as JSON, progress is lines of the log as well. */
export async function openTold({ logFormat, logLevel }: LogOptions, io: Io): Promise<Told> {
  if (logFormat === 'json') {
    const { createJsonLog } = await import('../io/json-log.ts');
    const log = createJsonLog({ level: logLevel, component: 'up', io });
    return { log, progress: createLines((message) => log.write({ level: 'info', message })) };
  }
  const progress = createProgress(io);
  const { red } = colorsFor(io.stderr, io);
  const text = (line: LogLine): string => {
    if (line.level === 'warn') return `warning: ${described(line)}`;
    return line.level === 'error' ? `${red('error:')} ${described(line)}` : described(line);
  };
  return { log: createTextLog({ level: logLevel, text, print: progress.log }), progress };
}
