import type { CustomResourceDefinition } from '../api/generated/apiextensions-v1.ts';
import { customresourcedefinitions } from '../api/generated/kinds.ts';
import { apiVersionOf } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import type { User } from '../api/operation.ts';
import { isStatusError } from '../api/status.ts';
import { definitionsOfCrd } from '../resources/apiextensions/custom.ts';
import type { ResourceDefinition } from '../resources/resource.ts';
import type { Store } from '../store/store.ts';
import { cleanupFinalizer } from './admission/custom-resources.ts';
import type { ServerContext, WriteListener } from './context.ts';
import { runDelete } from './delete.ts';
import { objectKey, resourcePrefix } from './keys.ts';
import { type Conversion, type CustomResources, rememberedConversion, type Served, sameForm } from './registry.ts';
import { rewrite } from './write.ts';

export const crdPrefix: string = resourcePrefix(customresourcedefinitions);
const serverUser: User = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

/** Custom resources as the store has them: what is served follows every write at once, and a restart needs no more. */
export function createCustomResources({ store }: { readonly store: Store }): CustomResources {
  return {
    get: (crd) => store.get(objectKey(crdPrefix, undefined, crd)),
    list() {
      const found = store.list(crdPrefix);
      return 'expired' in found ? [] : found.items;
    },
    derive: ({ value }) => definitionsOfCrd(value as CustomResourceDefinition),
    conversionOf: ({ value }, definition) => versionConversion(value as CustomResourceDefinition, definition),
  };
}

/**
 * Versions differ in name only (conversion strategy None). Objects may still be kept under a version that was the stored
 * one once, so each is looked at.
 */
function versionConversion({ spec }: CustomResourceDefinition, definition: ResourceDefinition): Conversion {
  const shown = apiVersionOf(definition);
  const stored = spec.versions.find(({ storage }) => storage);
  if (spec.versions.length === 1 || stored === undefined) return sameForm;
  const kept = apiVersionOf({ group: spec.group, version: stored.name });
  const { fromStored } = rememberedConversion({
    toStored: (object) => object,
    fromStored: (object) => ({ ...object, apiVersion: shown }),
  });
  return {
    toStored: (object) => (object.apiVersion === kept ? object : { ...object, apiVersion: kept }),
    fromStored: (object) => (object.apiVersion === shown ? object : fromStored(object)),
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

  const run = (name: string): void => {
    if (running.has(name)) return;
    const work = clean(context(), name)
      // A store that fails tells those who write; the next start or deletion tries again.
      .catch(() => undefined)
      .finally(() => running.delete(name));
    running.set(name, work);
  };
  const consider = (crd: KubeObject): void => {
    const { name, deletionTimestamp, finalizers = [] } = crd.metadata;
    if (deletionTimestamp === undefined || !finalizers.includes(cleanupFinalizer)) return;
    ending.add(name);
    run(name);
  };
  return {
    put(served, stored) {
      if (stored.key.startsWith(crdPrefix)) consider(stored.value as KubeObject);
      // Created while the deletion was on its way.
      else if (served.crd !== undefined && ending.has(served.crd)) run(served.crd);
    },
    removed(served, stored) {
      if (stored.key.startsWith(crdPrefix)) {
        const { name } = (stored.value as KubeObject).metadata;
        ending.delete(name);
        context().registry.forget(name);
      } else if (served.crd !== undefined && ending.has(served.crd))
        release(context(), served.crd).catch(() => undefined);
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
  for (const { served, object } of instances(context, crd)) {
    const { namespace, name } = object.metadata;
    try {
      await runDelete(context, { served, namespace, name, user: serverUser, options: {} });
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  }
  await release(context, crd);
}

/** Takes the finalizer away once nothing is left. Objects that have finalizers of their own come back here later. */
async function release(context: ServerContext, crd: string): Promise<void> {
  const served = context.registry.find(customresourcedefinitions);
  if (served === undefined || instances(context, crd).length > 0) return;
  try {
    await rewrite(context, {
      served,
      namespace: undefined,
      name: crd,
      user: serverUser,
      dryRun: false,
      warnings: [],
      change: (current) => withoutFinalizer(current),
    });
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
  }
}

interface Instance {
  readonly served: Served;
  readonly object: KubeObject;
}

function instances({ store, registry }: ServerContext, crd: string): readonly Instance[] {
  const served = registry.all().find((each) => each.crd === crd);
  const found = served === undefined ? undefined : store.list(served.prefix);
  if (served === undefined || found === undefined || 'expired' in found) return [];
  return found.items.map((stored) => ({ served, object: served.conversion.fromStored(stored.value as KubeObject) }));
}

function withoutFinalizer(crd: KubeObject): KubeObject {
  const { finalizers = [], ...metadata } = crd.metadata;
  if (!finalizers.includes(cleanupFinalizer)) return crd;
  const left = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
  return { ...crd, metadata: { ...metadata, ...(left.length > 0 && { finalizers: left }) } };
}
