import type { ResourceType } from '../api/gvk.ts';
import { apiVersionOf } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import { builtinDefinitions } from './builtin.ts';
import type { ResourceDefinition } from './resource.ts';

/** The object with what an API server fills in before it stores it; one of a kind that is not built in as it is. */
export function defaulted<T extends KubeObject>(object: T): T {
  return (definitionOf(object)?.defaults?.(object) ?? object) as T;
}

/** The resource of an object; undefined: its kind is not built in. */
export function builtinType(object: Pick<KubeObject, 'apiVersion' | 'kind'>): ResourceType | undefined {
  return definitionOf(object);
}

function definitionOf({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): ResourceDefinition | undefined {
  known ??= new Map(
    builtinDefinitions.map((definition) => [`${apiVersionOf(definition)}/${definition.kind}`, definition]),
  );
  return known.get(`${apiVersion}/${kind}`);
}

/** Made on first use: most programs never ask. */
let known: ReadonlyMap<string, ResourceDefinition> | undefined;
