import { isAbsolute, join } from 'node:path';

/** Where programs of ours keep what they can make again (XDG); undefined where the environment names no place. */
export function userCache({ XDG_CACHE_HOME: cache = '', HOME: home = '' }: NodeJS.ProcessEnv): string | undefined {
  // The specification has relative paths ignored.
  if (isAbsolute(cache)) return join(cache, 'signalbox');
  return isAbsolute(home) ? join(home, '.cache', 'signalbox') : undefined;
}
