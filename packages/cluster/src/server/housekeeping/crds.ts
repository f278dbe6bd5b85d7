import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { ifFound } from '../../api/status.ts';
import { cleanupFinalizer } from '../../resources/apiextensions/cleanup.ts';
import { definitionsOfCrd } from '../../resources/apiextensions/custom.ts';
import type { Store } from '../../store/store.ts';
import { admitUpdate } from '../admission/world.ts';
import type { ServerContext, WriteListener } from '../context/context.ts';
import type { Converter } from '../context/conversion.ts';
import { objectKey, resourcePrefix } from '../context/keys.ts';
import type { CustomResources, Served } from '../context/registry.ts';
import { runDelete } from '../writing/delete.ts';
import { rewrite } from '../writing/write.ts';
import { conversionOf } from './conversion.ts';
import { ownRequest } from './own-request.ts';

export const crdPrefix: string = resourcePrefix(customresourcedefinitions);

export interface CustomResourcesOptions {
  readonly store: Store;
  readonly converter?: Converter | undefined;
}

/** Custom resources as the store has them: what is served follows every write at once, and a restart needs no more. */
export function createCustomResources({ store, converter }: CustomResourcesOptions): CustomResources {
  return {
    get: (crd) => store.get(objectKey(crdPrefix, undefined, crd)),
    list() {
      const found = store.list(crdPrefix);
      return 'expired' in found ? [] : found.items;
    },
    derive: ({ value }) => definitionsOfCrd(value as CustomResourceDefinition),
    conversionOf: ({ value, revision }, definition) =>
      conversionOf(value as CustomResourceDefinition, definition, { revision, converter }),
  };
}

/** Empties a CustomResourceDefinition that is being deleted, then lets it go. */
export interface CrdCleanup extends WriteListener {
  /** Goes on with what a restart interrupted. */
  resume(): void;
  /** Settles when nothing is under way. */
  idle(): Promise<void>;
}

export function createCrdCleanup(context: () => ServerContext): CrdCleanup {
  const ending = new Set<string>();
  const running = new Map<string, Promise<void>>();

  const track = (id: string, begin: () => Promise<void>): void => {
    if (running.has(id)) return;
    const work = begin()
      // A store that fails tells those who write; the next start or deletion tries again.
      .catch(() => undefined)
      .finally(() => running.delete(id));
    running.set(id, work);
  };
  const again = new Set<string>();
  const run = (name: string): void => {
    again.add(name);
    track(name, async () => {
      while (again.delete(name)) await clean(context(), name);
    });
  };
  const consider = (crd: KubeObject): void => {
    const { name, deletionTimestamp, finalizers = [] } = crd.metadata;
    if (deletionTimestamp === undefined || !finalizers.includes(cleanupFinalizer)) return;
    ending.add(name);
    run(name);
  };
  return {
    put(stored, { request: { served } }) {
      if (stored.key.startsWith(crdPrefix)) consider(stored.value as KubeObject);
      // Created while the deletion was on its way.
      else if (served.crd !== undefined && ending.has(served.crd)) run(served.crd);
    },
    removed(stored, { request: { served } }) {
      if (stored.key.startsWith(crdPrefix)) {
        const crd = stored.value as CustomResourceDefinition;
        ending.delete(crd.metadata.name);
        context().registry.forget(crd.metadata.name);
        track(`after ${crd.metadata.name}`, () => establishOthers(context(), crd));
        return;
      }
      const { crd } = served;
      if (crd !== undefined && ending.has(crd)) track(`${crd} at ${stored.revision}`, () => release(context(), crd));
    },
    resume() {
      const found = context().store.list(crdPrefix);
      if (!('expired' in found)) for (const { value } of found.items) consider(value as KubeObject);
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}

async function clean(context: ServerContext, crd: string): Promise<void> {
  const served = servedBy(context, crd);
  // A definition whose names were never accepted has no objects.
  const found = served === undefined ? undefined : context.store.list(served.prefix);
  if (served !== undefined && found !== undefined && !('expired' in found))
    await Promise.all(
      found.items.map(async ({ value }) => {
        const { namespace, name } = (value as KubeObject).metadata;
        await ifFound(
          runDelete(context, { request: ownRequest(served, 'delete'), namespace, name, options: {}, reviewers: [] }),
        );
      }),
    );
  await release(context, crd);
}

/** Takes the finalizer away once nothing is left. Objects that have finalizers of their own come back here later. */
async function release(context: ServerContext, crd: string): Promise<void> {
  const served = servedBy(context, crd);
  const left = served === undefined ? undefined : context.store.list(served.prefix, { limit: 1 });
  if (left !== undefined && ('expired' in left || left.items.length > 0)) return;
  await changeCrd(context, crd, withoutFinalizer);
}

/** Names that the removed definition had may now be taken by one that was refused them. */
async function establishOthers(context: ServerContext, removed: CustomResourceDefinition): Promise<void> {
  const served = context.registry.find(customresourcedefinitions);
  const found = context.store.list(crdPrefix);
  if (served === undefined || 'expired' in found) return;
  for (const { value } of found.items) {
    const other = value as CustomResourceDefinition;
    if (other.spec.group !== removed.spec.group) continue;
    await changeCrd(context, other.metadata.name, (current) =>
      admitUpdate(context, { next: current, current }, ownRequest(served, 'update')),
    );
  }
}

async function changeCrd(
  context: ServerContext,
  name: string,
  change: (current: KubeObject) => KubeObject,
): Promise<void> {
  const served = context.registry.find(customresourcedefinitions);
  if (served === undefined) return;
  await ifFound(rewrite(context, { request: ownRequest(served, 'update'), namespace: undefined, name, change }));
}

function servedBy({ registry }: ServerContext, crd: string): Served | undefined {
  return registry.all().find((each) => each.crd === crd);
}

function withoutFinalizer(crd: KubeObject): KubeObject {
  const { finalizers = [], ...metadata } = crd.metadata;
  if (!finalizers.includes(cleanupFinalizer)) return crd;
  const left = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
  return { ...crd, metadata: { ...metadata, ...(left.length > 0 && { finalizers: left }) } };
}
