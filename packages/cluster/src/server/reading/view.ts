import { apiVersionOf } from '../../api/gvk.ts';
import type { KubeList, KubeObject } from '../../api/meta.ts';
import type { GetOperation, ListOperation, Outcome } from '../../api/operation.ts';
import { notFound, StatusError } from '../../api/status.ts';
import { assert } from '../../base/assert.ts';
import { freeze } from '../../base/freeze.ts';
import type { ServerContext } from '../context/context.ts';
import type { Served } from '../context/registry.ts';
import type { MadeView, ResourceView, StoredView } from '../context/views.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { parseSelectors, selectionOf } from './selection.ts';

interface Waiting {
  readonly signal: AbortSignal;
}

/** Throws 404 for an object that is not there, and for one of which there is nothing to show. */
export async function getView(
  context: ServerContext,
  { view, operation }: { readonly view: ResourceView; readonly operation: GetOperation },
  waiting: Waiting,
): Promise<Outcome<KubeObject>> {
  const { namespace, name } = operation;
  if ('make' in view) {
    const made = view.make().find(({ metadata }) => metadata.name === name);
    if (made === undefined) throw new StatusError(notFound(view.definition, name));
    return outcomeOf(view, made);
  }
  const found = await get(context, { served: sourceOf(context, view), operation }, waiting);
  const shown = view.show(found.object);
  if (shown !== undefined) return { ...found, object: freeze(shown) };
  throw new StatusError(notFound(view.definition, namespace === undefined ? name : `${namespace}/${name}`));
}

/** A page of the stored objects, without those of which there is nothing to show: it may hold fewer than its limit. */
export async function listView(
  context: ServerContext,
  { view, operation }: { readonly view: ResourceView; readonly operation: ListOperation },
  waiting: Waiting,
): Promise<Outcome<KubeList>> {
  const { kind } = view.definition;
  const head = { kind: `${kind}List`, apiVersion: apiVersionOf(view.definition) };
  if ('make' in view) {
    const { matches = () => true } = selectionOf(view, parseSelectors(operation.options));
    return outcomeOf(view, { ...head, metadata: {}, items: view.make().filter(matches) });
  }
  const found = await list(context, { served: sourceOf(context, view), operation }, waiting);
  const { items, metadata } = found.object;
  const shown = items.flatMap((item) => view.show(item) ?? []);
  return { ...found, object: freeze({ ...head, metadata, items: shown }) };
}

function outcomeOf<T extends KubeObject | KubeList>({ warning }: MadeView, object: T): Outcome<T> {
  return { code: 200, object: freeze(object), warnings: warning === undefined ? [] : [warning] };
}

function sourceOf({ registry }: ServerContext, view: StoredView): Served {
  const served = registry.find(view.of);
  assert(served !== undefined, 'what is shown another way is served', { resource: view.of.resource });
  return served;
}
