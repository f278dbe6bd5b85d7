import type { GroupVersionResource } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';

/**
 * A resource that is not stored, but shown for each object of one that is, when somebody asks: what its pods use now. Names,
 * namespaces, labels and so what selectors choose are those of the stored objects.
 */
export interface ResourceView {
  /** It can be got and listed, nothing else. */
  readonly definition: ResourceDefinition;
  readonly of: GroupVersionResource;
  /** Undefined: there is nothing to show of this one at the moment. */
  show(object: KubeObject): KubeObject | undefined;
}
