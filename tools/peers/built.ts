import { existsSync } from 'node:fs';
import { peerPath, peers, peersFolder } from './peers.ts';

/** The path of a peer that `npm run peers` has built; undefined where it has not. */
export function builtPeer(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if ((env['XDG_CACHE_HOME'] ?? '') === '' && (env['HOME'] ?? '') === '') return undefined;
  const peer = peers.find((each) => each.name === name);
  const path = peer === undefined ? undefined : peerPath(peer, peersFolder(env));
  return path !== undefined && existsSync(path) ? path : undefined;
}
