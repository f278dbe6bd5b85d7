import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expandLists, type KubeObject, type New, parseYamlDocuments, SourceError } from '@signalbox/cluster';
import { CommandError } from './errors.ts';
import { absolute, type Io } from './io.ts';

/** An object of a manifest, with the place where it stands. */
export interface Manifest {
  readonly object: New<KubeObject>;
  /** The file as the user named it, or `standard input`. */
  readonly source: string;
  /** The line, from 1, that its document starts on. */
  readonly line: number;
}

export const standardInput = 'standard input';

/**
 * Reads files, folders (their `.yaml`, `.yml` and `.json` files, sorted, without subfolders) and `-` for standard input.
 * Rejects with a {@link CommandError} with one line per broken file: nothing is used when anything is broken. `option` is how
 * the paths were given.
 */
export async function readManifests(paths: readonly string[], io: Io, option = '-f'): Promise<readonly Manifest[]> {
  const texts = await readTexts(paths, { io, option });
  const manifests: Manifest[] = [];
  const problems: string[] = [];
  for (const { source, text } of texts) {
    const { found, broken } = parseManifests(text, source);
    manifests.push(...found);
    problems.push(...broken);
  }
  if (problems.length > 0) throw new CommandError(problems);
  return manifests;
}

/** The objects of one text, and what is wrong with the others. Pure. */
export function parseManifests(
  text: string,
  source: string,
): { readonly found: readonly Manifest[]; readonly broken: readonly string[] } {
  const found: Manifest[] = [];
  const broken: string[] = [];
  try {
    for (const { value, line } of expandLists(parseYamlDocuments(text, { source }))) {
      const problem = manifestProblem(value);
      if (problem === undefined) found.push({ object: value as New<KubeObject>, source, line });
      else broken.push(`${source}:${line}:1: ${problem}`);
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    broken.push(error.message.replace(/\s*\n\s*/g, ' '));
  }
  return { found, broken };
}

/** One string per object; what names no namespace is in `default`. */
export function idOf({ apiVersion, kind, metadata }: New<KubeObject> | KubeObject): string {
  return `${apiVersion} ${kind} ${metadata.namespace ?? 'default'}/${metadata.name ?? ''}`;
}

/** What a server would give it; nothing that is made of it depends on it. */
export function withIdentity(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, uid: '', resourceVersion: '', creationTimestamp: '' } };
}

function manifestProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return 'this is no Kubernetes object: expected a mapping with apiVersion, kind and metadata';
  for (const field of ['apiVersion', 'kind']) {
    if (value[field] === undefined) return `${field} is missing`;
    if (typeof value[field] !== 'string' || value[field] === '') return `${field} must be text`;
  }
  const { metadata } = value;
  if (!isRecord(metadata)) return `${String(value['kind'])}: metadata is missing`;
  if (metadata['name'] === undefined) return `${String(value['kind'])}: metadata.name is missing`;
  if (typeof metadata['name'] !== 'string')
    return `${String(value['kind'])}: metadata.name must be text; put it in quotes`;
  const { namespace } = metadata;
  if (namespace !== undefined && typeof namespace !== 'string')
    return `${String(value['kind'])}: metadata.namespace must be text; put it in quotes`;
  return undefined;
}

interface SourceText {
  readonly source: string;
  readonly text: string;
}

interface Reading {
  readonly io: Io;
  readonly option: string;
}

async function readTexts(paths: readonly string[], reading: Reading): Promise<readonly SourceText[]> {
  const { io, option } = reading;
  if (paths.filter((path) => path === '-').length > 1) throw new CommandError(`${option} - can be given only once`);
  const parts = await Promise.all(
    paths.map(async (path) =>
      path === '-' ? [{ source: standardInput, text: await readAll(io.stdin) }] : readPath(path, reading),
    ),
  );
  return parts.flat();
}

async function readPath(path: string, { io, option }: Reading): Promise<readonly SourceText[]> {
  try {
    const files = await filesAt(path, { io, option });
    return await Promise.all(
      files.map(async (source) => ({ source, text: await readFile(absolute(source, io), 'utf8') })),
    );
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`${option} ${path}: ${fileProblem(cause)}`, { cause });
  }
}

const manifestFile = /\.(ya?ml|json)$/i;

async function filesAt(path: string, { io, option }: Reading): Promise<readonly string[]> {
  let names: readonly string[];
  try {
    const entries = await readdir(absolute(path, io), { withFileTypes: true });
    names = entries.filter((entry) => !entry.isDirectory() && manifestFile.test(entry.name)).map(({ name }) => name);
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return [path];
    throw error;
  }
  if (names.length === 0) throw new CommandError(`${option} ${path}: the folder holds no *.yaml, *.yml or *.json file`);
  return [...names].sort().map((name) => join(path, name));
}

export function fileProblem(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return 'no such file or folder; check the path';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied; check the mode of the file and its folder';
    case 'EISDIR':
      return 'it is a folder, not a file';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'a file stands where a folder is needed; choose another path';
    case 'EROFS':
      return 'the file system is read-only; choose another path';
    case 'ENOSPC':
      return 'the disk is full';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

async function readAll(stream: AsyncIterable<string | Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
