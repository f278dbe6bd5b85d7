import { apiVersionOf, type ResourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceOptions } from '../resource.ts';

/** The same kind under its first version, which differs in nothing but its name. */
export function olderFace<T extends KubeObject>(
  stored: ResourceType<T>,
  options: ResourceOptions<T> & { readonly schema: string },
): ResourceOptions<T> {
  const [own, older] = [apiVersionOf(stored), apiVersionOf({ ...stored, version: 'v1alpha1' })];
  return {
    ...options,
    schema: options.schema.replace(stored.version, 'v1alpha1'),
    storedAs: {
      resource: stored,
      toStored: (object) => ({ ...object, apiVersion: own }),
      fromStored: (object) => ({ ...object, apiVersion: older }) as unknown as T,
    },
  };
}
