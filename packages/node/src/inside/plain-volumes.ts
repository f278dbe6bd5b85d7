/** Volumes as plain folders of the pod. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { invalid } from '../protocol/failure.ts';
import { type NodePlaces, podFolder } from '../protocol/places.ts';
import type { Volumes } from './parts.ts';

export function createPlainVolumes(places: NodePlaces): Volumes {
  const folder = (uid: string, name: string): string => join(podFolder(places, uid), 'volumes', name);
  return {
    async write(uid, volume) {
      await mkdir(folder(uid, volume.name), { recursive: true });
      if (volume.is === 'claim') throw invalid('claims are not kept yet');
      if (volume.is === 'empty') return;
      for (const { path, base64, mode } of volume.files) {
        const file = join(folder(uid, volume.name), path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, Buffer.from(base64, 'base64'), { mode });
      }
    },
    async resolveMounts(uid, mounts) {
      return mounts.map(({ mountPath, source, subPath = '', isReadOnly }) => {
        if (!('volume' in source)) throw invalid('hostPath is not mounted yet');
        return { source: join(folder(uid, source.volume), subPath), target: mountPath, isReadOnly };
      });
    },
    remove: async () => undefined,
  };
}
