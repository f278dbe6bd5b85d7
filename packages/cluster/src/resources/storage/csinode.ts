import { csinodes } from '../../api/generated/kinds.ts';
import type { CSINode } from '../../api/generated/storage-v1.ts';
import { integerColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { dnsSubdomain } from '../validation/names.ts';

const nodeIdBytesMax = 256;

export const csinodeDefinition: ResourceDefinition<CSINode> = defineResource(csinodes, {
  schema: 'io.k8s.api.storage.v1.CSINode',
  traits: { updatesUnconditionally: false, returnsDeleted: true },
  columns: [integerColumn('Drivers', ({ spec }) => spec?.drivers?.length ?? 0)],
  *validate({ spec }, at) {
    const names = new Set<string>();
    for (const [index, driver] of (spec?.drivers ?? []).entries()) {
      const place = at('spec', 'drivers', index);
      if ((driver.name ?? '') === '') yield place('name').required();
      else yield* dnsSubdomain(driver.name.toLowerCase(), place('name'));
      if (names.has(driver.name)) yield place('name').duplicate(driver.name);
      names.add(driver.name);
      if ((driver.nodeID ?? '') === '') yield place('nodeID').required();
      else if (driver.nodeID.length > nodeIdBytesMax)
        yield place('nodeID').invalid(driver.nodeID, `must be ${nodeIdBytesMax} characters or less`);
    }
  },
  *validateUpdate(next, current, at) {
    const before = new Map((current.spec?.drivers ?? []).map((driver) => [driver.name, driver]));
    for (const [index, driver] of (next.spec?.drivers ?? []).entries()) {
      const known = before.get(driver.name);
      if (known !== undefined) yield* unchanged(driver.nodeID, known.nodeID, at('spec', 'drivers', index, 'nodeID'));
    }
  },
});
