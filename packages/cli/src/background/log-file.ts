import { copyFileSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { type Clock, toTimestamp } from '@signalbox/cluster';

/** What a process in the background has to say, each line with its time. */
export interface LogFile {
  /** `timed`: the lines say when themselves. */
  write(text: string, form?: 'timed'): void;
}

export interface LogFileOptions {
  readonly bytesMax: number;
  readonly clock: Clock;
}

/**
 * Appends to the file. When it would grow beyond `bytesMax`, what is in it goes to `PATH.1`, whose content is lost, and the
 * file is emptied in place: a crash's last words come from the same descriptor that the process was started with. A full
 * disk costs lines, never the process.
 */
export function openLogFile(path: string, { bytesMax, clock }: LogFileOptions): LogFile {
  const file = openSync(path, 'a', 0o600);
  let isLineStart = true;
  return {
    write(text, form) {
      const time = form === 'timed' ? '' : `${toTimestamp(clock.nowMs())} `;
      const lines = text.replace(/^(?=[\s\S])/gm, (_, offset: number) => (offset > 0 || isLineStart ? time : ''));
      isLineStart = text.endsWith('\n');
      try {
        if (fstatSync(file).size + Buffer.byteLength(lines) > bytesMax) {
          copyFileSync(path, `${path}.1`);
          ftruncateSync(file, 0);
        }
        writeSync(file, lines);
      } catch {
        // Nobody is left to be told.
      }
    },
  };
}
