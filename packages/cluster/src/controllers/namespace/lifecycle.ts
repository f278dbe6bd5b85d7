import type { Namespace } from '../../api/generated/core-v1.ts';
import { events, eventsEvents, namespaces, pods } from '../../api/generated/kinds.ts';
import { isSameResource, type ResourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { ifFound, isStatusError } from '../../api/status.ts';
import { controllerUser } from '../../api/system-identities.ts';
import type { CacheEvent } from '../../client/cache.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { createKeyedWork, type RunContext } from '../../runtime/keyed-work.ts';
import { distinctResources, followServed, type ServedResources } from '../../runtime/served-resources.ts';
import { type Content, deletions, finalized, isEmpty, status } from './plan.ts';

const name = 'namespace-controller';
/** Every end of an object in the namespace wakes it; this is for what nobody tells. */
const lookAgainMs = 60_000;
/** Ends of thousands of objects are looked at together. */
const gatherMs = 100;
const pageSize = 500;

/**
 * Empties namespaces that are being deleted, pods first and with their grace, then lets them go. The caches say what is
 * left; before the end the API itself is asked, so that nothing created at the last moment stays behind.
 */
export function createNamespaceLifecycle(platform: Platform, options: ServedResources): Component {
  const { informers } = platform;
  const ending = new Set<string>();
  const work = createKeyedWork({
    name,
    user: controllerUser(name),
    platform,
    workers: 2,
    handle: (key, context) => end(key, { platform, types: contentTypes(options), context }),
  });
  const watchNamespace = ({ type, object: { metadata } }: CacheEvent<Namespace>): void => {
    if (type === 'deleted' || metadata.deletionTimestamp === undefined) ending.delete(metadata.name);
    else {
      ending.add(metadata.name);
      work.add(metadata.name);
    }
  };
  return {
    name,
    async run({ signal }) {
      const stop = await followServed(platform, {
        served: options,
        wants: isFollowed,
        handle(_, { type, object: { metadata } }) {
          if (type !== 'updated' && metadata.namespace !== undefined && ending.has(metadata.namespace))
            work.addAfter(metadata.namespace, gatherMs);
        },
        changed: () => {
          for (const namespace of ending) work.add(namespace);
        },
        signal,
      });
      await informers.sync([namespaces], { signal });
      const stopNamespaces = informers.listen(namespaces, watchNamespace);
      await work.run({ signal }).finally(() => {
        stop();
        stopNamespaces();
      });
    },
  };
}

/** `events` are many and asked for at the end only; their second face shows the same objects. */
function isFollowed(type: ResourceType): boolean {
  return type.namespaced && !isEvents(type);
}

function isEvents(type: ResourceType): boolean {
  return isSameResource(type, events) || isSameResource(type, eventsEvents);
}

function contentTypes({ resources }: ServedResources): readonly ResourceType[] {
  return resources().filter((type) => type.namespaced && !isSameResource(type, eventsEvents));
}

interface Ending {
  readonly platform: Platform;
  readonly types: readonly ResourceType[];
  readonly context: RunContext;
}

async function end(key: string, { platform, types, context }: Ending): Promise<number | undefined> {
  const { informers, clock } = platform;
  const distinct = distinctResources(types, informers.has);
  const observe = (): readonly Content[] => cachedContent(key, distinct, platform);
  const namespace = informers.of(namespaces).get(key);
  if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
  const cached = observe();
  if (isEmpty(cached)) return finish(namespace, distinct, context);
  let failure: unknown;
  await context.perform(deletions(cached)).catch((error: unknown) => {
    failure = error;
  });
  context.signal.throwIfAborted();
  const content = observe();
  // What went at once is not worth a word.
  const said = isEmpty(content) ? [] : status(namespace, { content, ...failed(failure), nowMs: clock.nowMs() });
  await context.perform(said);
  if (failure !== undefined) throw failure;
  return isEmpty(content) || (!hasPods(content) && hasPods(cached)) ? 0 : lookAgainMs;
}

function failed(failure: unknown): { readonly failure?: string } {
  // Somebody else was faster with one object, which is no failure.
  const cause = failure instanceof Error && failure.cause !== undefined ? failure.cause : failure;
  if (cause === undefined || isStatusError(cause, 'Conflict') || isStatusError(cause, 'NotFound')) return {};
  return { failure: failure instanceof Error ? failure.message : String(failure) };
}

function hasPods(content: readonly Content[]): boolean {
  return content.some(({ type, objects }) => isSameResource(type, pods) && objects.length > 0);
}

function cachedContent(namespace: string, types: readonly ResourceType[], { informers }: Platform): readonly Content[] {
  return types.filter(informers.has).map((type) => ({ type, objects: informers.of(type).inNamespace(namespace) }));
}

/** Deletes what only the API knows about; lets the namespace go when there is nothing. */
async function finish(
  namespace: Namespace,
  types: readonly ResourceType[],
  { client, signal, perform }: RunContext,
): Promise<number | undefined> {
  const { name: within } = namespace.metadata;
  const content = await Promise.all(
    types.map(async (type) => {
      const list = client.list<KubeObject>(type, { signal, namespace: within, limit: pageSize });
      return { type, objects: (await ifFound(list))?.items ?? [] };
    }),
  );
  if (!isEmpty(content)) {
    await perform(deletions(content));
    const waits = content.some(({ objects }) =>
      objects.some(({ metadata }) => metadata.deletionTimestamp !== undefined),
    );
    return waits ? lookAgainMs : 0;
  }
  const object = finalized(namespace);
  if (object !== undefined) await client.update(namespaces, object, { signal, subresource: 'finalize' });
  return undefined;
}
