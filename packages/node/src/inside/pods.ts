/** The pods that live inside: their folders, their namespaces, their places in memory. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid, notFound } from '../protocol/failure.ts';
import type { PodPlace } from '../protocol/inside.ts';
import { type NodePlaces, podFolder } from '../protocol/places.ts';
import {
  addPodNetwork,
  type HeldNamespaces,
  type NetworkPlan,
  type PodNamespaces,
  removePodNetwork,
} from './network/network.ts';
import { assertPlace, assertUid } from './safe-names.ts';

export interface Pod {
  readonly place: PodPlace;
  readonly namespaces: PodNamespaces;
  /** Files of the pod that are no volumes. */
  readonly files: string;
}

export interface Pods {
  add(place: PodPlace): Promise<void>;
  /** Nothing runs in it any more. */
  remove(uid: string): Promise<void>;
  get(uid: string): Pod;
  find(uid: string): Pod | undefined;
  all(): readonly Pod[];
  orphans(): Promise<readonly string[]>;
}

export interface PodsOptions {
  readonly places: NodePlaces;
  readonly network: NetworkPlan;
}

export function createPods({ places, network }: PodsOptions): Pods {
  const pods = new Map<string, Pod & { readonly slot: string; readonly namespaces: HeldNamespaces }>();
  const adding = new Map<string, Promise<void>>();
  let slots = 0;
  const filesOf = (uid: string): string => join(podFolder(places, uid), 'files');
  const make = async (place: PodPlace): Promise<void> => {
    const slot = `p${++slots}`;
    const files = filesOf(place.uid);
    const sharedMemory = join(files, 'shm');
    await mkdir(sharedMemory, { recursive: true, mode: 0o755 });
    await writePodFiles(files, place);
    const namespaces = await addPodNetwork({ slot, pod: place, plan: network, sharedMemory });
    pods.set(place.uid, { place, slot, files, namespaces });
  };
  return {
    async add(place) {
      assertPlace(place);
      const known = pods.get(place.uid);
      if (known !== undefined) {
        if (known.place.address !== place.address)
          throw invalid(`pod ${place.uid} has the address ${known.place.address}; remove it first`);
        await writePodFiles(known.files, place);
        pods.set(place.uid, { ...known, place });
        return;
      }
      const taken = [...pods.values()].find(
        (each) => each.place.address !== undefined && each.place.address === place.address,
      );
      if (taken !== undefined) throw invalid(`the address ${place.address} is that of pod ${taken.place.uid}`);
      const made = adding.get(place.uid) ?? make(place);
      adding.set(place.uid, made);
      await made.finally(() => adding.delete(place.uid));
    },
    async remove(uid) {
      assertUid(uid);
      await adding.get(uid)?.catch(() => undefined);
      const pod = pods.get(uid);
      if (pod !== undefined) {
        pod.namespaces.close();
        await removePodNetwork({ slot: pod.slot, sharedMemory: join(pod.files, 'shm') });
      }
      pods.delete(uid);
      await rm(podFolder(places, uid), { recursive: true, force: true });
    },
    get(uid) {
      const pod = pods.get(uid);
      if (pod === undefined) throw notFound(`pod ${uid}`);
      return pod;
    },
    find: (uid) => pods.get(uid),
    all: () => [...pods.values()],
    async orphans() {
      if (!existsSync(places.pods)) return [];
      return (await readdir(places.pods)).filter((uid) => !pods.has(uid) && !adding.has(uid));
    },
  };
}

/** Bound into containers as they are: written in place, so that those who run see what is new. */
async function writePodFiles(folder: string, { hosts, resolver, hostname }: PodPlace): Promise<void> {
  const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
  await Promise.all([
    writeFile(join(folder, 'hosts'), text(hosts), { mode: 0o644 }),
    writeFile(join(folder, 'resolv.conf'), text(resolver), { mode: 0o644 }),
    writeFile(join(folder, 'hostname'), text([hostname]), { mode: 0o644 }),
  ]);
}
