import { csidrivers } from '../../api/generated/kinds.ts';
import type { CSIDriver } from '../../api/generated/storage-v1.ts';
import { booleanColumn, column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { oneOf, unchanged } from '../validation/fields.ts';

export const csidriverDefinition: ResourceDefinition<CSIDriver> = defineResource(csidrivers, {
  schema: 'io.k8s.api.storage.v1.CSIDriver',
  traits: { updatesUnconditionally: false, returnsDeleted: true },
  columns: [
    booleanColumn('AttachRequired', ({ spec }) => spec.attachRequired !== false),
    booleanColumn('PodInfoOnMount', ({ spec }) => spec.podInfoOnMount === true),
    booleanColumn('StorageCapacity', ({ spec }) => spec.storageCapacity === true),
    column('TokenRequests', ({ spec }) =>
      listed(
        spec.tokenRequests?.map(({ audience }) => audience),
        '<unset>',
      ),
    ),
    booleanColumn('RequiresRepublish', ({ spec }) => spec.requiresRepublish === true),
    column('Modes', ({ spec }) => listed(spec.volumeLifecycleModes, '<none>')),
  ],
  defaults: ({ spec, ...driver }) => ({
    ...driver,
    spec: {
      ...spec,
      attachRequired: spec?.attachRequired ?? true,
      podInfoOnMount: spec?.podInfoOnMount ?? false,
      storageCapacity: spec?.storageCapacity ?? false,
      fsGroupPolicy: spec?.fsGroupPolicy ?? 'ReadWriteOnceWithFSType',
      requiresRepublish: spec?.requiresRepublish ?? false,
      seLinuxMount: spec?.seLinuxMount ?? false,
      volumeLifecycleModes: nonEmpty(spec?.volumeLifecycleModes) ?? ['Persistent'],
    },
  }),
  *validate({ metadata, spec }, at) {
    if (metadata.name.length > 63) yield at('metadata', 'name').tooLong(metadata.name, 63);
    yield* oneOf(spec.fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType'], at('spec', 'fsGroupPolicy'));
    const audiences = (spec.tokenRequests ?? []).map(({ audience }) => audience);
    for (const [index, audience] of audiences.entries())
      if (audiences.indexOf(audience) < index) yield at('spec', 'tokenRequests', index, 'audience').duplicate(audience);
    for (const [index, { expirationSeconds }] of (spec.tokenRequests ?? []).entries())
      if (expirationSeconds !== undefined && expirationSeconds < 600)
        yield at('spec', 'tokenRequests', index, 'expirationSeconds').invalid(
          expirationSeconds,
          'may not specify a duration less than 10 minutes',
        );
    for (const mode of spec.volumeLifecycleModes ?? [])
      yield* oneOf(mode, ['Ephemeral', 'Persistent'], at('spec', 'volumeLifecycleModes'));
  },
  *validateUpdate(next, current, at) {
    // Upstream's name of the field.
    yield* unchanged(next.spec.attachRequired, current.spec.attachRequired, at('spec', 'attachedRequired'));
    yield* unchanged(
      next.spec.volumeLifecycleModes,
      current.spec.volumeLifecycleModes,
      at('spec', 'volumeLifecycleModes'),
    );
  },
});

function nonEmpty<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

function listed(values: readonly string[] | undefined, none: string): string {
  return values === undefined || values.length === 0 ? none : values.join(',');
}
