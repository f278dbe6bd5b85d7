import { type GroupVersionResource, isSameResource } from '../api/gvk.ts';
import type { KubeList, KubeObject, ObjectMeta } from '../api/meta.ts';
import type {
  DeleteOptions,
  ListOptions,
  Operation,
  Outcome,
  User,
  WatchEvent,
  WatchOperation,
  WriteOptions,
} from '../api/operation.ts';
import type { Status } from '../api/status.ts';
import { StatusError } from '../api/status.ts';
import { administrator } from '../api/system-identities.ts';
import { seededRandom } from '../base/random.ts';
import { customresourcedefinitionDefinition } from '../resources/apiextensions/customresourcedefinition.ts';
import { deploymentDefinition } from '../resources/apps/deployment.ts';
import { leaseDefinition } from '../resources/coordination/lease.ts';
import { configmapDefinition } from '../resources/core/configmap.ts';
import { eventDefinition } from '../resources/core/event.ts';
import { namespaceDefinition } from '../resources/core/namespace.ts';
import { nodeDefinition } from '../resources/core/node.ts';
import { podDefinition } from '../resources/core/pod/pod.ts';
import { resourcequotaDefinition } from '../resources/core/resourcequota.ts';
import { secretDefinition } from '../resources/core/secret.ts';
import { serviceDefinition } from '../resources/core/service/service.ts';
import { serviceaccountDefinition } from '../resources/core/serviceaccount.ts';
import { eventsEventDefinition } from '../resources/events/event.ts';
import { poddisruptionbudgetDefinition } from '../resources/policy/poddisruptionbudget.ts';
import type { ResourceDefinition } from '../resources/resource.ts';
import { priorityclassDefinition } from '../resources/scheduling/priorityclass.ts';
import { bootstrap } from '../server/housekeeping/bootstrap.ts';
import { type ApiServer, type ApiServerOptions, createApiServer } from '../server/server.ts';
import { createMemoryBackend } from '../store/backends/memory.ts';
import { createStore } from '../store/create.ts';
import type { Backend, Store } from '../store/store.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** An API server on a memory store and a virtual clock, with short words for what tests ask of it. */
export interface TestServer {
  readonly server: ApiServer;
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly backend: Backend;
  create(resource: GroupVersionResource, body: object, options?: AskOptions): Promise<Outcome>;
  get(resource: GroupVersionResource, name: string, options?: AskOptions): Promise<KubeObject>;
  list(resource: GroupVersionResource, list?: ListOptions, options?: AskOptions): Promise<KubeList>;
  update(resource: GroupVersionResource, body: object, options?: AskOptions): Promise<Outcome>;
  /** By the namespaces and names that they have. */
  updateEach(
    resource: GroupVersionResource,
    objects: readonly object[],
    options?: AskOptions,
  ): Promise<readonly (KubeObject | Error)[]>;
  merge(
    resource: GroupVersionResource,
    name: string,
    options: AskOptions & { readonly body: unknown },
  ): Promise<Outcome>;
  /** Server-side apply by `manager`. */
  apply(resource: GroupVersionResource, body: object, options: ApplyOptions): Promise<Outcome>;
  delete(
    resource: GroupVersionResource,
    name: string,
    options?: AskOptions & { readonly delete?: DeleteOptions },
  ): Promise<Outcome>;
  /** Follows a watch; what arrived so far is in `events`. */
  watch(resource: GroupVersionResource, options?: WatchOperation['options'], ask?: AskOptions): Followed;
}

export interface AskOptions {
  /** `default` unless the resource is cluster-scoped; `null` for all. */
  readonly namespace?: string | null;
  readonly subresource?: string;
  readonly dryRun?: boolean;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  readonly name?: string;
  readonly user?: User;
  /** Whose fields those are that it sets. */
  readonly manager?: string;
}

export type ApplyOptions = AskOptions & { readonly force?: boolean; readonly flaws?: readonly string[] };

export interface Followed {
  readonly events: WatchEvent[];
  /** `ADDED a`, `BOOKMARK 12`, … */
  lines(): string[];
  readonly ended: Promise<void>;
  stop(): void;
}

export const admin: User = administrator.user;

export const testDefinitions: readonly ResourceDefinition[] = [
  namespaceDefinition,
  nodeDefinition,
  podDefinition,
  configmapDefinition,
  secretDefinition,
  serviceDefinition,
  serviceaccountDefinition,
  resourcequotaDefinition,
  eventDefinition,
  eventsEventDefinition,
  deploymentDefinition,
  leaseDefinition,
  poddisruptionbudgetDefinition,
  priorityclassDefinition,
  customresourcedefinitionDefinition,
] as unknown as readonly ResourceDefinition[];

/** What a server needs of a test of it; `definitions` come beside {@link testDefinitions}, in place of those of the same resource. */
export type TestServerOptions = Partial<ApiServerOptions> & {
  readonly backend?: Backend;
  readonly watcherBufferMax?: number;
};

