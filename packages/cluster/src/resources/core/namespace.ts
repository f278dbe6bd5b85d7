import type { Namespace } from '../../api/generated/core-v1.ts';
import { namespaces } from '../../api/generated/kinds.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition, storedVerbs } from '../resource.ts';
import { dnsLabel, finalizerIssues } from '../validation/names.ts';

/** Carries the namespace's own name, so that selectors can choose namespaces by name. */
export const namespaceNameLabel = 'kubernetes.io/metadata.name';
/** Keeps a deleted namespace until its content is gone; lives in `spec.finalizers`, not in the metadata. */
export const namespaceFinalizer = 'kubernetes';

export const namespaceDefinition: ResourceDefinition<Namespace> = defineResource(namespaces, {
  schema: 'io.k8s.api.core.v1.Namespace',
  traits: { heldBySpec: true, verbs: storedVerbs.filter((verb) => verb !== 'deletecollection') },
  shortNames: ['ns'],
  hasStatus: true,
  columns: [column('Status', ({ status }) => status?.phase ?? '')],
  selectableFields: [
    { path: 'status.phase', of: ({ status }) => status?.phase ?? '' },
    { path: 'name', of: ({ metadata }) => metadata.name },
  ],
  subresources: [
    {
      name: 'finalize',
      verbs: ['update'],
      does: 'finalize',
      keepsAsWritten: true,
      schema: 'io.k8s.api.core.v1.Namespace',
      kind: { group: '', version: 'v1', kind: 'Namespace' },
      read: (namespace) => namespace,
      write(namespace, body) {
        const { finalizers: _old, ...spec } = namespace.spec ?? {};
        const { finalizers } = (body as Partial<Namespace>).spec ?? {};
        return { ...namespace, spec: { ...spec, ...(finalizers !== undefined && { finalizers }) } };
      },
    },
  ],
  validateName: dnsLabel,
  defaults: named,
  defaultsByStatus: named,
  defaultStatus: (status) => (isPhased(status) ? status : { ...status, phase: 'Active' }),
  prepareForCreate(namespace) {
    const finalizers = namespace.spec?.finalizers ?? [];
    return {
      ...namespace,
      spec: {
        ...namespace.spec,
        finalizers: finalizers.includes(namespaceFinalizer) ? finalizers : [...finalizers, namespaceFinalizer],
      },
      status: { phase: 'Active' },
    };
  },
  prepareForUpdate: (next, current) => ({ ...next, spec: current.spec }),
  *validate({ spec }, at) {
    // As upstream, which says here which one it is, but not where.
    yield* finalizerIssues(spec?.finalizers, at('spec', 'finalizers'), { counted: false });
  },
  *validateStatusUpdate({ metadata, status }, _current, at) {
    const expected = metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating';
    if (status?.phase === expected) return;
    // Upstream's name of the field.
    yield at('status', 'Phase').invalid(
      status?.phase ?? '',
      `may only be '${expected}' if \`deletionTimestamp\` is ${expected === 'Active' ? 'empty' : 'not empty'}`,
    );
  },
});

function isPhased(status: { readonly phase?: unknown }): boolean {
  return typeof status.phase === 'string' && status.phase !== '';
}

function named(namespace: Namespace): Namespace {
  const { metadata } = namespace;
  if (metadata.name === undefined || metadata.name === '' || metadata.labels?.[namespaceNameLabel] === metadata.name)
    return namespace;
  return {
    ...namespace,
    metadata: { ...metadata, labels: { ...metadata.labels, [namespaceNameLabel]: metadata.name } },
  };
}
