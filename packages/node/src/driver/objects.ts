import {
  type Client,
  type Clock,
  type ConfigMap,
  configmaps,
  createInformers,
  type Informers,
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

interface Followed {
  readonly informers: Informers;
  readonly synced: Promise<void>;
  isSynced: boolean;
  readonly followers: Map<string, Follower>;
}

export function createObjects(options: ObjectsOptions): Objects {
  const { report } = options;
  const followed = new Map<string, Followed>();
  const pods = new Map<string, Follower>();
  const ending = new AbortController();

  const start = (type: ResourceType, { namespace, name }: Place): Followed => {
    const informers = createInformers({
      ...options,
      only: () => ({ namespaces: [namespace], fieldSelector: `metadata.name=${name}` }),
      report: (message, error) => report(`${message} ${namespace}/${name}`, error),
    });
    const one: Followed = {
      informers,
      followers: new Map(),
      isSynced: false,
      synced: informers.sync([type], { signal: ending.signal }).then(() => {
        one.isSynced = true;
        informers.listen(type, () => {
          for (const { changed } of one.followers.values()) changed();
        });
      }),
    };
    one.synced.catch(() => undefined);
    return one;
  };

  const placesOf = ({ metadata: { namespace = '' } }: Pod, references: PodReferences): readonly Wanted[] =>
    wantedOf(references).map(({ type, name }) => ({
      type,
      namespace,
      name,
      key: `${resourceName(type)} ${namespace}/${name}`,
    }));

  const found = <T extends KubeObject>(
    type: ResourceType<T>,
    namespace: string,
    names: readonly string[],
  ): Map<string, T> =>
    new Map(
      names.flatMap((name) => {
        const one = followed.get(`${resourceName(type)} ${namespace}/${name}`);
        const object = one?.isSynced === true ? one.informers.of(type).get(`${namespace}/${name}`) : undefined;
        return object === undefined ? [] : [[name, object] as const];
      }),
    );

  const named = ({ metadata: { namespace = '' } }: Pod, references: PodReferences): Named => ({
    configMaps: found(configmaps, namespace, references.configMaps),
    secrets: found(secrets, namespace, references.secrets),
    claims: new Map(
      [...found(persistentvolumeclaims, namespace, references.claims)].map(([name, claim]) => [name, claimOf(claim)]),
    ),
  });

  return {
    async follow(pod, { references, signal, changed }) {
      const follower = { references, changed };
      const wanted = placesOf(pod, references);
      for (const { key, type, namespace, name } of wanted) {
        const one = followed.get(key) ?? start(type, { namespace, name });
        followed.set(key, one);
        one.followers.set(pod.metadata.uid, follower);
      }
      pods.set(pod.metadata.uid, follower);
      await Promise.race([Promise.all(wanted.flatMap(({ key }) => followed.get(key)?.synced ?? [])), aborted(signal)]);
      return named(pod, references);
    },
    now(pod) {
      const references = pods.get(pod.metadata.uid)?.references;
      if (references === undefined) return undefined;
      const isMissing = placesOf(pod, references).some(({ key }) => followed.get(key)?.isSynced !== true);
      return isMissing ? undefined : named(pod, references);
    },
    release(pod) {
      const references = pods.get(pod.metadata.uid)?.references;
      if (references === undefined) return;
      pods.delete(pod.metadata.uid);
      for (const { key } of placesOf(pod, references)) {
        const one = followed.get(key);
        one?.followers.delete(pod.metadata.uid);
        if (one === undefined || one.followers.size > 0) continue;
        one.informers.close();
        followed.delete(key);
      }
    },
    close() {
      ending.abort(new Error('the objects of the node were closed'));
      for (const { informers } of followed.values()) informers.close();
      followed.clear();
    },
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

function wantedOf(references: PodReferences): readonly { readonly type: ResourceType; readonly name: string }[] {
  return [
    ...references.configMaps.map((name) => ({ type: configmaps as ResourceType, name })),
    ...references.secrets.map((name) => ({ type: secrets as ResourceType, name })),
    ...references.claims.map((name) => ({ type: persistentvolumeclaims as ResourceType, name })),
  ];
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

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
