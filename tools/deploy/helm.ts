import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { builtPeer } from '../peers/built.ts';

/** HELM, that of PATH, or one that `npm run peers -- helm` has built. */
export function findHelm(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const onPath = (env['PATH'] ?? '')
    .split(delimiter)
    .map((path) => join(path, 'helm'))
    .find(existsSync);
  return env['HELM'] ?? onPath ?? builtPeer('helm', env);
}
