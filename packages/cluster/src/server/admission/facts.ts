import { namespaces } from '../../api/generated/kinds.ts';
import { isSameResource, parseApiVersion } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { notFound, StatusError } from '../../api/status.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey, resourcePrefix } from '../context/keys.ts';
import type { Registry, Served } from '../context/registry.ts';
import type { Review } from '../context/reviewer.ts';
import type { AdmissionFacts, MatchedAs } from './matching.ts';

const operations = { create: 'CREATE', update: 'UPDATE', delete: 'DELETE', connect: 'CONNECT' } as const;

/** What a review is about, for {@link matchRules} and for what a webhook or an expression is told. */
export function admissionFacts({ does, request, object, oldObject }: Review): AdmissionFacts {
  const { group, version, resource } = request.served.definition;
  const shown = object ?? oldObject;
  const { operation } = request;
  const name = (operation !== undefined && 'name' in operation && operation.name) || (shown?.metadata?.name ?? '');
  const namespace = operation?.namespace ?? shown?.metadata?.namespace ?? '';
  return {
    operation: operations[does],
    resource: { group, version, resource },
    subresource: request.subresource ?? '',
    kind: { ...parseApiVersion(shown?.apiVersion ?? ''), kind: shown?.kind ?? '' },
    name,
    namespace: isSameResource(request.served.definition, namespaces) ? name : namespace,
  };
}

/** The other groups and versions that show what is stored of a resource, with what goes in there by the same door. */
export function equivalentsOf(registry: Registry, served: Served, subresource: string): readonly MatchedAs[] {
  return sharing(registry, served).flatMap(({ definition, subresources }) => {
    const { group, version, resource } = definition;
    const door = subresource === '' ? definition : subresources.get(subresource)?.kind;
    if (door === undefined) return [];
    const kind = { group: door.group, version: door.version, kind: door.kind };
    return [{ resource: { group, version, resource }, kind }];
  });
}

function sharing(registry: Registry, served: Served): readonly Served[] {
  const all = registry.all();
  const known = shared.get(all) ?? new Map<Served, readonly Served[]>();
  shared.set(all, known);
  const others = known.get(served) ?? all.filter(({ prefix, id }) => prefix === served.prefix && id !== served.id);
  known.set(served, others);
  return others;
}

/** By what is served at a time: the list is another one when anything changes. */
const shared = new WeakMap<readonly Served[], Map<Served, readonly Served[]>>();

/** The namespace as it is stored now. Throws 404 when it is not there. */
export function namespaceNamed({ store }: Pick<ServerContext, 'store'>, name: string): KubeObject {
  const found = store.get(objectKey(resourcePrefix(namespaces), undefined, name))?.value as KubeObject | undefined;
  if (found === undefined) throw new StatusError(notFound(namespaces, name));
  return found;
}
