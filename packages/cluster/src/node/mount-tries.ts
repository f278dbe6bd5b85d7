import type { Pod } from '../api/generated/core-v1.ts';
import { configmaps, secrets } from '../api/generated/kinds.ts';
import { type Key, keyOf } from '../api/meta.ts';
import type { Caches } from '../client/cache.ts';
import { type Configuration, type MissingVolume, missingVolumes, mountsConfiguration } from './configuration.ts';
import type { PodEvent } from './driver.ts';

/**
 * When the volumes of pods are set up whose ConfigMaps or Secrets are missing: tried ever more rarely, as a kubelet does. Only of
 * pods that wait is anything kept, and nobody is told when an object comes: whoever waits looks.
 */
export interface MountTries {
  /** Undefined: all that it mounts of them is there. */
  lacking(pod: Pod, nowMs: number): Unmounted | undefined;
  forget(pod: Pod): void;
}

export interface Unmounted {
  /** News of it. */
  readonly events: readonly PodEvent[];
  /** When it is tried again. */
  readonly againInMs: number;
  /** It is about to be tried for the first time: nothing is to be said of it. */
  readonly isQuiet: boolean;
}

interface Waiting {
  readonly uid: string;
  readonly sinceMs: number;
  readonly nextMs: number;
  readonly delayMs: number;
  /** What was told last, and when. */
  readonly told: string;
  readonly toldMs: number;
}

/** What is made together with its pod is there by then; a kubelet looks at new pods ten times a second. */
const firstTryMs = 100;
const retryMs = 500;
const retryMsMax = 122_000;
/** Then the pod has waited for so long that a kubelet says so besides. */
const patienceMs = 123_000;
/** Events are forgotten after an hour, and nothing else says what such a pod waits for. */
const repeatMs = 1_800_000;

export function createMountTries(caches: Caches): MountTries {
  const waiting = new Map<Key, Waiting>();
  return {
    lacking(pod, nowMs) {
      if (!mountsConfiguration(pod)) return undefined;
      const key = keyOf(pod);
      const { uid } = pod.metadata;
      const known = waiting.get(key);
      const before = known?.uid === uid ? known : undefined;
      if (before !== undefined && nowMs < before.nextMs) return untried(before, nowMs);
      const missing = missingVolumes(pod, configurationOf(caches, pod));
      if (missing.length === 0) {
        waiting.delete(key);
        return undefined;
      }
      const now = before === undefined ? begun(uid, nowMs) : tried(before, { missing, nowMs });
      waiting.set(key, now);
      const isNews = before !== undefined && now.toldMs !== before.toldMs;
      return { ...untried(now, nowMs), events: isNews ? eventsOf(missing, { isLate: isLate(now, nowMs) }) : [] };
    },
    forget: (pod) => void waiting.delete(keyOf(pod)),
  };
}

export function configurationOf(caches: Caches, { metadata: { namespace = '' } }: Pod): Configuration {
  return {
    configMap: (name) => caches.of(configmaps).get(`${namespace}/${name}`),
    secret: (name) => caches.of(secrets).get(`${namespace}/${name}`),
  };
}

function begun(uid: string, nowMs: number): Waiting {
  return { uid, sinceMs: nowMs, nextMs: nowMs + firstTryMs, delayMs: 0, told: '', toldMs: nowMs };
}

function tried(
  before: Waiting,
  { missing, nowMs }: { readonly missing: readonly MissingVolume[]; readonly nowMs: number },
): Waiting {
  const delayMs = before.delayMs === 0 ? retryMs : Math.min(2 * before.delayMs, retryMsMax);
  const words = missing.map(({ name, why }) => `${name}: ${why}`).join();
  const told = isLate(before, nowMs) ? `late: ${words}` : words;
  const isNews = told !== before.told || nowMs - before.toldMs >= repeatMs;
  return { ...before, delayMs, nextMs: nowMs + delayMs, ...(isNews && { told, toldMs: nowMs }) };
}

function isLate({ sinceMs }: Waiting, nowMs: number): boolean {
  return nowMs - sinceMs >= patienceMs;
}

function untried({ nextMs, delayMs }: Waiting, nowMs: number): Unmounted {
  return { events: [], againInMs: nextMs - nowMs, isQuiet: delayMs === 0 };
}

function eventsOf(missing: readonly MissingVolume[], { isLate }: { readonly isLate: boolean }): readonly PodEvent[] {
  const notes = missing.map(({ name, why }) => `MountVolume.SetUp failed for volume "${name}" : ${why}`);
  const names = missing.map(({ name }) => name).sort();
  const late = `Unable to attach or mount volumes: unmounted volumes=[${names.join(' ')}], unattached volumes=[], failed to process volumes=[]: context deadline exceeded`;
  return [...notes, ...(isLate ? [late] : [])].map((note) => ({ type: 'Warning', reason: 'FailedMount', note }));
}
