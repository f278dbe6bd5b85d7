import type { ResourceQuota } from '../../api/generated/core-v1.ts';
import { resourcequotas } from '../../api/generated/kinds.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { resourceAmounts, unchanged } from '../validation/fields.ts';

const scopes: readonly string[] = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
];

/** Kept and shown, so that manifests apply; nothing counts or enforces it, and the warning says so. */
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
  *validate({ spec }, at) {
    yield* resourceAmounts(spec?.hard, at('spec', 'hard'));
    for (const scope of spec?.scopes ?? [])
      if (!scopes.includes(scope)) yield at('spec', 'scopes').invalid(spec.scopes, 'unsupported scope');
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.spec?.scopes, current.spec?.scopes, at('spec', 'scopes'));
  },
  *warnings() {
    yield 'ResourceQuota is stored but not enforced by this control plane';
  },
});

function usage({ spec, status }: ResourceQuota, { limits }: { readonly limits: boolean }): string {
  const hard = status?.hard ?? spec?.hard ?? {};
  return Object.keys(hard)
    .filter((name) => (name === 'limits.cpu' || name === 'limits.memory') === limits)
    .sort()
    .map((name) => `${name}: ${status?.used?.[name] ?? '0'}/${hard[name]}`)
    .join(', ');
}
