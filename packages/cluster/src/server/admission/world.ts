import type { ResourceType } from '../../api/gvk.ts';
import type { Issue } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { type AdmissionPlugin, type AdmissionWorld, type Place, pluginsFor } from '../context/admission.ts';
import type { ServerContext } from '../context/context.ts';
import { collectionPrefix, objectKey, resourcePrefix } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import type { WriteRequest } from '../context/write-request.ts';

export function admitCreate(context: ServerContext, object: KubeObject, request: WriteRequest): KubeObject {
  return run(context, request, object, (plugin, admitted, world) => plugin.create?.(admitted, world) ?? admitted);
}

export function admitUpdate(
  context: ServerContext,
  { next, current }: { readonly next: KubeObject; readonly current: KubeObject },
  request: WriteRequest,
): KubeObject {
  return run(
    context,
    request,
    next,
    (plugin, admitted, world) => plugin.update?.(admitted, current, world) ?? admitted,
  );
}

export function admitDelete(context: ServerContext, object: KubeObject, request: WriteRequest): void {
  run(context, request, object, (plugin, same, world) => {
    plugin.delete?.(same, world);
    return same;
  });
}

/** What rules find wrong with an object itself. */
export function* issuesOfRules(
  context: ServerContext,
  change: { readonly next: KubeObject; readonly current?: KubeObject },
  served: Served,
): Iterable<Issue> {
  for (const plugin of pluginsFor(context.admission, served)) yield* plugin.issues?.(change, served) ?? [];
}

/** Refuses what is complete and valid, and still may not be. Most have nobody who would. */
export function checkAdmitted(
  context: ServerContext,
  { next, current }: { readonly next: KubeObject; readonly current?: KubeObject },
  request: WriteRequest,
): void {
  let world: AdmissionWorld | undefined;
  for (const plugin of pluginsFor(context.admission, request.served)) {
    if ((current === undefined ? plugin.checkCreate : plugin.checkUpdate) === undefined) continue;
    world ??= createWorld(context, request);
    if (current === undefined) plugin.checkCreate?.(next, world);
    else plugin.checkUpdate?.(next, current, world);
  }
}

function run(
  context: ServerContext,
  request: WriteRequest,
  object: KubeObject,
  step: (plugin: AdmissionPlugin, object: KubeObject, world: AdmissionWorld) => KubeObject,
): KubeObject {
  const plugins = pluginsFor(context.admission, request.served);
  if (plugins.length === 0) return object;
  const world = createWorld(context, request);
  return plugins.reduce((admitted, plugin) => step(plugin, admitted, world), object);
}

function createWorld(
  context: ServerContext,
  { served, user, dryRun, subresource, warnings, operation }: WriteRequest,
): AdmissionWorld {
  return {
    served,
    user,
    dryRun,
    subresource,
    nowMs: context.clock.nowMs(),
    warn: (text) => warnings.push(text),
    annotate: (key, value) => operation?.annotate?.(key, value),
    get: <T extends KubeObject>(kind: ResourceType<T>, { namespace, name }: Place) =>
      context.store.get(objectKey(resourcePrefix(kind), namespace, name))?.value as T | undefined,
    list: <T extends KubeObject>(kind: ResourceType<T>, within?: { readonly namespace: string | undefined }) => {
      const found = context.store.list(collectionPrefix(resourcePrefix(kind), within?.namespace));
      return 'expired' in found ? [] : found.items.map(({ value }) => value as T);
    },
  };
}
