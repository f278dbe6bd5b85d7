import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '../../base/atomic-file.ts';
import type { PemPair } from './certificates.ts';

/** Small texts by name: where certificates, keys and the token are kept. */
export interface PkiFiles {
  read(name: string): Promise<string | undefined>;
  write(name: string, text: string): Promise<void>;
}

/** In the folder (0700, each file 0600); without one in memory, for as long as what is returned is kept. */
export function openPkiFiles(folder: string | undefined): Promise<PkiFiles> {
  return folder === undefined ? Promise.resolve(memoryFiles()) : folderFiles(folder);
}

function memoryFiles(): PkiFiles {
  const texts = new Map<string, string>();
  return {
    read: (name) => Promise.resolve(texts.get(name)),
    write: (name, text) => Promise.resolve(void texts.set(name, text)),
  };
}

async function folderFiles(folder: string): Promise<PkiFiles> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return {
    async read(name) {
      try {
        return await readFile(join(folder, name), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    write: (name, text) => writeFileAtomically(join(folder, name), text, { mode: 0o600 }),
  };
}

export async function readPair(files: PkiFiles, name: string): Promise<PemPair | undefined> {
  const [cert, key] = await Promise.all([files.read(`${name}.crt`), files.read(`${name}.key`)]);
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

/** The key first: a certificate whose key is missing or another's counts as missing. */
export async function writePair(files: PkiFiles, name: string, { cert, key }: PemPair): Promise<void> {
  await files.write(`${name}.key`, key);
  await files.write(`${name}.crt`, cert);
}
