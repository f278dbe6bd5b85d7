import { csinodes } from '../../api/generated/kinds.ts';
import type { CSINode, CSINodeDriver } from '../../api/generated/storage-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { dnsSubdomainProblems } from '../../api/names.ts';
import { equal } from '../../base/equal.ts';
import { integerColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { notNegative } from '../validation/fields.ts';
import { qualifiedName } from '../validation/names.ts';

const nodeIdBytesMax = 256;
const nameBytesMax = 63;

export const csinodeDefinition: ResourceDefinition<CSINode> = defineResource(csinodes, {
  schema: 'io.k8s.api.storage.v1.CSINode',
  traits: { updatesUnconditionally: false, returnsDeleted: true },
  columns: [integerColumn('Drivers', ({ spec }) => spec?.drivers?.length ?? 0)],
  *validate({ spec }, at) {
    const names = new Set<string>();
    for (const [index, driver] of (spec?.drivers ?? []).entries()) {
      const place = at('spec', 'drivers', index);
      yield* driverIssues(driver, place);
      if (names.has(driver.name)) yield place('name').duplicate(driver.name);
      names.add(driver.name);
    }
  },
  *validateUpdate(next, current, at) {
    const before = new Map((current.spec?.drivers ?? []).map((driver) => [driver.name, driver]));
    for (const driver of next.spec?.drivers ?? []) {
      const known = before.get(driver.name);
      if (known !== undefined && !equal(shownDriver(driver), shownDriver(known)))
        yield at('spec', 'drivers').invalid(shownDriver(driver), 'field is immutable');
    }
  },
});

function* driverIssues(driver: Partial<CSINodeDriver>, at: FieldPath): Iterable<Issue> {
  const { name = '', nodeID = '' } = driver;
  if (name === '') yield at('name').required();
  else for (const why of dnsSubdomainProblems(name.toLowerCase())) yield at('name').invalid(name, why);
  if (Buffer.byteLength(name) > nameBytesMax) yield at('name').tooLong(name, nameBytesMax);
  if (nodeID === '') yield at('nodeID').required();
  else if (nodeID.length > nodeIdBytesMax)
    yield at('nodeID').invalid(nodeID, `must be ${nodeIdBytesMax} characters or less`);
  yield* notNegative(driver.allocatable?.count, at('allocatable', 'count'));
  // Told of the driver, as upstream does.
  const keys = driver.topologyKeys ?? [];
  for (const [index, key] of keys.entries()) {
    if (key === '') yield at.required();
    yield* qualifiedName(key, at);
    if (keys.indexOf(key) < index) yield at.duplicate(key);
  }
}

/** As a refusal shows it: all fields, by their names in Go. */
function shownDriver({ name, nodeID, topologyKeys = [], allocatable }: CSINodeDriver): object {
  return {
    Name: name,
    NodeID: nodeID,
    TopologyKeys: topologyKeys.length === 0 ? null : topologyKeys,
    Allocatable: allocatable === undefined ? null : { Count: allocatable.count ?? null },
  };
}
