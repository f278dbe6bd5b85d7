import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import type { Dismissal, Operation, Outcome, UpdatedEach, User, WatchEvent, WriteOptions } from '../api/operation.ts';
import { fresh } from '../base/fresh.ts';
import type { Client } from './client.ts';
import type { Transport, Waiting } from './transport.ts';

/** Binds a transport to one user and gives it types. */
export function createClient(transport: Transport, user: User): Client {
  const ask = <T>(operation: Operation, signal: AbortSignal, more?: Pick<Waiting, 'goesOn'>): Promise<T> =>
    transport.perform(operation, more === undefined ? { signal } : { signal, ...more }).then(objectOf<T>);
  const client: Client = {
    transport,
    user,
    get: (type, { signal, parameters, below, ...place }) => {
      const more = { ...(parameters !== undefined && { parameters }), ...(below !== undefined && { below }) };
      return ask({ verb: 'get', resource: type, user, ...placeOf(place), ...more }, signal);
    },
    list: (type, { signal, goesOn, namespace, ...options }) =>
      ask(
        { verb: 'list', resource: type, user, ...placeOf({ namespace }), options },
        signal,
        goesOn === undefined ? undefined : { goesOn },
      ),
    create: (type, object, { signal, ...options }) => {
      const { namespace } = object.metadata;
      return ask({ verb: 'create', resource: type, user, body: object, ...placeOf({ namespace }), options }, signal);
    },
    update: (type, object, { signal, subresource, ...options }) => {
      const { namespace, name = '' } = object.metadata;
      // Asked thousands of times a second, so nothing is made for it that is not needed.
      const asked = { verb: 'update', resource: type, user, body: object, name, options } as const;
      // Asked thousands of times a second: no more is made for it than has to be.
      if (namespace === undefined && subresource === undefined) return ask(asked, signal);
      return ask({ ...fresh, ...asked, ...placeOf({ namespace, subresource }) }, signal);
    },
    updateEach: <T extends KubeObject>(
      type: ResourceType<T>,
      objects: readonly T[],
      { signal, ...options }: Parameters<Client['updateEach']>[2],
    ) => {
      const told = transport.updateEach?.({ resource: type, user, objects, options }, { signal });
      return (told ?? oneByOne(client, { type, objects, signal, options })) as Promise<readonly (T | Error)[]>;
    },
    patch: (type, { signal, namespace, name, patchType, body, subresource, ...options }) => {
      const place = placeOf({ namespace, name, subresource });
      return ask({ verb: 'patch', resource: type, user, patchType, body, ...place, options }, signal);
    },
    delete: (type, { signal, namespace, name, ...options }) =>
      ask({ verb: 'delete', resource: type, user, ...placeOf({ namespace, name }), options }, signal),
    dismissEach: (type, dismissals, { signal }) => {
      const told = transport.dismissEach?.({ resource: type, user, dismissals }, { signal });
      return told ?? dismissOneByOne(client, { type, dismissals, signal });
    },
    post: (type, { signal, namespace, name, subresource, body }) => {
      const place = placeOf({ namespace, name, subresource });
      return transport.perform({ verb: 'create', resource: type, user, body, ...place, options: {} }, { signal });
    },
    watch: <T extends KubeObject>(type: ResourceType<T>, options: Parameters<Client['watch']>[1]) => {
      const { signal, namespace, ...rest } = options;
      const operation = { resource: type, user, ...placeOf({ namespace }), options: rest };
      return transport.watch(operation, { signal }) as AsyncIterable<WatchEvent<T>>;
    },
  };
  return client;
}

interface Updating {
  readonly type: ResourceType;
  readonly objects: readonly KubeObject[];
  readonly signal: AbortSignal;
  readonly options: WriteOptions;
}

function oneByOne(client: Client, { type, objects, signal, options }: Updating): Promise<UpdatedEach> {
  const refused = (error: unknown): Error => {
    if (signal.aborted) throw error;
    return error as Error;
  };
  return Promise.all(objects.map((object) => client.update(type, object, { signal, ...options }).catch(refused)));
}

interface Dismissing {
  readonly type: ResourceType;
  readonly dismissals: readonly Dismissal[];
  readonly signal: AbortSignal;
}

function dismissOneByOne(client: Client, { type, dismissals, signal }: Dismissing): Promise<UpdatedEach> {
  const dismiss = async ({ namespace, name, uid, condition }: Dismissal): Promise<KubeObject | Error> => {
    const place = { signal, namespace, name };
    const body = { metadata: { uid }, status: { conditions: [condition] } };
    try {
      const said = await client.patch(type, { ...place, subresource: 'status', patchType: 'strategic', body });
      await client.delete(type, { ...place, preconditions: { uid } });
      return said;
    } catch (error) {
      if (signal.aborted) throw error;
      return error as Error;
    }
  };
  return Promise.all(dismissals.map(dismiss));
}

/** The same client; what the API warns about is told. */
export function warned({ transport, user }: Client, tell: (warning: string) => void): Client {
  return createClient(
    {
      async perform(operation, waiting) {
        const outcome = await transport.perform(operation, waiting);
        for (const warning of outcome.warnings) tell(warning);
        return outcome;
      },
      watch: (operation, waiting) => transport.watch(operation, waiting),
    },
    user,
  );
}

function objectOf<T>({ object }: Outcome): T {
  return object as T;
}

interface MaybePlace {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Without the members that are undefined. */
function placeOf<P extends MaybePlace>({ namespace, name, subresource }: P): Defined<P> {
  return {
    ...fresh,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  } as Defined<P>;
}

type Defined<P extends MaybePlace> = { readonly [F in Exclude<keyof P, 'name'>]?: string } & (P extends {
  readonly name: string;
}
  ? { readonly name: string }
  : unknown);
