import { ipaddresses } from '../../api/generated/kinds.ts';
import type { IPAddress } from '../../api/generated/networking-v1.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { dnsSubdomain, pathSegmentName } from '../validation/names.ts';
import { ipAddress } from '../validation/network.ts';

/** An address that is taken, by its name. */
export const ipaddressDefinition: ResourceDefinition<IPAddress> = defineResource(ipaddresses, {
  schema: 'io.k8s.api.networking.v1.IPAddress',
  traits: { endsNames: false },
  shortNames: ['ip'],
  columns: [column('ParentRef', ({ spec }) => parentOf(spec))],
  validateName: ipAddress,
  *validate({ spec }, at) {
    const { parentRef } = spec ?? {};
    const place = at('spec', 'parentRef');
    if (parentRef === undefined) {
      yield place.required();
      return;
    }
    if ((parentRef.group ?? '') !== '') yield* dnsSubdomain(parentRef.group ?? '', place('group'));
    for (const field of ['resource', 'name'] as const)
      if ((parentRef[field] ?? '') === '') yield place(field).required();
      else yield* pathSegmentName(parentRef[field], place(field));
    if ((parentRef.namespace ?? '') !== '') yield* pathSegmentName(parentRef.namespace ?? '', place('namespace'));
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.spec?.parentRef, current.spec?.parentRef, at('spec', 'parentRef'));
  },
});

function parentOf(spec: IPAddress['spec'] | undefined): string {
  const parent = spec?.parentRef;
  if (parent === undefined) return '<none>';
  const resource = [parent.resource, parent.group].filter((part) => (part ?? '') !== '').join('.');
  return [resource.toLowerCase(), parent.namespace, parent.name].filter((part) => (part ?? '') !== '').join('/');
}
