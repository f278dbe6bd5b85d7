import { posix } from 'node:path';

/** Where logs go that have a name but no path. */
export const logFolder = '/var/log/prometheus';

/** A bare name: the pods have a volume for it. */
export function needsLogFolder(file: string | undefined): boolean {
  return file !== undefined && file !== '' && posix.dirname(file) === '.';
}

export function logPath(file: string | undefined): string | undefined {
  return file !== undefined && needsLogFolder(file) ? posix.join(logFolder, file) : file;
}
