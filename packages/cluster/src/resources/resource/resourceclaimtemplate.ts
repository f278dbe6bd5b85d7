import { resourceclaimtemplates } from '../../api/generated/kinds.ts';
import type { ResourceClaimTemplate, ResourceClaimTemplateSpec } from '../../api/generated/resource-v1.ts';
import { amendPart } from '../core/pod/fill.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { annotationsIssues, labelIssues } from '../validation/names.ts';
import { claimSpecIssues, defaultClaimSpec } from './claim-spec.ts';

/** Fields that upstream spells in its own way. */
const goNames: Readonly<Record<string, string>> = { uid: 'uID' };

export const resourceclaimtemplateDefinition: ResourceDefinition<ResourceClaimTemplate> = defineResource(
  resourceclaimtemplates,
  {
    schema: 'io.k8s.api.resource.v1.ResourceClaimTemplate',
    traits: { returnsDeleted: true },
    defaults: (template) => amendPart(template, 'spec', (outer) => amendPart(counted(outer), 'spec', defaultClaimSpec)),
    *validate({ spec }, at) {
      const { labels, annotations, ...others } = spec.metadata ?? {};
      const metadata = at('spec', 'metadata');
      for (const [field, value] of Object.entries(others))
        if (value !== undefined && value !== '') yield metadata(goNames[field] ?? field).forbidden('cannot be set');
      yield* annotationsIssues(annotations, metadata('annotations'));
      yield* labelIssues(labels, metadata('labels'));
      yield* claimSpecIssues(spec.spec, at('spec', 'spec'));
    },
    *validateUpdate(next, current, at) {
      yield* unchanged(next.spec, current.spec, at('spec'));
    },
  },
);

/** A generation of 0 is none. */
function counted(spec: ResourceClaimTemplateSpec): ResourceClaimTemplateSpec {
  if (spec.metadata?.generation !== 0) return spec;
  const { generation: _none, ...metadata } = spec.metadata;
  const { metadata: _old, ...others } = spec;
  return Object.keys(metadata).length === 0 ? others : { ...others, metadata };
}
