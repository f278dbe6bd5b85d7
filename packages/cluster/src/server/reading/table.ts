import { apiVersionOf } from '../../api/gvk.ts';
import type { KubeList, KubeObject } from '../../api/meta.ts';
import { ageColumn, nameColumn } from '../../resources/columns.ts';
import type { Column, ResourceDefinition } from '../../resources/resource.ts';
import type { Served } from '../context/registry.ts';
import type { Table, TableOptions } from '../context/served-api.ts';

/** Objects as rows, the way `kubectl get` prints them. */
export function tableOf(
  served: Served,
  object: KubeObject | KubeList,
  { version, includeObject, isBookmark = false, nowMs }: TableOptions & { readonly nowMs: number },
): Table {
  const columns = columnsFor(served, object);
  const list = 'items' in object && object.kind.endsWith('List') ? (object as KubeList) : undefined;
  const objects = list?.items ?? [object as KubeObject];
  const { resourceVersion } = object.metadata;
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: list?.metadata ?? { ...(resourceVersion !== undefined && { resourceVersion }) },
    columnDefinitions: definitionsOf(columns),
    rows: objects.map((each) => ({
      cells: columns.map((column) => (isBookmark ? blank[column.type] : column.of(each, nowMs))),
      ...rowObject(each, { version, includeObject: isBookmark && endsInitial(each) ? 'Metadata' : includeObject }),
    })),
  };
}

const blank: Readonly<Record<Column['type'], string | number | boolean>> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
  date: '<unknown>',
};

/** Clients look for the annotation in the row's object, so it is there whatever they asked for. */
function endsInitial({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
}

function rowObject(object: KubeObject, { version, includeObject }: TableOptions): { readonly object?: object } {
  switch (includeObject) {
    case 'None':
      return {};
    case 'Object':
      return { object };
    case 'Metadata':
      return {
        object: { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata },
      };
    default:
      return includeObject satisfies never;
  }
}

/** A door may show objects of another kind than the one behind it: those have columns of their own. */
function columnsFor(served: Served, object: KubeObject | KubeList): readonly Column[] {
  const { definition, apiVersion, subresources } = served;
  // Items and bookmarks of its own kind are nearly all that is ever shown.
  if (object.kind !== definition.kind || object.apiVersion !== apiVersion)
    for (const door of subresources.values())
      if (object.kind === door.kind.kind && object.apiVersion === apiVersionOf(door.kind)) return columnsOf(door);
  return columnsOf(definition);
}

type Shown = Pick<ResourceDefinition, 'columnsComplete'> & { readonly columns?: readonly Column[] };
const complete = new WeakMap<Shown, readonly Column[]>();

/** Name in front; Age behind what shows by default, before what shows with `-o wide` only. */
function columnsOf(shown: Shown): readonly Column[] {
  let columns = complete.get(shown);
  if (columns === undefined) {
    const own = shown.columns ?? [];
    columns = shown.columnsComplete === true ? own : [nameColumn(), ...usual(own), ageColumn(), ...wide(own)];
    complete.set(shown, columns);
  }
  return columns;
}

function usual(columns: readonly Column[]): readonly Column[] {
  return columns.filter(({ priority = 0 }) => priority === 0);
}

function wide(columns: readonly Column[]): readonly Column[] {
  return columns.filter(({ priority = 0 }) => priority > 0);
}

const definitions = new WeakMap<readonly Column[], readonly object[]>();

function definitionsOf(columns: readonly Column[]): readonly object[] {
  let known = definitions.get(columns);
  if (known === undefined) {
    known = columns.map(({ name, type, format = '', description = '', priority = 0 }) => ({
      name,
      type,
      format,
      description,
      priority,
    }));
    definitions.set(columns, known);
  }
  return known;
}
