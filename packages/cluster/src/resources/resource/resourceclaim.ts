import { resourceclaims } from '../../api/generated/kinds.ts';
import type { ResourceClaim } from '../../api/generated/resource-v1.ts';
import { column } from '../columns.ts';
import { amendPart } from '../core/pod/fill.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { claimSpecIssues, defaultClaimSpec } from './claim-spec.ts';
import { claimStatusIssues } from './claim-status.ts';

export const resourceclaimDefinition: ResourceDefinition<ResourceClaim> = defineResource(resourceclaims, {
  schema: 'io.k8s.api.resource.v1.ResourceClaim',
  traits: { returnsDeleted: true },
  hasStatus: true,
  statusKeeps: 'metadata',
  columns: [column('State', stateOf)],
  defaults: (claim) => amendPart(claim, 'spec', defaultClaimSpec),
  prepareForCreate: ({ status: _none, ...claim }) => claim as ResourceClaim,
  *validate({ spec }, at) {
    yield* claimSpecIssues(spec, at('spec'));
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.spec, current.spec, at('spec'));
  },
  *validateStatusUpdate(next, current, at) {
    yield* claimStatusIssues(next, current, at('status'));
  },
});

function stateOf({ metadata, status }: ResourceClaim): string {
  const deleted = metadata.deletionTimestamp === undefined ? [] : ['deleted'];
  if (status?.allocation === undefined) return deleted.length > 0 ? 'deleted' : 'pending';
  const reserved = (status.reservedFor ?? []).length > 0 ? ['reserved'] : [];
  return [...deleted, 'allocated', ...reserved].join(',');
}
