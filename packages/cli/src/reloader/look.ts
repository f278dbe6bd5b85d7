import { createHash, type Hash } from 'node:crypto';
import { join } from 'node:path';
import type { Files } from './files.ts';
import { configBytesMax, type Env, type Rendered, render } from './render.ts';

export interface Places {
  readonly configFile: string;
  readonly outputFile: string;
  readonly watchedFolders: readonly string[];
}

/** What the files hold at one moment. */
export interface Look {
  /** The same as long as the contents are the same, whenever and however they were written. */
  readonly sum: string;
  /** What belongs into the output; undefined when there is none to write. */
  readonly rendered: Rendered | undefined;
  /** Whether the output holds that already. */
  readonly isWritten: boolean;
}

/** Folders in folders beyond this are refused: a link has led in a circle that only looks like a path. */
const depthMax = 32;

/** Reads everything. Each file is read once: what is summed up is what is written. */
export async function look(
  places: Places,
  { files, env }: { readonly files: Files; readonly env: Env },
): Promise<Look> {
  const { configFile, outputFile, watchedFolders } = places;
  const hash = createHash('sha256');
  const config = configFile === '' ? undefined : await whole(configFile, files);
  if (config !== undefined) hash.update(`${config.length}\n`).update(config);
  const rendered = config === undefined || outputFile === '' ? undefined : render(config, env);
  for (const folder of watchedFolders) {
    hash.update(`${folder}\n`);
    await addFolder(hash, { files, path: folder, name: '', around: [] });
  }
  const isWritten = rendered !== undefined && (await holds(outputFile, { bytes: rendered.bytes, files }));
  return { sum: hash.digest('hex'), rendered, isWritten };
}

async function whole(path: string, files: Files): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of files.read(path)) {
    length += chunk.length;
    if (length > configBytesMax) throw new Error(`${path} is larger than ${configBytesMax / 2 ** 20} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function holds(
  path: string,
  { bytes, files }: { readonly bytes: Buffer; readonly files: Files },
): Promise<boolean> {
  try {
    return (await whole(path, files)).equals(bytes);
  } catch {
    // Whatever keeps it from being read, writing it anew mends or names.
    return false;
  }
}

interface Folder {
  readonly files: Files;
  readonly path: string;
  /** From the watched folder on: where a mount's revision lies is none of its contents. */
  readonly name: string;
  /** Where the folders that it is in really are. */
  readonly around: readonly string[];
}

async function addFolder(hash: Hash, { files, path, name, around }: Folder): Promise<void> {
  const real = await files.realPath(path);
  if (around.includes(real)) return;
  if (around.length >= depthMax) throw new Error(`${path} is more than ${depthMax} folders deep`);
  for (const entry of [...(await files.list(path))].sort()) {
    // The kubelet's own: revisions of a mount and the link to the one that counts. Its files are linked to beside them.
    if (entry.startsWith('..')) continue;
    const inner = join(path, entry);
    const innerName = name === '' ? entry : `${name}/${entry}`;
    const kind = await files.kindOf(inner);
    if (kind === 'folder') await addFolder(hash, { files, path: inner, name: innerName, around: [...around, real] });
    if (kind === 'file') {
      const file = createHash('sha256');
      for await (const chunk of files.read(inner)) file.update(chunk);
      hash.update(`${JSON.stringify(innerName)} ${file.digest('hex')}\n`);
    }
  }
}
