import {
  type Client,
  type Clock,
  type ConfigMap,
  configmaps,
  createInformers,
  type KubeObject,
  type PersistentVolumeClaim,
  type Pod,
  persistentvolumeclaims,
  type Random,
  type ResourceType,
  resourceName,
  type Secret,
  secrets,
} from '@signalbox/cluster';
import type { Claim, PodReferences } from '../pod/around.ts';
import { lookAgain } from './look-again.ts';

/** What pods name: each object is followed by itself, as a node may, and only as long as a pod of the node names it. */
export interface Objects {
  /** Resolves when all that the pod names has been looked up. `changed` is called when any of it changes later. */
  follow(pod: Pod, options: Following): Promise<Named>;
  /** What is there now; undefined when the pod is not followed, or not all was looked up. */
  now(pod: Pod): Named | undefined;
  release(pod: Pod): void;
  close(): void;
}

export interface Following {
  readonly references: PodReferences;
  readonly signal: AbortSignal;
  readonly changed: () => void;
}

/** By name, those that exist. */
export interface Named {
  readonly configMaps: ReadonlyMap<string, ConfigMap>;
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly claims: ReadonlyMap<string, Claim>;
}

export interface ObjectsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (message: string, error: unknown) => void;
}

interface Follower {
  readonly references: PodReferences;
  readonly changed: () => void;
}

/** One object that is followed. */
export interface Sight {
  readonly synced: Promise<void>;
  now(): KubeObject | undefined;
  close(): void;
}

interface Followed {
  readonly sight: Sight;
  readonly synced: Promise<void>;
  isSynced: boolean;
  /** By the uids of their pods. */
  readonly followers: Map<string, Follower>;
}

interface State {
  readonly options: ObjectsOptions;
  readonly followed: Map<string, Followed>;
  readonly pods: Map<string, Follower>;
  readonly ending: AbortController;
}

export function createObjects(options: ObjectsOptions): Objects {
  const state: State = { options, followed: new Map(), pods: new Map(), ending: new AbortController() };
  const { followed, pods, ending } = state;
  return {
    async follow(pod, { references, signal, changed }) {
      const follower = { references, changed };
      const synced = wantedOf(pod, references).map((wanted) => {
        const one = followed.get(wanted.key) ?? start(state, wanted);
        followed.set(wanted.key, one);
        one.followers.set(pod.metadata.uid, follower);
        return one.synced;
      });
      pods.set(pod.metadata.uid, follower);
      await unlessAborted(Promise.all(synced), signal);
      return named(state, pod, references);
    },
    now(pod) {
      const references = pods.get(pod.metadata.uid)?.references;
      if (references === undefined) return undefined;
      const isMissing = wantedOf(pod, references).some(({ key }) => followed.get(key)?.isSynced !== true);
      return isMissing ? undefined : named(state, pod, references);
    },
    release: (pod) => release(state, pod),
    close() {
      ending.abort(new Error('the objects of the node were closed'));
      for (const { sight } of followed.values()) sight.close();
      followed.clear();
    },
  };
}

function start(state: State, wanted: Wanted): Followed {
  const followers = new Map<string, Follower>();
  const changed = (): void => {
    for (const follower of followers.values()) follower.changed();
  };
  // Whoever may get a claim may not watch it: nodes are told of what pods read, not of where it is kept.
  const sight =
    wanted.type === persistentvolumeclaims
      ? lookAgain(state.options, { ...wanted, changed, until: isSettled })
      : watched(state, { ...wanted, changed });
  const one: Followed = {
    sight,
    followers,
    isSynced: false,
    synced: sight.synced.then(() => {
      one.isSynced = true;
    }),
  };
  one.synced.catch(() => undefined);
  return one;
}

function watched(
  { options, ending }: State,
  { type, namespace, name, changed }: Wanted & { readonly changed: () => void },
): Sight {
  const informers = createInformers({
    ...options,
    only: () => ({ namespaces: [namespace], fieldSelector: `metadata.name=${name}` }),
    report: (message, error) => options.report(`${message} ${namespace}/${name}`, error),
  });
  return {
    synced: informers.sync([type], { signal: ending.signal }).then(() => {
      informers.listen(type, changed);
    }),
    now: () => informers.of(type).get(`${namespace}/${name}`),
    close: () => informers.close(),
  };
}

function isSettled(claim: KubeObject): boolean {
  return claimOf(claim as PersistentVolumeClaim).folder !== undefined;
}

function release({ pods, followed }: State, pod: Pod): void {
  const { uid } = pod.metadata;
  const references = pods.get(uid)?.references;
  if (references === undefined) return;
  pods.delete(uid);
  for (const { key } of wantedOf(pod, references)) {
    const one = followed.get(key);
    one?.followers.delete(uid);
    if (one === undefined || one.followers.size > 0) continue;
    one.sight.close();
    followed.delete(key);
  }
}

function named(state: State, { metadata: { namespace = '' } }: Pod, references: PodReferences): Named {
  const found = <T extends KubeObject>(type: ResourceType<T>, names: readonly string[]): Map<string, T> =>
    new Map(
      names.flatMap((name) => {
        const one = state.followed.get(keyOf(type, { namespace, name }));
        const object = one?.isSynced === true ? one.sight.now() : undefined;
        return object === undefined ? [] : [[name, object as T] as const];
      }),
    );
  const claims = [...found(persistentvolumeclaims, references.claims)];
  return {
    configMaps: found(configmaps, references.configMaps),
    secrets: found(secrets, references.secrets),
    claims: new Map(claims.map(([name, claim]) => [name, claimOf(claim)])),
  };
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface Wanted extends Place {
  readonly type: ResourceType;
  readonly key: string;
}

function keyOf(type: ResourceType, { namespace, name }: Place): string {
  return `${resourceName(type)} ${namespace}/${name}`;
}

function wantedOf({ metadata: { namespace = '' } }: Pod, references: PodReferences): readonly Wanted[] {
  const all: readonly (readonly [ResourceType, readonly string[]])[] = [
    [configmaps, references.configMaps],
    [secrets, references.secrets],
    [persistentvolumeclaims, references.claims],
  ];
  return all.flatMap(([type, names]) =>
    names.map((name) => ({ type, namespace, name, key: keyOf(type, { namespace, name }) })),
  );
}

/** A claim's folder is called after its volume: who gets another volume finds another folder. */
function claimOf({ metadata, spec, status }: PersistentVolumeClaim): Claim {
  const isBound = status?.phase === 'Bound' && spec.volumeName !== undefined && spec.volumeName !== '';
  return {
    folder: isBound ? spec.volumeName : undefined,
    isBeingDeleted: metadata.deletionTimestamp !== undefined,
    ownerUid: metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid,
  };
}

/** Who waits in vain asks again and again with one signal: it does not remember them. */
function unlessAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.finally(() => signal.removeEventListener('abort', stop)).then(() => resolve(), reject);
  });
}
