/** Whom files of volumes belong to. Without the rights of root there is one user, and all is its own. */
import { chmod, lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface Owners {
  readonly isRoot: boolean;
  readonly group: number | undefined;
}

const groupMayWrite = 0o2770;

/** The folder of a volume is its group's: what is made in it is, too. */
export async function giveFolder(folder: string, { isRoot, group }: Owners): Promise<void> {
  if (!isRoot || group === undefined) return;
  const { uid, gid, mode } = await lstat(folder);
  if (gid !== group) await lchown(folder, uid, group);
  if ((mode & groupMayWrite) !== groupMayWrite) await chmod(folder, (mode & 0o7777) | groupMayWrite);
}

/** All that is in it, when the folder itself is not the group's yet; links are not followed. */
export async function giveTree(folder: string, owners: Owners): Promise<void> {
  const { isRoot, group } = owners;
  if (!isRoot || group === undefined || (await lstat(folder)).gid === group) return;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await giveTree(path, owners);
    else await giveFile(path, group);
  }
  await giveFolder(folder, owners);
}

async function giveFile(path: string, group: number): Promise<void> {
  const { uid, mode } = await lstat(path);
  await lchown(path, uid, group);
  const isLink = (mode & 0o170000) === 0o120000;
  if (!isLink) await chmod(path, (mode & 0o7777) | 0o660);
}
