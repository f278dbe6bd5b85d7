/**
 * The path of a unix socket may have 107 bytes; a node's folder may lie deeper. A socket is then reached through an open
 * descriptor of its folder, whose path is short wherever it lies.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';

export interface DoorPath {
  readonly path: string;
  /** After which the path must not be used any more. */
  release(): void;
}

const socketPathBytesMax = 100;

export function doorPath(folder: string, name: string): DoorPath {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= socketPathBytesMax) return { path, release: () => undefined };
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${descriptor}/${name}`, release: () => closeSync(descriptor) };
}
