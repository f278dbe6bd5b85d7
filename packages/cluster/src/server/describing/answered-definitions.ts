import {
  bindings,
  localsubjectaccessreviews,
  pods,
  selfsubjectaccessreviews,
  selfsubjectreviews,
  selfsubjectrulesreviews,
  subjectaccessreviews,
  tokenreviews,
} from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { defineResource, type ResourceDefinition, type Traits } from '../../resources/resource.ts';

/** Kinds that can only be created, because the answer is all there is to them. */
export const answeredDefinitions: readonly ResourceDefinition[] = [
  answered(bindings, 'core', { standsFor: { resource: pods, subresource: 'binding' } }),
  ...[selfsubjectreviews, tokenreviews].map((type) =>
    answered(type as ResourceType, 'authentication', { isQuestion: true }),
  ),
  ...[localsubjectaccessreviews, selfsubjectaccessreviews, selfsubjectrulesreviews, subjectaccessreviews].map((type) =>
    answered(type as ResourceType, 'authorization', { isQuestion: true }),
  ),
];

function answered(type: ResourceType, group: string, traits: Partial<Traits>): ResourceDefinition<KubeObject> {
  return defineResource(type, {
    schema: `io.k8s.api.${group}.${type.version}.${type.kind}`,
    traits: { ...traits, verbs: ['create'] },
  });
}
