import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/** Replaces a file as a whole: readers see the old text or the new one, also after a crash. */
export async function writeFileAtomically(
  path: string,
  text: string,
  { mode }: { readonly mode: number },
): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    // `wx`: never through a link that somebody else has put there.
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
