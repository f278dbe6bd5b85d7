/** Tars that are the same, byte for byte, whenever and wherever they are made of the same files. */
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create } from 'tar';
import type { ImageFile } from './files.ts';

export interface Layer {
  /** Packed by gzip. */
  readonly bytes: Buffer;
  /** Of the tar: what a config names. */
  readonly diffId: string;
}

export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Writes the files below a folder, with the modes that they have in the image. */
export function layOut(files: readonly ImageFile[], folder: string): void {
  for (const { path, content, isProgram } of files) {
    const target = join(folder, path);
    // Everybody reads them: OpenShift runs programs as users that no image knows.
    mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
    if ('file' in content) copyFileSync(content.file, target);
    else writeFileSync(target, content.text);
    chmodSync(target, isProgram ? 0o755 : 0o644);
  }
}

/** Writes a tar of what is below a folder: sorted; root's and of one time, unless `kept` says that owners and times stay. */
export function packFolder(
  folder: string,
  file: string,
  as: { readonly modified: Date } | { readonly kept: true },
): void {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort((a, b) => (a < b ? -1 : 1));
  const options = 'kept' in as ? {} : { portable: true, mtime: as.modified };
  create({ cwd: folder, file, sync: true, noDirRecurse: true, strict: true, ...options }, paths);
}

/** Of files that were laid out. */
export function layerOf(folder: string, { tar, modified }: { readonly tar: string; readonly modified: Date }): Layer {
  packFolder(folder, tar, { modified });
  const bytes = readFileSync(tar);
  return { bytes: gzipSync(bytes, { level: 9 }), diffId: digestOf(bytes) };
}
