import { resourceclaimtemplates } from '../../api/generated/kinds.ts';
import type { ResourceClaimTemplate } from '../../api/generated/resource-v1.ts';
import { amendPart } from '../core/pod/fill.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { annotationsIssues, finalizerIssues, labelIssues } from '../validation/names.ts';
import { claimSpecIssues, defaultClaimSpec } from './claim-spec.ts';

export const resourceclaimtemplateDefinition: ResourceDefinition<ResourceClaimTemplate> = defineResource(
  resourceclaimtemplates,
  {
    schema: 'io.k8s.api.resource.v1.ResourceClaimTemplate',
    traits: { returnsDeleted: true },
    defaults: (template) => amendPart(template, 'spec', (outer) => amendPart(outer, 'spec', defaultClaimSpec)),
    *validate({ spec }, at) {
      const { labels, annotations, finalizers } = spec.metadata ?? {};
      const metadata = at('spec', 'metadata');
      yield* annotationsIssues(annotations, metadata('annotations'));
      yield* labelIssues(labels, metadata('labels'));
      yield* finalizerIssues(finalizers, metadata('finalizers'));
      yield* claimSpecIssues(spec.spec, at('spec', 'spec'));
    },
    *validateUpdate(next, current, at) {
      yield* unchanged(next.spec, current.spec, at('spec'));
    },
  },
);
