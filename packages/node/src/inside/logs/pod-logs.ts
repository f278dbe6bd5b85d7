/** Logs of pods that are gone stay for who reads behind, and then go, as with a kubelet. */
import { readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodePlaces } from '../../protocol/places.ts';

/** All logs of the pod, and what leads to them. */
export async function removePodLogs({ podLogs, containerLogs }: NodePlaces, uid: string): Promise<void> {
  const folders = (await readdir(podLogs)).filter((name) => name.endsWith(`_${uid}`));
  for (const name of await readdir(containerLogs)) {
    const link = join(containerLogs, name);
    const leadsTo = await readlink(link).catch(() => '');
    if (folders.some((folder) => leadsTo.startsWith(`../pods/${folder}/`))) await rm(link, { force: true });
  }
  for (const folder of folders) await rm(join(podLogs, folder), { recursive: true, force: true });
}