export async function createTestServer({ definitions = [], ...options }: TestServerOptions = {}): Promise<TestServer> {
  const clock = createVirtualClock();
  const backend = options.backend ?? createMemoryBackend();
  const store = await createStore({
    backend,
    clock,
    compaction: { revisionsMax: 1_000_000, ageMsMax: Infinity, bytesMax: 256 * 2 ** 20 },
    watcherBufferMax: options.watcherBufferMax ?? 1_000,
  });
  const server = createApiServer({
    store,
    clock,
    random: seededRandom('test'),
    definitions: [
      ...testDefinitions.filter((usual) => !definitions.some((own) => isSameResource(own, usual))),
      ...definitions,
    ],
    ...options,
  });
  await bootstrap(server, { signal: new AbortController().signal });
  return { ...asks(server), server, store, clock, backend };
}

function asks(server: ApiServer): Omit<TestServer, 'server' | 'store' | 'clock' | 'backend'> {
  const { signal } = new AbortController();
  const target = (resource: GroupVersionResource, options: AskOptions = {}): Target =>
    targetOf(server, resource, options);
  const perform = (operation: Operation): Promise<Outcome> => server.perform(operation, { signal });
  return {
    create: (resource, body, options) =>
      perform({
        ...target(resource, options),
        verb: 'create',
        body,
        options: written(options),
        ...(options?.name !== undefined && { name: options.name }),
      }),
    async get(resource, name, options) {
      const { object } = await perform({ ...target(resource, options), verb: 'get', name });
      return object as KubeObject;
    },
    async list(resource, list = {}, options) {
      const { object } = await perform({ ...target(resource, options), verb: 'list', options: list });
      return object as KubeList;
    },
    update(resource, body, options) {
      const name = options?.name ?? (body as { readonly metadata: ObjectMeta }).metadata.name ?? '';
      return perform({ ...target(resource, options), verb: 'update', name, body, options: written(options) });
    },
    async updateEach(resource, objects, options) {
      const { namespace: _own, ...asking } = target(resource, options);
      const operation = { ...asking, objects: objects as readonly KubeObject[], options: written(options) };
      return (await server.updateEach?.(operation, { signal })) ?? [];
    },
    merge(resource, name, options) {
      const { body } = options;
      const patch = { verb: 'patch', patchType: 'merge', name, body, options: written(options) } as const;
      return perform({ ...target(resource, options), ...patch });
    },
    apply(resource, body, { force, flaws, ...options }) {
      const name = options.name ?? (body as { readonly metadata: ObjectMeta }).metadata.name ?? '';
      return perform({
        ...target(resource, options),
        ...{ verb: 'patch', patchType: 'apply', name, body },
        ...(flaws !== undefined && { flaws }),
        options: { ...written(options), ...(force !== undefined && { force }) },
      });
    },
    delete: (resource, name, options) =>
      perform({
        ...target(resource, options),
        verb: 'delete',
        name,
        options: { ...options?.delete, ...written(options) },
      }),
    watch: (resource, options = {}, ask) => follow(server, { ...target(resource, ask), options }),
  };
}

interface Target {
  readonly resource: GroupVersionResource;
  readonly user: User;
  readonly namespace?: string;
  readonly subresource?: string;
}

function targetOf(
  server: ApiServer,
  resource: GroupVersionResource,
  { namespace, subresource, user = admin }: AskOptions,
): Target {
  const served = server.describe().find(({ definition }) => isSameResource(definition, resource));
  const usual = served?.definition.namespaced === true ? 'default' : undefined;
  const within = namespace === undefined ? usual : (namespace ?? undefined);
  return {
    resource,
    user,
    ...(within !== undefined && { namespace: within }),
    ...(subresource !== undefined && { subresource }),
  };
}

function written({ dryRun, fieldValidation, manager }: AskOptions = {}): WriteOptions {
  return {
    ...(manager !== undefined && { fieldManager: manager }),
    ...(dryRun !== undefined && { dryRun }),
    ...(fieldValidation !== undefined && { fieldValidation }),
  };
}

function follow(server: ApiServer, operation: WatchOperation): Followed {
  const stop = new AbortController();
  const events: WatchEvent[] = [];
  const run = async (): Promise<void> => {
    for await (const event of server.watch(operation, { signal: stop.signal })) events.push(event);
  };
  return {
    events,
    lines: () => events.map(line),
    ended: run(),
    stop: () => stop.abort(),
  };
}

function line({ type, object }: WatchEvent): string {
  if (type === 'ERROR') return `ERROR ${object.code} ${object.reason}`;
  if (type === 'BOOKMARK') return `BOOKMARK ${object.metadata.resourceVersion}`;
  return `${type} ${object.metadata.name}`;
}

/** The refusal that `work` must end in. */
export async function refusalOf(work: Promise<unknown>): Promise<Status> {
  try {
    await work;
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error('it was not refused');
}

export function configMap(
  name: string,
  more: { readonly labels?: Record<string, string>; readonly data?: Record<string, string> } = {},
): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...(more.labels !== undefined && { labels: more.labels }) },
    ...(more.data !== undefined && { data: more.data }),
  };
}

export function pod(name: string, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'main', image: 'example.com/app:1' }], ...spec },
  };
}
