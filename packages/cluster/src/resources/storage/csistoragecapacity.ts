import { csistoragecapacities } from '../../api/generated/kinds.ts';
import type { CSIStorageCapacity } from '../../api/generated/storage-v1.ts';
import { validateSelector } from '../../api/selector/selector.ts';
import { createdAtColumn, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { quantity, unchanged } from '../validation/fields.ts';
import { dnsSubdomain } from '../validation/names.ts';

export const csistoragecapacityDefinition: ResourceDefinition<CSIStorageCapacity> = defineResource(
  csistoragecapacities,
  {
    schema: 'io.k8s.api.storage.v1.CSIStorageCapacity',
    traits: { updatesUnconditionally: false },
    columnsComplete: true,
    columns: [nameColumn(), createdAtColumn()],
    *validate({ nodeTopology, storageClassName, capacity }, at) {
      if (nodeTopology !== undefined) yield* validateSelector(nodeTopology, at('nodeTopology'));
      yield* dnsSubdomain(storageClassName ?? '', at('storageClassName'));
      if (capacity !== undefined) yield* quantity(capacity, at('capacity'));
    },
    *validateUpdate(next, current, at) {
      for (const field of ['nodeTopology', 'storageClassName'] as const)
        yield* unchanged(next[field], current[field], at(field));
    },
  },
);
