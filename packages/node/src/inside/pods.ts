/** The pods that live inside: their folders, their namespaces, their places in memory. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid, notFound } from '../protocol/failure.ts';
import type { PodPlace } from '../protocol/inside.ts';
import { type NodePlaces, podFolder } from '../protocol/places.ts';
import { addPodNetwork, type HeldNamespaces, type NetworkPlan, removePodNetwork } from './network/network.ts';
import type { Pipes } from './processes/pipes.ts';
import { assertPlace, assertUid } from './safe-names.ts';
import type { SharedMemory } from './shared-memory.ts';

export interface Pod {
  readonly place: PodPlace;
  readonly namespaces: HeldNamespaces;
  /** Files of the pod that are no volumes. */
  readonly files: string;
  /** A mount of its own. */
  readonly sharedMemory: string;
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
  readonly sharedMemory: SharedMemory;
  readonly pipes: Pipes;
}

export function createPods({ places, network, sharedMemory, pipes }: PodsOptions): Pods {
  const pods = new Map<string, Pod & { readonly slot: string }>();
  const adding = new Map<string, Promise<void>>();
  let slots = 0;
  const filesOf = (uid: string): string => join(podFolder(places, uid), 'files');
  const make = async (place: PodPlace): Promise<void> => {
    const slot = `p${++slots}`;
    const files = filesOf(place.uid);
    mkdirSync(files, { recursive: true, mode: 0o755 });
    writePodFiles(files, place);
    const own = { slot, sharedMemory: await sharedMemory.take() };
    const namespaces = await addPodNetwork({ ...own, pod: place, plan: network }, pipes).catch((error: unknown) => {
      sharedMemory.drop(own.sharedMemory);
      throw error;
    });
    pods.set(place.uid, { ...own, place, files, namespaces });
  };
  return {
    async add(place) {
      assertPlace(place);
      const known = pods.get(place.uid);
      if (known !== undefined) {
        if (known.place.address !== place.address)
          throw invalid(`pod ${place.uid} has the address ${known.place.address}; remove it first`);
        writePodFiles(known.files, place);
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
        await removePodNetwork(pod);
        sharedMemory.drop(pod.sharedMemory);
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
function writePodFiles(folder: string, { hosts, resolver, hostname }: PodPlace): void {
  const write = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`, { mode: 0o644 });
  write('hosts', hosts);
  write('resolv.conf', resolver);
  write('hostname', [hostname]);
}
