import { isIPv4 } from 'node:net';
import { servicecidrs } from '../../api/generated/kinds.ts';
import type { ServiceCIDR } from '../../api/generated/networking-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { cidr, isCidr } from '../validation/network.ts';

export const servicecidrDefinition: ResourceDefinition<ServiceCIDR> = defineResource(servicecidrs, {
  schema: 'io.k8s.api.networking.v1.ServiceCIDR',
  hasStatus: true,
  statusKeeps: 'metadata',
  columns: [column('CIDRs', ({ spec }) => (spec?.cidrs ?? []).join(','))],
  prepareForCreate: ({ status: _none, ...object }) => object as ServiceCIDR,
  *validateCreate({ spec }, at) {
    yield* ranges(spec?.cidrs ?? [], at('spec', 'cidrs'));
  },
  *validateUpdate(next, current, at) {
    const [before, after] = [current.spec?.cidrs ?? [], next.spec?.cidrs ?? []];
    const place = at('spec', 'cidrs');
    // A second range may come, for the other family of addresses.
    if (before.length !== after.length && !(before.length === 1 && after.length === 2)) {
      yield place.invalid(after, 'field is immutable');
      return;
    }
    for (const [index, range] of before.entries()) yield* unchanged(after[index], range, place(index));
    if (before.length !== after.length) yield* ranges(after, place);
  },
});

function* ranges(given: readonly string[], at: FieldPath): Iterable<Issue> {
  if (given.length === 0) {
    yield at.required('at least one CIDR required');
    return;
  }
  if (given.length > 2) {
    yield at.invalid({ cidrs: given }, 'may only hold up to 2 values');
    return;
  }
  for (const [index, range] of given.entries()) yield* cidr(range, at(index));
  const [first, second] = given;
  if (first === undefined || second === undefined || !isCidr(first) || !isCidr(second)) return;
  if (isIPv4(address(first)) === isIPv4(address(second)))
    yield at.invalid(given, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64');
}

function address(range: string): string {
  return range.split('/', 1)[0] ?? '';
}
