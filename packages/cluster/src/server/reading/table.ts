import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import type { KubeList, KubeObject } from '../../api/meta.ts';
import { ageColumn, integerColumn, nameColumn } from '../../resources/columns.ts';
import type { Column } from '../../resources/resource.ts';
import type { Served } from '../context/registry.ts';
import type { Table, TableOptions } from '../context/served-api.ts';

/** Objects as rows, the way `kubectl get` prints them. */
export function tableOf(
  served: Served,
  object: KubeObject | KubeList,
  { version, includeObject, isBookmark = false, nowMs }: TableOptions & { readonly nowMs: number },
): Table {
  const columns = isScale(object) ? scaleColumns : columnsOf(served);
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

function isScale({ kind, apiVersion }: KubeObject | KubeList): boolean {
  return kind === 'Scale' && apiVersion === 'autoscaling/v1';
}

/** What `kubectl get --subresource=scale` shows, whatever is scaled. */
const scaleColumns: readonly Column[] = [
  nameColumn(),
  integerColumn('Desired', (scale) => (scale as Scale).spec?.replicas ?? 0),
  integerColumn('Available', (scale) => (scale as Scale).status?.replicas ?? 0),
  ageColumn(),
];

const perServed = new WeakMap<Served, readonly Column[]>();

/** Name in front; Age behind what shows by default, before what shows with `-o wide` only. */
function columnsOf(served: Served): readonly Column[] {
  let columns = perServed.get(served);
  if (columns === undefined) {
    const { definition } = served;
    const own = definition.columns;
    columns = definition.columnsComplete === true ? own : [nameColumn(), ...usual(own), ageColumn(), ...wide(own)];
    perServed.set(served, columns);
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
