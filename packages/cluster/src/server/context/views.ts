import type { GroupVersionResource } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';

/** A resource that is not stored. It can be got and listed, nothing else. */
export type ResourceView = StoredView | MadeView;

/**
 * Shown for each object of a resource that is stored, when somebody asks: what its pods use now. Names, namespaces, labels and
 * so what selectors choose are those of the stored objects.
 */
export interface StoredView {
  readonly definition: ResourceDefinition;
  readonly of: GroupVersionResource;
  /** Undefined: there is nothing to show of this one at the moment. */
  show(object: KubeObject): KubeObject | undefined;
}

/** A few objects of no namespace that are made when somebody asks: how the parts of the plane are. */
export interface MadeView {
  readonly definition: ResourceDefinition;
  make(): readonly KubeObject[];
  /** Shown to whoever asks. */
  readonly warning?: string;
}
