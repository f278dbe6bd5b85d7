import type { ResourceQuota } from '../../api/generated/core-v1.ts';
import { resourcequotas } from '../../api/generated/kinds.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { quotaAmounts, quotaScopes } from './quota/validation.ts';

/** Held to by the server at every write; its controller counts what there is. */
export const resourcequotaDefinition: ResourceDefinition<ResourceQuota> = defineResource(resourcequotas, {
  schema: 'io.k8s.api.core.v1.ResourceQuota',
  traits: { returnsDeleted: true },
  shortNames: ['quota'],
  hasStatus: true,
  columns: [
    column('Request', (quota) => usage(quota, { limits: false })),
    column('Limit', (quota) => usage(quota, { limits: true })),
  ],
  prepareForCreate: (quota) => ({ ...quota, status: {} }),
  *validate({ spec, status }, at) {
    yield* quotaAmounts(spec?.hard, at('spec', 'hard'));
    yield* quotaScopes(spec ?? {}, at('spec'));
    yield* quotaAmounts(status?.hard, at('status', 'hard'));
    yield* quotaAmounts(status?.used, at('status', 'used'));
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.spec?.scopes, current.spec?.scopes, at('spec', 'scopes'));
  },
  *validateStatusUpdate({ status }, _current, at) {
    yield* quotaAmounts(status?.hard, at('status', 'hard'));
    yield* quotaAmounts(status?.used, at('status', 'used'));
  },
});

/** Nothing, until somebody has counted. */
function usage({ status }: ResourceQuota, { limits }: { readonly limits: boolean }): string {
  const hard = status?.hard ?? {};
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === limits)
    .sort()
    .map((name) => `${name}: ${status?.used?.[name] ?? '0'}/${hard[name]}`)
    .join(', ');
}
