import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import { customresourcedefinitions } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { establish, type TakenNames } from '../../resources/apiextensions/establish.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';

/**
 * Decides about names and conditions before the definition is stored, so that its resources are served from the very
 * commit that brings it.
 */
export function createCustomResourceAdmission(builtin: readonly ResourceDefinition[]): AdmissionPlugin {
  const taken = builtin.map(takenNames);
  const established = (object: KubeObject, { list, nowMs }: AdmissionWorld): CustomResourceDefinition =>
    establish(object as CustomResourceDefinition, list(customresourcedefinitions), {
      builtin: taken,
      nowMs,
    });
  return {
    name: 'CustomResources',
    resources: [customresourcedefinitions],
    create: (object, world) => established(object, world),
    update: (next, _current, world) => established(next, world),
  };
}

function takenNames({ group, resource, singular, shortNames, kind }: ResourceDefinition): TakenNames {
  return { group, names: { plural: resource, singular, shortNames, kind, listKind: `${kind}List` } };
}
