import { apiVersionOf, type GroupVersionResource, resourceId } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { type ResourceDefinition, type Subresource, statusSubresource, type Traits } from '../../resources/resource.ts';
import type { Stored } from '../../store/store.ts';
import { type Conversion, rememberedConversion, sameForm } from './conversion.ts';
import { resourcePrefix } from './keys.ts';

/** One resource in one version, as the server answers for it. */
export interface Served {
  readonly definition: ResourceDefinition;
  readonly id: string;
  readonly apiVersion: string;
  /** Where its objects stand in the store. Versions of one resource share it. */
  readonly prefix: string;
  readonly traits: Traits;
  /** By name; that of the status among them. */
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** Set for custom resources. */
  readonly crd?: string;
  readonly conversion: Conversion;
  /** Aborts when the resource is no longer served: its watches end. */
  readonly removed: AbortSignal;
}

/** What is served right now. Custom resources come and go with their CustomResourceDefinitions. */
export interface Registry {
  find(resource: GroupVersionResource): Served | undefined;
  ofKind(apiVersion: string, kind: string): Served | undefined;
  /** Built-in resources first, in the order of their definitions. The same array until something changes. */
  all(): readonly Served[];
  /** Changes whenever {@link all} does. */
  edition(): string;
  /** Ends the watches of a resource that is gone. Nothing else depends on being told. */
  forget(crd: string): void;
}

export interface RegistryOptions {
  readonly definitions: readonly ResourceDefinition[];
  readonly custom?: CustomResources;
}

/** Where custom resources come from. Their definitions are derived from what is stored, never kept beside it. */
export interface CustomResources {
  /** The stored CustomResourceDefinition of this name (`<plural>.<group>`). */
  get(crd: string): Stored | undefined;
  list(): readonly Stored[];
  derive(crd: Stored): readonly ResourceDefinition[];
  conversionOf(crd: Stored, definition: ResourceDefinition): Conversion;
}

interface Derived {
  readonly revision: number;
  readonly served: readonly Served[];
}

export function createRegistry({ definitions, custom }: RegistryOptions): Registry {
  const builtin = new Map<string, Served>();
  const kinds = new Map<string, Served>();
  const derived = new Map<string, Derived>();
  const removals = new Map<string, AbortController>();
  let known: { readonly edition: string; readonly all: readonly Served[] } | undefined;

  for (const definition of definitions) {
    const served = createServed(definition, { removed: never });
    builtin.set(served.id, served);
    kinds.set(kindId(served), served);
  }

  const derive = (crd: Stored): Derived => {
    const { name } = (crd.value as KubeObject).metadata;
    const before = derived.get(name);
    if (before?.revision === crd.revision) return before;
    const removal = removals.get(name) ?? new AbortController();
    removals.set(name, removal);
    const next: Derived = {
      revision: crd.revision,
      // What is built in cannot be taken over.
      served: (custom?.derive(crd) ?? [])
        .map((definition) => {
          const conversion = custom?.conversionOf(crd, definition) ?? sameForm;
          return createServed(definition, { conversion, crd: name, removed: removal.signal });
        })
        .filter(({ id }) => !builtin.has(id)),
    };
    for (const old of before?.served ?? []) kinds.delete(kindId(old));
    for (const served of next.served) kinds.set(kindId(served), served);
    derived.set(name, next);
    return next;
  };
  const forget = (name: string): void => {
    known = undefined;
    for (const old of derived.get(name)?.served ?? []) kinds.delete(kindId(old));
    derived.delete(name);
    removals.get(name)?.abort();
    removals.delete(name);
  };

  const editionOf = (): string => (custom?.list() ?? []).map(({ revision }) => revision).join(',');
  const all = (): readonly Served[] => {
    const edition = editionOf();
    if (known?.edition !== edition)
      known = { edition, all: [...builtin.values(), ...(custom?.list() ?? []).flatMap((crd) => derive(crd).served)] };
    return known.all;
  };

  return {
    find(resource) {
      const id = resourceId(resource);
      const known = builtin.get(id);
      if (known !== undefined || custom === undefined || resource.group === '') return known;
      const crd = custom.get(`${resource.resource}.${resource.group}`);
      return crd === undefined ? undefined : derive(crd).served.find((served) => served.id === id);
    },
    ofKind: (apiVersion, kind) => kinds.get(`${apiVersion}/${kind}`),
    all,
    edition: editionOf,
    forget,
  };
}

const never: AbortSignal = new AbortController().signal;

function kindId({ apiVersion, definition }: Served): string {
  return `${apiVersion}/${definition.kind}`;
}

function createServed(
  definition: ResourceDefinition,
  options: { readonly conversion?: Conversion; readonly crd?: string; readonly removed: AbortSignal },
): Served {
  const { storedAs } = definition;
  const own = storedAs === undefined ? sameForm : rememberedConversion(storedAs);
  const doors = [...(definition.hasStatus ? [statusSubresource(definition)] : []), ...definition.subresources];
  return {
    definition,
    id: resourceId(definition),
    apiVersion: apiVersionOf(definition),
    prefix: resourcePrefix(storedAs?.resource ?? definition),
    traits: definition.traits,
    subresources: new Map(doors.map((subresource) => [subresource.name, subresource])),
    ...(options.crd !== undefined && { crd: options.crd }),
    conversion: options.conversion ?? own,
    removed: options.removed,
  };
}
