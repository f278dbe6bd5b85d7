import type { LimitRange, PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { limitranges, persistentvolumeclaims, pods } from '../../api/generated/kinds.ts';
import { isSameResource } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { forbidden, StatusError } from '../../api/status.ts';
import { withLimitDefaults } from '../../resources/core/limits/complete.ts';
import { claimFaults, podFaults } from '../../resources/core/limits/enforce.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';

/** What containers, pods and claims of a namespace may ask for, and what they get that ask for nothing. */
export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',
  resources: [pods, persistentvolumeclaims],
  create(object, world) {
    if (!isSameResource(world.served.definition, pods)) return object;
    return limitsOf(object, world).reduce(withLimitDefaults, object as Pod);
  },
  checkCreate: refuseFaults,
  checkUpdate(next, current, world) {
    // Of a pod nothing that counts can change, but by a door of its own; what ends is left alone.
    const counts = world.subresource === undefined && isSameResource(world.served.definition, persistentvolumeclaims);
    const isResize = world.subresource === 'resize';
    if ((counts || isResize) && current.metadata.deletionTimestamp === undefined) refuseFaults(next, world);
  },
};

function limitsOf({ metadata }: KubeObject, { list }: AdmissionWorld): readonly LimitRange[] {
  return list(limitranges, { namespace: metadata.namespace });
}

function refuseFaults(object: KubeObject, world: AdmissionWorld): void {
  const { definition } = world.served;
  const isPod = isSameResource(definition, pods);
  for (const limits of limitsOf(object, world)) {
    const found = isPod ? podFaults(limits, object as Pod) : claimFaults(limits, object as PersistentVolumeClaim);
    const faults = [...new Set(found)];
    if (faults.length === 0) continue;
    const why = faults.length === 1 ? (faults[0] ?? '') : `[${faults.join(', ')}]`;
    throw new StatusError(forbidden(definition, object.metadata.name, why));
  }
}
