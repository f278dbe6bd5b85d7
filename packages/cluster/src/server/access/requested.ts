import { namespaces } from '../../api/generated/kinds.ts';
import { type GroupVersionResource, isSameResource } from '../../api/gvk.ts';
import type { Operation, User, WatchOperation } from '../../api/operation.ts';
import { type FieldRequirement, parseFieldSelector } from '../../api/selector/selector.ts';
import type { ResourceAccess } from '../context/authorizer.ts';

/** What of a request for resources the authorizer is asked about. */
export interface Requested {
  readonly user: User;
  readonly verb: string;
  readonly resource: Pick<GroupVersionResource, 'group' | 'resource'>;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
  /** Of a collection; one that chooses a single name asks for that object alone, as upstream. */
  readonly fieldSelector?: string | undefined;
}

/** What the authorizer is asked about an operation. */
export function operationAccess(operation: Operation | (WatchOperation & { readonly verb: 'watch' })): ResourceAccess {
  const fieldSelector = fieldSelectorOf(operation);
  return resourceAccess(fieldSelector === undefined ? operation : { ...operation, fieldSelector });
}

function fieldSelectorOf(operation: Operation | (WatchOperation & { readonly verb: 'watch' })): string | undefined {
  switch (operation.verb) {
    case 'list':
    case 'watch':
      return operation.options.fieldSelector;
    case 'deletecollection':
      return operation.list.fieldSelector;
    default:
      return undefined;
  }
}

export function resourceAccess(requested: Requested): ResourceAccess {
  const { user, verb, resource, subresource, fieldSelector } = requested;
  const fields = fieldSelector === undefined ? [] : requirementsOf(fieldSelector);
  const name = requested.name ?? soleName(fields);
  const isNamespace = requested.name !== undefined && isSameResource(resource, namespaces);
  const namespace = isNamespace ? requested.name : requested.namespace;
  return {
    user,
    verb,
    group: resource.group,
    resource: subresource === undefined ? resource.resource : `${resource.resource}/${subresource}`,
    ...(namespace !== undefined && namespace !== '' && { namespace }),
    ...(name !== undefined && { name }),
    ...(fields.length > 0 && { fields }),
  };
}

function soleName(fields: readonly FieldRequirement[]): string | undefined {
  return fields.find(({ path, operator }) => path === 'metadata.name' && operator === '=')?.value;
}

/** None for text that is no selector: whoever reads it says what is wrong with it. */
export function requirementsOf(fieldSelector: string): readonly FieldRequirement[] {
  try {
    return parseFieldSelector(fieldSelector);
  } catch {
    return [];
  }
}
