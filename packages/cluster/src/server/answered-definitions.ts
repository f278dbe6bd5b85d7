import {
  bindings,
  localsubjectaccessreviews,
  selfsubjectaccessreviews,
  selfsubjectreviews,
  selfsubjectrulesreviews,
  subjectaccessreviews,
  tokenreviews,
} from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import { defineResource, type ResourceDefinition } from '../resources/resource.ts';

/** Kinds that can only be created, because the answer is all there is to them. */
export const answeredDefinitions: readonly ResourceDefinition[] = [
  ...[bindings].map((type) => answered(type, 'core')),
  ...[selfsubjectreviews, tokenreviews].map((type) => answered(type as ResourceType, 'authentication')),
  ...[localsubjectaccessreviews, selfsubjectaccessreviews, selfsubjectrulesreviews, subjectaccessreviews].map((type) =>
    answered(type as ResourceType, 'authorization'),
  ),
];

function answered(type: ResourceType, group: string): ResourceDefinition<KubeObject> {
  return defineResource(type, { schema: `io.k8s.api.${group}.${type.version}.${type.kind}` });
}
