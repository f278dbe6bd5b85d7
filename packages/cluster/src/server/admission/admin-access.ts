import type { Namespace } from '../../api/generated/core-v1.ts';
import { namespaces, resourceclaims, resourceclaimtemplates } from '../../api/generated/kinds.ts';
import type { ResourceClaim, ResourceClaimSpec, ResourceClaimTemplate } from '../../api/generated/resource-v1.ts';
import { root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { invalid, StatusError } from '../../api/status.ts';
import type { AdmissionPlugin } from '../context/admission.ts';

const label = 'resource.kubernetes.io/admin-access';

/** Devices that others use as well are given to claims of namespaces that an administrator has marked. The wish never changes. */
export const adminAccess: AdmissionPlugin = {
  name: 'DeviceAdminAccess',
  resources: [resourceclaims, resourceclaimtemplates],
  checkCreate(object, { served, get }) {
    const index = wishOf(object);
    if (index < 0) return;
    const { namespace: name = '' } = object.metadata;
    if (get<Namespace>(namespaces, { name })?.metadata.labels?.[label] === 'true') return;
    const issue = root('spec', 'devices', 'requests', index, 'adminAccess').forbidden(
      `admin access to devices requires the \`${label}: true\` label on the containing namespace`,
    );
    throw new StatusError(invalid(served.definition, object.metadata.name, [issue]));
  },
};

/** Which request asks for it first; -1: none. */
function wishOf(object: KubeObject): number {
  const { spec } = object as Partial<ResourceClaim> | Partial<ResourceClaimTemplate>;
  const { devices }: ResourceClaimSpec = (spec !== undefined && 'spec' in spec ? spec.spec : spec) ?? {};
  return (devices?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
}
