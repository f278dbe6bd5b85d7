import type { ResourceType } from '../api/gvk.ts';
import type { KubeList, KubeObject, New } from '../api/meta.ts';
import type { Dismissal, Outcome, WatchEvent } from '../api/operation.ts';
import type { Client } from './client.ts';
import type { Waiting } from './transport.ts';

/** What a method of {@link Client} takes, the signal being optional. */
export type Patient<Options> = Omit<Options, 'signal'> & Partial<Waiting>;
export type OptionsOf<Method extends 'get' | 'patch' | 'delete' | 'post' | 'list' | 'watch'> = Patient<
  Parameters<Client[Method]>[1]
>;
export type WriteOptionsOf<Method extends 'create' | 'update' | 'updateEach' | 'dismissEach'> = Patient<
  Parameters<Client[Method]>[2]
>;

/**
 * A client for whoever has no reason to give up: without a signal a call waits for its answer. For tests and programs at the
 * edge; parts of the plane take a {@link Client}, which asks for a signal, and this is one.
 */
export interface PatientClient extends Client {
  get<T extends KubeObject>(type: ResourceType<T>, options: OptionsOf<'get'>): Promise<T>;
  list<T extends KubeObject>(type: ResourceType<T>, options?: OptionsOf<'list'>): Promise<KubeList<T>>;
  create<T extends KubeObject>(type: ResourceType<T>, object: New<T>, options?: WriteOptionsOf<'create'>): Promise<T>;
  update<T extends KubeObject>(
    type: ResourceType<T>,
    object: T | New<T>,
    options?: WriteOptionsOf<'update'>,
  ): Promise<T>;
  updateEach<T extends KubeObject>(
    type: ResourceType<T>,
    objects: readonly T[],
    options?: WriteOptionsOf<'updateEach'>,
  ): Promise<readonly (T | Error)[]>;
  patch<T extends KubeObject>(type: ResourceType<T>, options: OptionsOf<'patch'>): Promise<T>;
  delete(type: ResourceType, options: OptionsOf<'delete'>): Promise<void>;
  dismissEach(
    type: ResourceType,
    dismissals: readonly Dismissal[],
    options?: WriteOptionsOf<'dismissEach'>,
  ): Promise<readonly (KubeObject | Error)[]>;
  post(type: ResourceType, options: OptionsOf<'post'>): Promise<Outcome>;
  /** Ends with the loop that reads it. */
  watch<T extends KubeObject>(type: ResourceType<T>, options?: OptionsOf<'watch'>): AsyncIterable<WatchEvent<T>>;
}

/** `during` runs each call to its end: on a virtual clock somebody has to turn it. A watch is left to its reader. */
export function patientClient(
  client: Client,
  during: <T>(work: Promise<T>) => Promise<T> = (work) => work,
): PatientClient {
  // Never aborted; one for all, so that nothing is registered on it for a call that has ended.
  const { signal } = new AbortController();
  return {
    transport: client.transport,
    user: client.user,
    get: (type, options) => during(client.get(type, { signal, ...options })),
    list: (type, options) => during(client.list(type, { signal, ...options })),
    create: (type, object, options) => during(client.create(type, object, { signal, ...options })),
    update: (type, object, options) => during(client.update(type, object, { signal, ...options })),
    updateEach: (type, objects, options) => during(client.updateEach(type, objects, { signal, ...options })),
    patch: (type, options) => during(client.patch(type, { signal, ...options })),
    dismissEach: (type, dismissals, options) => during(client.dismissEach(type, dismissals, { signal, ...options })),
    delete: (type, options) => during(client.delete(type, { signal, ...options })),
    post: (type, options) => during(client.post(type, { signal, ...options })),
    watch: (type, options) => client.watch(type, { signal, ...options }),
  };
}
