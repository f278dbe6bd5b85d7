import { createHash, type Hash } from 'node:crypto';
import { join } from 'node:path';
import type { Files } from './files.ts';
import { configBytesMax, type Env, render } from './render.ts';

export interface Places {
  readonly configFile: string;
  readonly outputFile: string;
  readonly watchedFolders: readonly string[];
}

/** What the files hold at one moment. */
export interface Look {
  /** The same as long as the contents are the same, whenever and however they were written. */
  readonly sum: string;
  readonly config: ConfigLook | undefined;
}

export interface ConfigLook {
  /** Of the configuration as it is given. */
  readonly sum: string;
  /** What belongs into the output; undefined when there is none to write. */
  readonly output: { readonly sum: string; readonly unset: readonly string[] } | undefined;
  /** What has to be written; undefined when the output holds it already. */
  readonly unwritten: Buffer | undefined;
}

export interface Looking {
  readonly files: Files;
  readonly env: Env;
  /** The last look: a configuration that is still the same is not rendered again. */
  readonly before?: Look | undefined;
}

/** Folders in folders beyond this are refused: a link has led in a circle that only looks like a path. */
const depthMax = 32;

/** Reads everything. What is summed up is what is written. */
export async function look(places: Places, { files, env, before }: Looking): Promise<Look> {
  const { configFile, outputFile, watchedFolders } = places;
  const hash = createHash('sha256');
  const seen = { files, env, before: before?.config };
  const config = configFile === '' ? undefined : await lookAtConfig({ configFile, outputFile }, seen);
  hash.update(`${config?.sum ?? ''}\n`);
  for (const folder of watchedFolders) {
    hash.update(`${folder}\n`);
    await addFolder(hash, { files, path: folder, name: '', around: [] });
  }
  return { sum: hash.digest('hex'), config };
}

async function lookAtConfig(
  { configFile, outputFile }: Omit<Places, 'watchedFolders'>,
  { files, env, before }: Omit<Looking, 'before'> & { readonly before: ConfigLook | undefined },
): Promise<ConfigLook> {
  // Mostly nothing has changed: then nothing is held in memory, however large it is.
  if (outputFile === '') return { sum: await sumOf(configFile, files), output: undefined, unwritten: undefined };
  // An output that cannot be read is written anew, which mends that or names why not.
  const held = await sumOf(outputFile, files).catch(() => undefined);
  if (before?.output !== undefined && before.output.sum === held && (await sumOf(configFile, files)) === before.sum)
    return { ...before, unwritten: undefined };
  const config = await whole(configFile, files);
  const { bytes, unset } = render(config, env);
  const sum = createHash('sha256').update(bytes).digest('hex');
  return {
    sum: createHash('sha256').update(config).digest('hex'),
    output: { sum, unset },
    unwritten: sum === held ? undefined : bytes,
  };
}

async function sumOf(path: string, files: Files): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of files.read(path)) hash.update(piece);
  return hash.digest('hex');
}

async function whole(path: string, files: Files): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of files.read(path)) {
    length += piece.length;
    if (length > configBytesMax) throw new Error(`${path} is larger than ${configBytesMax / 2 ** 20} MiB`);
    pieces.push(Uint8Array.from(piece));
  }
  return Buffer.concat(pieces);
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
      const sum = await sumOf(inner, files);
      hash.update(`${JSON.stringify(innerName)} ${sum}\n`);
    }
  }
}
